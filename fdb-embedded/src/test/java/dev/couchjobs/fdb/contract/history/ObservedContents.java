package dev.couchjobs.fdb.contract.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a database holds, as far as the workloads can see it. Immutable.
 *
 * @param rows by key
 * @param queue the items of the queue, the oldest first; their keys are versionstamps, which a checker that does not
 *     believe in versions has to do without
 */
record ObservedContents(SortedMap<String, String> rows, List<String> queue) {

    static final ObservedContents NONE = new ObservedContents(Collections.emptySortedMap(), List.of());

    @Nullable String get(String key) {
        return rows.get(key);
    }

    /** The rows of a range, which has none if its end comes first. */
    SortedMap<String, String> between(String begin, String end) {
        return begin.compareTo(end) < 0 ? rows.subMap(begin, end) : Collections.emptySortedMap();
    }

    ObservedContents with(String key, String value) {
        SortedMap<String, String> changed = new TreeMap<>(rows);
        changed.put(key, value);
        return new ObservedContents(changed, queue);
    }

    ObservedContents without(String begin, String end) {
        SortedMap<String, String> changed = new TreeMap<>(rows);
        changed.subMap(begin, end).clear();
        return new ObservedContents(changed, queue);
    }

    ObservedContents withItem(String item) {
        List<String> changed = new ArrayList<>(queue);
        changed.add(item);
        return new ObservedContents(rows, changed);
    }

    ObservedContents withoutItem(String item) {
        List<String> changed = new ArrayList<>(queue);
        changed.remove(item);
        return new ObservedContents(rows, changed);
    }
}
