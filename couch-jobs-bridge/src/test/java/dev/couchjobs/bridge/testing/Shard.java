package dev.couchjobs.bridge.testing;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** The documents of a part of a database, in the order of their last changes. */
final class Shard {
    private final NavigableMap<Long, String> ids = new TreeMap<>();
    private final Map<String, Long> sequences = new HashMap<>();
    private long last;

    record Row(long sequence, String id) {}

    void changed(String id) {
        last++;
        Long former = sequences.put(id, last);
        if (former != null) {
            ids.remove(former);
        }
        ids.put(last, id);
    }

    Optional<Row> after(long sequence) {
        return Optional.ofNullable(ids.higherEntry(sequence)).map(entry -> new Row(entry.getKey(), entry.getValue()));
    }
}
