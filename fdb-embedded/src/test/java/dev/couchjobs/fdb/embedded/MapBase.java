package dev.couchjobs.fdb.embedded;

import dev.couchjobs.fdb.internal.base.Base;
import dev.couchjobs.fdb.internal.base.BaseCursor;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.keys.Bytes;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A base in memory whose cursors show the state at which they were opened. For one thread. */
public final class MapBase implements Base {
    private NavigableMap<byte[], byte[]> map = new TreeMap<>(Bytes.ORDER);
    private long version;
    private int open;

    /** Cursors not closed yet. */
    public int open() {
        return open;
    }

    public int size() {
        return map.size();
    }

    @Override
    public long version() {
        return version;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return map.get(key);
    }

    @Override
    public BaseCursor ascending(byte[] from) {
        return new MapCursor(map.tailMap(from, true));
    }

    @Override
    public BaseCursor descending(byte[] before) {
        return new MapCursor(map.headMap(before, false).descendingMap());
    }

    @Override
    public void apply(long newVersion, List<BaseMutation> mutations) {
        NavigableMap<byte[], byte[]> next = new TreeMap<>(map);
        for (BaseMutation mutation : mutations) {
            if (mutation instanceof BaseMutation.Put put) {
                next.put(put.key(), put.value());
            } else if (mutation instanceof BaseMutation.Remove remove) {
                next.remove(remove.key());
            } else if (mutation instanceof BaseMutation.Clear clear) {
                next.subMap(clear.begin(), true, clear.end(), false).clear();
            }
        }
        map = next;
        version = newVersion;
    }

    @Override
    public long makeDurable() {
        return version;
    }

    @Override
    public void copyTo(Path directory) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long estimatedBytes(byte[] begin, byte[] end) {
        return map.subMap(begin, true, end, false).entrySet().stream()
                .mapToLong(entry -> entry.getKey().length + entry.getValue().length)
                .sum();
    }

    @Override
    public void close() {}

    private final class MapCursor implements BaseCursor {
        private final NavigableMap<byte[], byte[]> entries;
        private Map.@Nullable Entry<byte[], byte[]> entry;

        MapCursor(NavigableMap<byte[], byte[]> entries) {
            this.entries = entries;
            this.entry = entries.firstEntry();
            open++;
        }

        @Override
        public byte @Nullable [] key() {
            return entry == null ? null : entry.getKey();
        }

        @Override
        public byte[] value() {
            return current().getValue();
        }

        @Override
        public void advance() {
            entry = entries.higherEntry(current().getKey());
        }

        @Override
        public void close() {
            open--;
        }

        private Map.Entry<byte[], byte[]> current() {
            if (entry == null) {
                throw new IllegalStateException("past the last key");
            }
            return entry;
        }
    }
}
