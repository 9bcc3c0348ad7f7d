package dev.couchjobs.internal.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.testing.Samples;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** {@link TupleWriter} writes what FoundationDB's {@code Tuple} writes, and {@link TupleReader} reads it. */
class TupleBytesTest {
    private static final byte[] PREFIX = {7, 0};

    @Test
    void numbers() {
        Samples.check(1_000, samples -> checkNumbers(samples.anyLong(), samples.anyInt()));
    }

    private static void checkNumbers(long value, int small) {
        check(
                Tuple.from(value, (long) small, -1L, 255L, 256L),
                new TupleWriter(1).add(value).add(small).add(-1).add(255).add(256));
        TupleReader reader = new TupleReader(Tuple.from(value, (long) small).pack());
        assertThat(reader.readLong()).isEqualTo(value);
        assertThat(reader.readInt()).isEqualTo(small);
        assertThat(reader.hasNext()).isFalse();
    }

    @Test
    void theLeastAndTheGreatestNumber() {
        checkNumbers(Long.MIN_VALUE, Integer.MIN_VALUE);
        checkNumbers(Long.MAX_VALUE, Integer.MAX_VALUE);
        checkNumbers(Long.MIN_VALUE + 1, 0);
    }

    @Test
    void texts() {
        Samples.check(1_000, samples -> {
            String first = text(samples);
            String second = samples.isOneOf(8) ? null : text(samples);

            check(Tuple.from(first, second), new TupleWriter(1).add(first).addNullable(second));
            TupleReader reader = new TupleReader(Tuple.from(first, second).pack());
            assertThat(reader.readString()).isEqualTo(first);
            assertThat(reader.readNullableString()).isEqualTo(second);
            assertThat(reader.hasNext()).isFalse();
        });
    }

    @Test
    void bytesAndIds() {
        Samples.check(1_000, samples -> {
            byte[] value = samples.bytes(20);
            long most = samples.anyLong();
            long least = samples.anyLong();

            UUID id = new UUID(most, least);
            check(
                    Tuple.from(value, id, true, null, false),
                    new TupleWriter(1)
                            .add(value)
                            .addNullable(id)
                            .add(true)
                            .addNull()
                            .add(false));
            TupleReader reader =
                    new TupleReader(Tuple.from(value, id, true, null, false).pack());
            assertThat(reader.readBytes()).isEqualTo(value);
            assertThat(reader.readUuid()).isEqualTo(id);
            assertThat(reader.readBoolean()).isTrue();
            assertThat(reader.skipNull()).isTrue();
            assertThat(reader.readBoolean()).isFalse();
            assertThat(reader.hasNext()).isFalse();
        });
    }

    @Test
    void nestedTuples() {
        Samples.check(1_000, samples -> {
            String text = text(samples);
            long number = samples.anyLong();
            double fraction = samples.anyDouble();

            Tuple tuple = Tuple.from(Tuple.from(text, null, Tuple.from(number, null), number), fraction);
            check(
                    tuple,
                    new TupleWriter(1)
                            .beginNested()
                            .add(text)
                            .addNull()
                            .beginNested()
                            .add(number)
                            .addNull()
                            .endNested(true)
                            .add(number)
                            .endNested(false)
                            .add(fraction));
            TupleReader reader = new TupleReader(tuple.pack());
            reader.beginNested();
            assertThat(reader.readString()).isEqualTo(text);
            assertThat(reader.skipNull()).isTrue();
            reader.beginNested();
            assertThat(reader.readLong()).isEqualTo(number);
            reader.endNested();
            assertThat(reader.readLong()).isEqualTo(number);
            assertThat(reader.skipNull()).as("as at its end").isTrue();
            reader.endNested();
            assertThat(reader.readDouble()).isEqualTo(fraction);
            assertThat(reader.hasNext()).isFalse();
        });
    }

    @Test
    void whatIsLeftOfATupleIsPassedOver() {
        Samples.check(1_000, samples -> {
            String text = text(samples);
            long number = samples.anyLong();
            double fraction = samples.anyDouble();

            Tuple more = Tuple.from(text, number, fraction, 1.5f, null, true, new byte[] {0, 1}, new UUID(number, 0));
            TupleReader reader = new TupleReader(Tuple.from(more.add(more), Versionstamp.complete(new byte[10]), 1)
                    .pack());
            reader.beginNested();
            reader.endNested();
            reader.skipRest();
            assertThat(reader.hasNext()).isFalse();
        });
    }

    @Test
    void versionstamps() {
        Samples.check(1_000, samples -> {
            byte[] stamp = samples.bytes(10, 10);
            int userVersion = samples.between(0, 0xFFFF);

            stamp[0] = 0; // or it could be incomplete
            Versionstamp complete = Versionstamp.complete(stamp, userVersion);
            check(Tuple.from(complete), new TupleWriter(1).add(complete));
            assertThat(new TupleReader(Tuple.from(complete).pack()).readVersionstamp())
                    .isEqualTo(complete);
            byte[] placeholder = new byte[10];
            Arrays.fill(placeholder, (byte) 0xFF);
            byte[] operand =
                    new TupleWriter(PREFIX, 0).addPlaceholder(userVersion).toOperand(PREFIX.length);
            assertThat(operand)
                    .startsWith(PREFIX)
                    .endsWith(3, 0, 0, 0)
                    .contains(Tuple.from(Versionstamp.complete(placeholder, userVersion))
                            .pack());
        });
    }

    /** As many ways as there are, and none of them goes on for ever or reads what is not there. */
    @Test
    void damagedBytesThrow() {
        Samples.check(1_000, samples -> {
            byte[] bytes = samples.bytes(30);

            Object expected;
            try {
                expected = Tuple.fromBytes(bytes).size();
            } catch (RuntimeException e) {
                expected = RuntimeException.class;
            }
            if (expected.equals(RuntimeException.class)) {
                return; // a reader may pass over what Tuple refuses, but it ends
            }
            new TupleReader(bytes).skipRest();
        });
    }

    @Test
    void elementsOfAnotherKindThrow() {
        byte[] text = Tuple.from("text").pack();
        assertThatThrownBy(() -> new TupleReader(text).readLong()).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> new TupleReader(text).readBoolean()).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> new TupleReader(text).readUuid()).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> new TupleReader(text).readVersionstamp()).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> new TupleReader(text).beginNested()).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> new TupleReader(new byte[0]).readLong()).isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> new TupleReader(Arrays.copyOf(text, 3)).readString())
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> new TupleReader(new byte[] {2, (byte) 0x80, 0}).readString())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TupleWriter(1).add("\ud800")).isInstanceOf(IllegalArgumentException.class);
    }

    /** Well-formed: a writer refuses any other. */
    private static String text(Samples samples) {
        byte[] bytes = samples.text(40).getBytes(StandardCharsets.UTF_8);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void check(Tuple expected, TupleWriter actual) {
        assertThat(actual.toBytes()).isEqualTo(expected.pack());
    }
}
