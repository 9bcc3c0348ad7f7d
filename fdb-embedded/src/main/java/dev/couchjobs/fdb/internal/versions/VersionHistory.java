package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.base.BaseMutation;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The contents at each version of the last seconds. Few readers set a read version, so the history keeps full contents
 * only for some versions, and replays mutations for those between: kept contents retain every replaced row, which costs
 * far more memory than the mutations. One thread adds; any thread may read.
 */
final class VersionHistory {
    /** Number of mutations after which contents are kept; a batch is never split. */
    private static final int MAX_REPLAYED_MUTATIONS = 256;
    /** Bytes of mutations after which contents are kept; eviction removes versions up to kept contents only. */
    private static final long MAX_REPLAYED_BYTES = 1 << 20;

    /** The mutations since the previous entry, and the contents after them if they are kept. */
    private record Entry(
            List<BaseMutation> mutations, @Nullable Contents contents) {}

    private final NavigableMap<Long, Entry> entries = new ConcurrentSkipListMap<>();
    private int mutationsSinceKept;
    private long bytesSinceKept;

    VersionHistory(Snapshot first) {
        entries.put(first.version(), new Entry(List.of(), first.contents()));
    }

    /**
     * Adds a version; versions increase from call to call. Versions before {@code oldestReadable} may be evicted. A
     * version without mutations has the contents of the previous one and is not kept: eviction counts mutations.
     */
    void add(long version, Contents contents, List<BaseMutation> mutations, long oldestReadable) {
        if (mutations.isEmpty()) {
            return;
        }
        mutationsSinceKept += mutations.size();
        for (BaseMutation mutation : mutations) {
            bytesSinceKept += mutation instanceof BaseMutation.Put put ? put.value().length : 0;
        }
        boolean keep = mutationsSinceKept >= MAX_REPLAYED_MUTATIONS || bytesSinceKept >= MAX_REPLAYED_BYTES;
        entries.put(version, new Entry(mutations, keep ? contents : null));
        if (keep) {
            mutationsSinceKept = 0;
            bytesSinceKept = 0;
            evictBefore(oldestReadable);
        }
    }

    /** The contents at {@code version}, or null if they are evicted. */
    @Nullable Contents at(long version) {
        Deque<Map.Entry<Long, Entry>> toReplay = new ArrayDeque<>();
        Map.Entry<Long, Entry> entry = entries.floorEntry(version);
        while (entry != null && entry.getValue().contents == null) {
            toReplay.push(entry);
            entry = entries.lowerEntry(entry.getKey());
        }
        Contents contents = entry == null ? null : entry.getValue().contents;
        if (contents == null) {
            return null;
        }
        for (Map.Entry<Long, Entry> replayed : toReplay) {
            contents = contents.with(replayed.getValue().mutations, replayed.getKey());
        }
        return contents;
    }

    /** The number of entries. */
    int size() {
        return entries.size();
    }

    /** Keeps the entries from which the contents at {@code oldestReadable} are replayed. */
    private void evictBefore(long oldestReadable) {
        Map.Entry<Long, Entry> entry = entries.floorEntry(oldestReadable);
        while (entry != null && entry.getValue().contents == null) {
            entry = entries.lowerEntry(entry.getKey());
        }
        if (entry != null) {
            entries.headMap(entry.getKey(), false).clear();
        }
    }
}
