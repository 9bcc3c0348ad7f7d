package dev.couchjobs.topics.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.testing.Samples;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FirstRowTest {
    private static final String ODD = "a\0\u00ff\0\uFFFD\uD83D\uDE00";

    @Test
    void aRowIsDecodedAsItWasEncoded() {
        Samples.check(1_000, samples -> {
            long token = samples.anyLong();
            int millis = samples.anyInt();
            byte[] value = samples.bytes(255);
            Map<String, String> headers = headers(samples);
            String key = token % 2 == 0 ? null : ODD + token;

            MessageRow message = new MessageRow(token, Instant.ofEpochMilli(millis), key, headers, value);

            FirstRow row = FirstRow.decode(message.encode());

            assertThat(row.message()).usingRecursiveComparison().isEqualTo(message);
            assertThat(row.bytesInChunks()).isZero();
        });
    }

    @Test
    void aRowHasTheBytesThatAreDocumented() {
        assertThat(message("k", Map.of("h", ""), new byte[] {0, 9}).encode())
                .containsExactly(
                        2, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 5, 0, 1, 'k', 0, 1, 0, 1, 'h', 0, 0, 0, 0, 9);
        assertThat(message(null, Map.of(), null).encode())
                .containsExactly(2, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 5, -1, -1, 0, 0, 1);
        assertThat(message(null, Map.of(), new byte[65_536]).encode())
                .containsExactly(2, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 5, -1, -1, 0, 0, 2, 0, 1, 0, 0);
    }

    @Test
    void theLargestFirstRowFitsIntoARow() {
        Map<String, String> manyShort = IntStream.range(0, 7_000)
                .mapToObj(i -> "" + (char) (i / 128) + (char) (i % 128))
                .collect(Collectors.toMap(name -> name, name -> ""));

        for (int bytes : new int[] {50_000, 50_001}) {
            MessageRow message = message("\0".repeat(1_000), manyShort, new byte[bytes]);
            assertThat(message.checkedDeadLetter().encode()).hasSizeLessThan(100_000);
        }
    }

    @Test
    void aDamagedRowSaysSo() {
        byte[] row = message("key", Map.of("name", "text"), new byte[] {1}).encode();
        for (int length = 0; length < row.length - 1; length++) {
            byte[] part = Arrays.copyOf(row, length);
            assertThatThrownBy(() -> FirstRow.decode(part)).isInstanceOf(IllegalArgumentException.class);
        }
        for (List<Integer> damage : List.of(
                List.of(0, 1), // another version
                List.of(17, 0x7F), // the length of the key
                List.of(17, 0x80),
                List.of(22, 0x7F), // how many headers
                List.of(24, 0xFF), // no name
                List.of(row.length - 2, 1), // a deletion with a value
                List.of(row.length - 2, 3))) {
            byte[] damaged = row.clone();
            damaged[damage.get(0)] = damage.get(1).byteValue();
            assertThatThrownBy(() -> FirstRow.decode(damaged)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void anyDamageIsAnIllegalArgumentOrAMessage() {
        Samples.check(1_000, samples -> {
            byte[] row = samples.bytes(60);

            byte[] damaged = row.clone();
            if (damaged.length > 0) {
                damaged[0] = FirstRow.FORMAT;
            }
            try {
                assertThat(FirstRow.decode(damaged).message()).isNotNull();
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageNotContaining("null");
            }
        });
    }

    @Test
    @SuppressWarnings("NullAway") // it does not see that a tuple may have null
    void aRowOfAnEarlierVersionIsDecoded() {
        byte[] row = Tuple.from(1, 7, 5, "key", List.of("name", "text"), 0, new byte[] {1})
                .pack();
        FirstRow inChunks = FirstRow.decode(
                Tuple.from(1, 7, 5, null, List.of(), 90_001, null).pack());

        assertThat(FirstRow.decode(row).message())
                .usingRecursiveComparison()
                .isEqualTo(message("key", Map.of("name", "text"), new byte[] {1}));
        assertThat(inChunks.bytesInChunks()).isEqualTo(90_001);
        assertThat(inChunks.message()).isEqualTo(message(null, Map.of(), null));
        for (int length = 0; length < row.length; length++) {
            byte[] part = Arrays.copyOf(row, length);
            assertThatThrownBy(() -> FirstRow.decode(part)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> FirstRow.decode(Tuple.from(99, "a").pack())).hasMessageContaining("format 99");
    }

    @Test
    void aTextThatIsNoUtf8IsRefused() {
        byte[] row = message("key", Map.of(), new byte[] {1}).encode();
        row[new String(row, StandardCharsets.ISO_8859_1).indexOf("key")] = (byte) 0xC3;

        assertThatThrownBy(() -> FirstRow.decode(row))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("UTF-8");
        assertThatThrownBy(() -> message("\uD800", Map.of(), null).encode())
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Map<String, String> headers(Samples samples) {
        Map<String, String> headers = new HashMap<>();
        for (int i = samples.choice(4); i > 0; i--) {
            headers.put(ODD + samples.anyInt(), ODD + samples.anyInt());
        }
        return headers;
    }

    private static MessageRow message(@Nullable String key, Map<String, String> headers, byte @Nullable [] value) {
        return new MessageRow(7, Instant.ofEpochMilli(5), key, headers, value);
    }
}
