package dev.couchjobs.fdb.internal.client;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.embedded.MapBase;
import dev.couchjobs.fdb.embedded.TestKeys;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.storage.EmptyRangeHint;
import dev.couchjobs.fdb.internal.storage.LayeredContents;
import dev.couchjobs.fdb.internal.storage.LayeredEdit;
import dev.couchjobs.fdb.internal.storage.Overlay;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.MemoryContents;
import dev.couchjobs.fdb.internal.versions.OrderedMap;
import dev.couchjobs.fdb.internal.versions.Summary;
import dev.couchjobs.fdb.testing.Samples;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangeEstimatesTest {
    private static final int VALUE_BYTES = 5;
    private static final long ROW_BYTES = VALUE_BYTES + 6L; // the keys are k10000 to k99999

    @Test
    void chunksAreAsLargeAsTheyMayBe() {
        Samples.check(1_000, samples -> {
            List<String> stored = stored(samples);
            int size = samples.between(1, 60);

            OrderedMap<byte[]> data = OrderedMap.empty(Summary.TOTAL_BYTES);
            for (String name : stored) {
                data = data.put(key(name), new byte[VALUE_BYTES]);
            }
            List<byte[]> points = new RangeEstimates(new MemoryContents(data))
                    .splitPoints(key("a"), key("d"), size)
                    .getKeys();
            assertThat(points.get(0)).isEqualTo(key("a"));
            assertThat(points.get(points.size() - 1)).isEqualTo(key("d"));
            for (int i = 1; i < points.size(); i++) {
                byte[] begin = points.get(i - 1);
                byte[] end = points.get(i);
                assertThat(Bytes.less(begin, end)).isTrue();
                int keys = data.rank(end) - data.rank(begin);
                assertThat(keys <= 1 || data.summary(begin, end) <= size).isTrue();
                boolean last = i == points.size() - 1;
                assertThat(last || data.summary(begin, Bytes.after(end)) > size).isTrue();
            }
        });
    }

    /** Each row is in the overlay and, with an older value, in the base as well. */
    @Test
    void aRowThatIsSetAgainCountsOnce() {
        assertThat(bytes(layered(100, 1))).isEqualTo(100 * ROW_BYTES);
        assertThat(bytes(layered(30_000, 1))).isBetween(29_000 * ROW_BYTES, 31_000 * ROW_BYTES);
    }

    @Test
    void whatIsClearedNoLongerCounts() {
        LayeredContents contents = layered(30_000, 1);
        LayeredEdit edit = new LayeredEdit(contents, 2);
        edit.clear(key("k10100"), key("l"));
        assertThat(bytes(edit.contents())).isEqualTo(100 * ROW_BYTES);
        edit.clear(key("k"), key("l"));
        assertThat(bytes(edit.contents())).isZero();
    }

    private static long bytes(Contents contents) {
        return new RangeEstimates(contents).bytes(key("a"), key("z"));
    }

    private static LayeredContents layered(int rows, long version) {
        MapBase base = new MapBase();
        List<BaseMutation> older = new ArrayList<>();
        LayeredEdit edit =
                new LayeredEdit(new LayeredContents(Overlay.empty(0), base, new EmptyRangeHint(1)), version + 1);
        for (int i = 10_000; i < 10_000 + rows; i++) {
            older.add(BaseMutation.put(key("k" + i), new byte[VALUE_BYTES]));
            edit.set(key("k" + i), new byte[VALUE_BYTES]);
        }
        base.apply(version, older);
        return edit.contents();
    }

    private static List<String> stored(Samples samples) {
        return samples.list(0, 40, TestKeys::name);
    }
}
