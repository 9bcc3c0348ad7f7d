package dev.couchjobs.fdb.internal.watches;

import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.versions.Contents;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** The armed watches by key. Belongs to the commit pipeline, hence not thread-safe. */
public final class WatchTable {
    private final NavigableMap<byte[], Set<Watch>> armed = new TreeMap<>(Bytes.ORDER);

    public boolean isEmpty() {
        return armed.isEmpty();
    }

    /**
     * Fires at once if the key has changed since it was seen; a watch that no caller waits for any more is not kept.
     */
    public void arm(Watch watch, Contents data) {
        if (watch.future().isDone()) {
            return;
        }
        if (watch.differsFrom(data.get(watch.key()))) {
            watch.fire();
        } else {
            armed.computeIfAbsent(watch.key(), key -> new LinkedHashSet<>()).add(watch);
        }
    }

    public void disarm(Watch watch) {
        Set<Watch> watches = armed.get(watch.key());
        if (watches != null && watches.remove(watch) && watches.isEmpty()) {
            armed.remove(watch.key());
        }
    }

    /** Fires what waits for a key in {@code touched} that now has another value than the one seen. */
    public void fire(KeyRange touched, Contents data) {
        List<Watch> fired = new ArrayList<>();
        for (Map.Entry<byte[], Set<Watch>> entry :
                armed.subMap(touched.begin(), true, touched.end(), false).entrySet()) {
            byte[] value = data.get(entry.getKey());
            entry.getValue().stream().filter(watch -> watch.differsFrom(value)).forEach(fired::add);
        }
        for (Watch watch : fired) {
            disarm(watch);
            watch.fire();
        }
    }
}
