package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.Keys.key;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class RangeEstimatesTest {
    private static final int VALUE_BYTES = 5;

    @Property
    void chunksAreAsLargeAsTheyMayBe(
            @ForAll("stored") List<String> stored, @ForAll @IntRange(min = 1, max = 60) int size) {
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
    }

    @Provide
    Arbitrary<List<String>> stored() {
        return Keys.names().list().ofMaxSize(40);
    }
}
