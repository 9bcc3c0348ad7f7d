package dev.couchjobs.fdb.internal.watches;

import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.CommitStamp;
import dev.couchjobs.fdb.internal.keys.KeyRange;
import dev.couchjobs.fdb.internal.versions.Contents;
import dev.couchjobs.fdb.internal.versions.WriteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
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
     * Fires at once if the value differs from the one that the transaction saw. A cancelled watch is not kept.
     */
    public void arm(Watch watch, Contents contents) {
        if (watch.future().isDone()) {
            return;
        }
        if (watch.differsFrom(contents.get(watch.key()))) {
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

    /** Fires the watches of the keys that a commit has written, if the value differs from the one they saw. */
    public void fire(WriteBuffer writes, CommitStamp stamp, Contents contents) {
        if (armed.size() > writes.size()) {
            writes.forEachTouched(stamp, range -> fire(range, contents), key -> fire(key, contents));
            return;
        }
        for (byte[] key : List.copyOf(armed.keySet())) {
            if (writes.touches(key)) {
                fire(key, contents);
            }
        }
        writes.stampedKeys(stamp).forEach(key -> fire(key, contents));
    }

    /** Fires the watches of keys in {@code touched} whose value differs from the one that the transaction saw. */
    private void fire(KeyRange touched, Contents contents) {
        for (byte[] key : List.copyOf(
                armed.subMap(touched.begin(), true, touched.end(), false).keySet())) {
            fire(key, contents);
        }
    }

    /** Fires the watches of a key if its value differs from the one that their transactions saw. */
    private void fire(byte[] key, Contents contents) {
        Set<Watch> watches = armed.get(key);
        if (watches == null) {
            return;
        }
        byte[] value = contents.get(key);
        for (Watch watch : List.copyOf(watches)) {
            if (watch.differsFrom(value)) {
                disarm(watch);
                watch.fire();
            }
        }
    }
}
