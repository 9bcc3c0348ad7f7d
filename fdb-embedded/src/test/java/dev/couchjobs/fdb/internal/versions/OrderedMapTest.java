package dev.couchjobs.fdb.internal.versions;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static dev.couchjobs.fdb.embedded.TestKeys.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.fdb.embedded.TestKeys;
import dev.couchjobs.fdb.testing.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OrderedMapTest {
    private enum Kind {
        PUT,
        PUT_ALL,
        REMOVE,
        REMOVE_RANGE
    }

    /**
     * @param handedOver whether a reader keeps the map before the change, so that the change needs a new owner token
     */
    record Change(Kind kind, String first, String second, boolean handedOver) {}

    private Object owner = new Object();

    @Test
    void itHoldsWhatATreeMapHolds() {
        Samples.check(1_000, samples -> {
            List<Change> changes = changes(samples);
            String probe = TestKeys.name(samples);

            OrderedMap<byte[]> map = OrderedMap.empty(Summary.TOTAL_BYTES);
            NavigableMap<String, String> model = new TreeMap<>();
            List<OrderedMap<byte[]>> kept = new ArrayList<>();
            List<List<String>> contents = new ArrayList<>();
            for (Change change : changes) {
                if (change.handedOver) {
                    kept.add(map);
                    contents.add(ascending(map, ""));
                }
                map = changed(map, model, change);
            }
            assertThat(kept.stream().map(each -> ascending(each, ""))).isEqualTo(contents);
            assertThat(ascending(map, "")).containsExactlyElementsOf(entries(model));
            assertThat(map.size()).isEqualTo(model.size());
            assertThat(textOf(map.get(key(probe)))).isEqualTo(model.get(probe));
            assertThat(keyOf(map.floor(key(probe)))).isEqualTo(model.floorKey(probe));
            assertThat(keyOf(map.lower(key(probe)))).isEqualTo(model.lowerKey(probe));
        });
    }

    @Test
    void cursorsWalkBothWaysFromAnyKey() {
        Samples.check(1_000, samples -> {
            List<Change> changes = changes(samples);
            String from = TestKeys.name(samples);

            NavigableMap<String, String> model = new TreeMap<>();
            OrderedMap<byte[]> map = built(changes, model);
            assertThat(ascending(map, from)).containsExactlyElementsOf(entries(model.tailMap(from, true)));
            assertThat(walked(map.descending(key(from))))
                    .containsExactlyElementsOf(
                            entries(model.headMap(from, false).descendingMap()));
        });
    }

    @Test
    void ranksAndSummariesAreThoseOfTheRange() {
        Samples.check(1_000, samples -> {
            List<Change> changes = changes(samples);
            String begin = TestKeys.name(samples);
            String end = TestKeys.name(samples);

            NavigableMap<String, String> model = new TreeMap<>();
            OrderedMap<byte[]> map = built(changes, model);
            assertThat(map.rank(key(begin)))
                    .isEqualTo(model.headMap(begin, false).size());
            int index = 0;
            for (String name : model.keySet()) {
                assertThat(text(map.select(index++).key)).isEqualTo(name);
            }
            long bytes = begin.compareTo(end) >= 0
                    ? 0
                    : model.subMap(begin, end).entrySet().stream()
                            .mapToLong(entry ->
                                    entry.getKey().length() + entry.getValue().length())
                            .sum();
            assertThat(map.summary(key(begin), key(end))).isEqualTo(bytes);
        });
    }

    @Test
    void selectingBehindTheLastKeyFails() {
        OrderedMap<byte[]> map = OrderedMap.empty(Summary.TOTAL_BYTES).put(key("a"), key("1"));
        assertThatThrownBy(() -> map.select(1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void removingWhatIsNotThereKeepsTheMap() {
        OrderedMap<byte[]> map = OrderedMap.empty(Summary.TOTAL_BYTES).put(key("b"), key("1"));
        assertThat(map.remove(key("a"), owner)).isSameAs(map);
        assertThat(map.removeRange(key("c"), key("d"), owner)).isSameAs(map);
        assertThat(map.removeRange(key("c"), key("a"), owner)).isSameAs(map);
    }

    private static List<Change> changes(Samples samples) {
        return samples.list(0, 60, OrderedMapTest::change);
    }

    private static Change change(Samples samples) {
        return new Change(
                samples.of(Kind.values()), TestKeys.name(samples), TestKeys.name(samples), samples.isOneOf(3));
    }

    private OrderedMap<byte[]> built(List<Change> changes, NavigableMap<String, String> model) {
        OrderedMap<byte[]> map = OrderedMap.empty(Summary.TOTAL_BYTES);
        for (Change change : changes) {
            map = changed(map, model, change);
        }
        return map;
    }

    private OrderedMap<byte[]> changed(OrderedMap<byte[]> map, NavigableMap<String, String> model, Change change) {
        if (change.handedOver) {
            owner = new Object();
        }
        switch (change.kind) {
            case PUT -> model.put(change.first, change.second);
            case PUT_ALL -> ascendingNames(change).forEach(name -> model.put(name, change.second));
            case REMOVE -> model.remove(change.first);
            case REMOVE_RANGE ->
                model.keySet().removeIf(name -> name.compareTo(change.first) >= 0 && name.compareTo(change.second) < 0);
        }
        return switch (change.kind) {
            case PUT -> map.put(key(change.first), key(change.second), owner);
            case PUT_ALL ->
                map.putAll(
                        ascendingNames(change).stream().map(TestKeys::key).toList(),
                        ascendingNames(change).stream()
                                .map(name -> key(change.second))
                                .toList(),
                        owner);
            case REMOVE -> map.remove(key(change.first), owner);
            case REMOVE_RANGE -> map.removeRange(key(change.first), key(change.second), owner);
        };
    }

    /** The prefixes of both names. */
    private static List<String> ascendingNames(Change change) {
        return Stream.of(change.first, change.second)
                .flatMap(name -> IntStream.rangeClosed(0, name.length()).mapToObj(length -> name.substring(0, length)))
                .distinct()
                .sorted()
                .toList();
    }

    private static List<String> ascending(OrderedMap<byte[]> map, String from) {
        return walked(map.ascending(key(from)));
    }

    private static List<String> walked(Cursor<byte[]> cursor) {
        List<String> seen = new ArrayList<>();
        for (MapNode<byte[]> node = cursor.peek(); node != null; node = cursor.peek()) {
            seen.add(text(node.key) + "=" + text(node.value));
            cursor.advance();
        }
        return seen;
    }

    private static List<String> entries(Map<String, String> model) {
        return model.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .toList();
    }

    private static @Nullable String textOf(byte @Nullable [] value) {
        return value == null ? null : text(value);
    }

    private static @Nullable String keyOf(@Nullable MapNode<byte[]> node) {
        return node == null ? null : text(node.key);
    }
}
