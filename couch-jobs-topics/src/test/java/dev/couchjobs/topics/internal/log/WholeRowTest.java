package dev.couchjobs.topics.internal.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.tuple.Tuple;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.ByteRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class WholeRowTest {
    private static final String ODD = "a\0\u00ff\0\0b";

    @Property
    void aRowIsDecodedAsATupleDecodesIt(
            @ForAll @LongRange(min = 0) long token,
            @ForAll @LongRange(min = 0, max = Integer.MAX_VALUE) long millis,
            @ForAll byte[] value,
            @ForAll @Size(max = 3) Map<Short, Byte> headers) {
        var texts = new TreeMap<String, String>();
        headers.forEach((name, text) -> texts.put(ODD + name, "" + text));
        String key = token % 2 == 0 ? null : ODD + token;
        byte[] row = new MessageRow(token, Instant.ofEpochMilli(millis), key, texts, value).encode();

        MessageRow decoded = Objects.requireNonNull(WholeRow.decode(row));

        MessageRow expected = MessageRow.decode(MessageRow.first(row), new byte[0]);
        assertThat(decoded).usingRecursiveComparison().isEqualTo(expected);
        assertThat(decoded.value()).containsExactly(value);
    }

    @Property
    void aRowIsEncodedAsATupleEncodesIt(
            @ForAll @LongRange(min = 0) long token,
            @ForAll @LongRange(min = 0, max = Integer.MAX_VALUE) long millis,
            @ForAll byte[] value,
            @ForAll @Size(max = 3) Map<String, String> headers) {
        String key = token % 2 == 0 ? null : ODD + token;
        List<String> flat = new ArrayList<>();
        headers.forEach((name, text) -> {
            flat.add(name);
            flat.add(text);
        });

        assertThat(new MessageRow(token, Instant.ofEpochMilli(millis), key, headers, value).encode())
                .containsExactly(
                        Tuple.from(1, token, millis, key, flat, 0, value).pack());
    }

    @Test
    @SuppressWarnings("NullAway") // it does not see that the value of a record may be null
    void deletionsAndFirstRowsOfChunksAreEncodedAsATupleEncodesThem() {
        assertThat(new MessageRow(7, Instant.EPOCH, "key", Map.of(), null).encode())
                .containsExactly(Tuple.from(1, 7, 0, "key", List.of(), 0, null).pack());
        assertThat(new MessageRow(7, Instant.EPOCH, null, Map.of(), new byte[90_001]).encode())
                .containsExactly(
                        Tuple.from(1, 7, 0, null, List.of(), 90_001, null).pack());
    }

    @Property
    void zerosAreFound(@ForAll @Size(max = 40) List<@ByteRange(min = -2, max = 2) Byte> bytes) {
        byte[] array = new byte[bytes.size()];
        for (int i = 0; i < array.length; i++) {
            array[i] = bytes.get(i);
        }

        for (int from = 0; from <= array.length; from++) {
            int expected = from;
            while (expected < array.length && array[expected] != 0) {
                expected++;
            }
            assertThat(Zeros.next(array, from)).isEqualTo(expected);
        }
    }

    @Test
    void valuesWithZerosAndEscapesAreDecoded() {
        for (byte[] value : List.of(new byte[] {}, new byte[] {0}, new byte[] {0, -1}, new byte[] {-1, 0, 0, -1, 0})) {
            byte[] row = new MessageRow(0, Instant.EPOCH, null, Map.of(), value).encode();
            assertThat(Objects.requireNonNull(WholeRow.decode(row)).value()).containsExactly(value);
        }
    }

    @Test
    void aRowOfAnotherFormIsLeftToATuple() {
        byte[] value = {1};
        assertThat(WholeRow.decode(
                        Tuple.from(2, 0, 0, null, List.of(), 0, value).pack()))
                .isNull();
        assertThat(WholeRow.decode(
                        Tuple.from(1, -1, 0, null, List.of(), 0, value).pack()))
                .isNull();
        assertThat(WholeRow.decode(
                        Tuple.from(1, 0, 0, null, List.of(), 90_001, null).pack()))
                .isNull();
        assertThat(WholeRow.decode(
                        Tuple.from(1, 0, 0, null, List.of(), 0, value, "more").pack()))
                .isNull();
        assertThat(WholeRow.decode(
                        Tuple.from(1, 0, 0, null, List.of("name", 7), 0, value).pack()))
                .isNull();
        assertThat(WholeRow.decode(new byte[] {})).isNull();
        byte[] whole = Tuple.from(1, 0, 0, null, List.of(), 0, value).pack();
        for (int length = 0; length < whole.length; length++) {
            assertThat(WholeRow.decode(Arrays.copyOf(whole, length))).isNull();
        }
    }

    @Test
    void aTextThatIsNoUtf8IsLeftToATuple() {
        byte[] row = new MessageRow(0, Instant.EPOCH, "key", Map.of(), new byte[] {1}).encode();
        row[new String(row, StandardCharsets.ISO_8859_1).indexOf("key")] = (byte) 0xC3;

        assertThat(WholeRow.decode(row)).isNull();
        assertThatThrownBy(() -> MessageRow.decode(MessageRow.first(row), new byte[0]))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
