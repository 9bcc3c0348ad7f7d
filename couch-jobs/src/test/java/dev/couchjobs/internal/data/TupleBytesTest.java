package dev.couchjobs.internal.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import java.util.Arrays;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.WithNull;

/** {@link TupleWriter} writes what FoundationDB's {@code Tuple} writes, and {@link TupleReader} reads it. */
class TupleBytesTest {
    private static final byte[] PREFIX = {7, 0};

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.strings().all().ofMaxLength(40).filter(Keyspace::isWellFormed);
    }

    @Property
    void numbers(@ForAll long value, @ForAll int small) {
        check(
                Tuple.from(value, (long) small, -1L, 255L, 256L),
                new TupleWriter(1).add(value).add(small).add(-1).add(255).add(256));
        TupleReader reader = new TupleReader(Tuple.from(value, (long) small).pack());
        assertThat(reader.readLong()).isEqualTo(value);
        assertThat(reader.readInt()).isEqualTo(small);
        assertThat(reader.hasNext()).isFalse();
    }

    @Example
    void theLeastAndTheGreatestNumber() {
        numbers(Long.MIN_VALUE, Integer.MIN_VALUE);
        numbers(Long.MAX_VALUE, Integer.MAX_VALUE);
        numbers(Long.MIN_VALUE + 1, 0);
    }

    @Property
    void texts(@ForAll("texts") String first, @ForAll("texts") @WithNull String second) {
        check(Tuple.from(first, second), new TupleWriter(1).add(first).addNullable(second));
        TupleReader reader = new TupleReader(Tuple.from(first, second).pack());
        assertThat(reader.readString()).isEqualTo(first);
        assertThat(reader.readNullableString()).isEqualTo(second);
        assertThat(reader.hasNext()).isFalse();
    }

    @Property
    void bytesAndIds(@ForAll @Size(max = 20) byte[] value, @ForAll long most, @ForAll long least) {
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
    }

    @Property
    void nestedTuples(@ForAll("texts") String text, @ForAll long number, @ForAll double fraction) {
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
    }

    @Property
    void whatIsLeftOfATupleIsPassedOver(@ForAll("texts") String text, @ForAll long number, @ForAll double fraction) {
        Tuple more = Tuple.from(text, number, fraction, 1.5f, null, true, new byte[] {0, 1}, new UUID(number, 0));
        TupleReader reader = new TupleReader(Tuple.from(more.add(more), Versionstamp.complete(new byte[10]), 1)
                .pack());
        reader.beginNested();
        reader.endNested();
        reader.skipRest();
        assertThat(reader.hasNext()).isFalse();
    }

    @Property
    void versionstamps(@ForAll @Size(10) byte[] stamp, @ForAll short userVersion) {
        stamp[0] = 0; // or it could be incomplete
        Versionstamp complete = Versionstamp.complete(stamp, userVersion & 0xFFFF);
        check(Tuple.from(complete), new TupleWriter(1).add(complete));
        assertThat(new TupleReader(Tuple.from(complete).pack()).readVersionstamp())
                .isEqualTo(complete);
        byte[] placeholder = new byte[10];
        Arrays.fill(placeholder, (byte) 0xFF);
        byte[] operand =
                new TupleWriter(PREFIX, 0).addPlaceholder(userVersion & 0xFFFF).toOperand(PREFIX.length);
        assertThat(operand)
                .startsWith(PREFIX)
                .endsWith(3, 0, 0, 0)
                .contains(Tuple.from(Versionstamp.complete(placeholder, userVersion & 0xFFFF))
                        .pack());
    }

    /** As many ways as there are, and none of them goes on for ever or reads what is not there. */
    @Property
    void damagedBytesThrow(@ForAll @Size(max = 30) byte[] bytes) {
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
    }

    @Example
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

    private static void check(Tuple expected, TupleWriter actual) {
        assertThat(actual.toBytes()).isEqualTo(expected.pack());
    }
}
