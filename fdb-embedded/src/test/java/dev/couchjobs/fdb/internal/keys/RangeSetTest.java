package dev.couchjobs.fdb.internal.keys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangeSetTest {
    private static final int KEYS = 24;

    record Change(boolean add, int begin, int end) {}

    @Test
    void itHoldsTheKeysThatASetOfNumbersHolds() {
        Samples.check(1_000, samples -> {
            List<Change> changes = changes(samples);

            RangeSet set = new RangeSet();
            BitSet model = new BitSet();
            changes.forEach(change -> apply(change, set, model));
            for (int number = 0; number < KEYS; number++) {
                assertThat(set.contains(key(number))).isEqualTo(model.get(number));
            }
            assertThat(keysIn(set.ranges())).isEqualTo(model);
            assertThat(set.isEmpty()).isEqualTo(model.isEmpty());
        });
    }

    @Test
    void itsRangesNeitherOverlapNorTouch() {
        Samples.check(1_000, samples -> {
            List<Change> changes = changes(samples);

            RangeSet set = new RangeSet();
            changes.forEach(change -> apply(change, set, new BitSet()));
            List<KeyRange> ranges = set.ranges();
            for (int i = 0; i < ranges.size(); i++) {
                assertThat(ranges.get(i).isEmpty()).isFalse();
                if (i > 0) {
                    assertThat(Bytes.less(ranges.get(i - 1).end(), ranges.get(i).begin()))
                            .isTrue();
                }
            }
        });
    }

    @Test
    void aPartOfItIsTheIntersection() {
        Samples.check(1_000, samples -> {
            List<Change> changes = changes(samples);
            int begin = samples.between(0, KEYS);
            int end = samples.between(0, KEYS);

            RangeSet set = new RangeSet();
            BitSet model = new BitSet();
            changes.forEach(change -> apply(change, set, model));
            model.clear(0, begin);
            model.clear(Math.max(0, end), KEYS + 1);
            assertThat(keysIn(set.within(key(begin), key(end)))).isEqualTo(model);
            assertThat(set.intersects(key(begin), key(end))).isEqualTo(!model.isEmpty());
        });
    }

    @Test
    void neighboursBecomeOneRange() {
        RangeSet set = new RangeSet();
        set.add(key(1), key(2));
        set.add(key(2), key(3));
        assertThat(set.ranges()).hasSize(1);
    }

    private static List<Change> changes(Samples samples) {
        return samples.list(0, 20, RangeSetTest::change);
    }

    private static Change change(Samples samples) {
        return new Change(!samples.isOneOf(3), samples.between(0, KEYS - 1), samples.between(0, KEYS - 1));
    }

    private static void apply(Change change, RangeSet set, BitSet model) {
        boolean proper = change.begin < change.end;
        if (change.add) {
            set.add(key(change.begin), key(change.end));
        } else {
            set.remove(key(change.begin), key(change.end));
        }
        if (proper) {
            model.set(change.begin, change.end, change.add);
        }
    }

    private static BitSet keysIn(List<KeyRange> ranges) {
        BitSet keys = new BitSet();
        ranges.forEach(range -> keys.set(range.begin()[0], range.end()[0]));
        return keys;
    }

    private static byte[] key(int number) {
        return new byte[] {(byte) number};
    }
}
