package dev.couchjobs.fdb.internal.keys;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Ranges that are joined late are the ranges of a {@link RangeSet}. */
class ConflictRangesTest {
    private static final int KEYS = 24;
    private static final int MANY = 10_000;

    @Provide
    Arbitrary<List<KeyRange>> additions() {
        Arbitrary<Integer> numbers = Arbitraries.integers().between(0, KEYS);
        return Combinators.combine(numbers, numbers)
                .as((one, other) -> new KeyRange(key(Math.min(one, other)), key(Math.max(one, other) + 1)))
                .list()
                .ofMaxSize(40);
    }

    private static byte[] key(int number) {
        return new byte[] {(byte) (200 + number)};
    }

    @Property
    void theyAreThoseOfASet(@ForAll("additions") List<KeyRange> additions, @ForAll boolean areReadBetween) {
        ConflictRanges ranges = new ConflictRanges();
        RangeSet set = new RangeSet();
        for (KeyRange range : additions) {
            ranges.add(range);
            set.add(range.begin(), range.end());
            if (areReadBetween) {
                assertSame(ranges, set);
            }
        }
        assertSame(ranges, set);
    }

    /** What a transaction reads again and again is kept once. */
    @Example
    void repeatedAdditionsAreJoined() {
        ConflictRanges ranges = new ConflictRanges();
        RangeSet set = new RangeSet();
        for (int i = 0; i < MANY; i++) {
            KeyRange range = KeyRange.of(key(i * 7 % KEYS));
            ranges.add(range);
            set.add(range.begin(), range.end());
        }
        assertSame(ranges, set);
    }

    private static void assertSame(ConflictRanges ranges, RangeSet set) {
        assertThat(ranges.ranges()).usingRecursiveComparison().isEqualTo(set.ranges());
        assertThat(ranges.bytes(24)).isEqualTo(set.bytes(24));
        assertThat(ranges.isEmpty()).isEqualTo(set.isEmpty());
    }
}
