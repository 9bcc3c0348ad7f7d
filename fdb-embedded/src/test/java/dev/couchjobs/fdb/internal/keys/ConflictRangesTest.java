package dev.couchjobs.fdb.internal.keys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ranges that are joined late are the ranges of a {@link RangeSet}. */
class ConflictRangesTest {
    private static final int KEYS = 24;
    private static final int MANY = 10_000;

    private static List<KeyRange> additions(Samples samples) {
        return samples.list(0, 40, ConflictRangesTest::range);
    }

    private static KeyRange range(Samples samples) {
        int one = samples.between(0, KEYS);
        int other = samples.between(0, KEYS);
        return new KeyRange(key(Math.min(one, other)), key(Math.max(one, other) + 1));
    }

    private static byte[] key(int number) {
        return new byte[] {(byte) (200 + number)};
    }

    @Test
    void theyAreThoseOfASet() {
        Samples.check(1_000, samples -> {
            List<KeyRange> additions = additions(samples);
            boolean areReadBetween = samples.anyBoolean();

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
        });
    }

    /** What a transaction reads again and again is kept once. */
    @Test
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
