package dev.couchjobs.fdb.internal.versions;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.fdb.embedded.StorageFullException;
import dev.couchjobs.fdb.internal.base.BaseMutation;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.internal.keys.Bytes;
import dev.couchjobs.fdb.internal.keys.CommitStamp;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Contents in one immutable map, which also counts keys and bytes. */
public record MemoryContents(OrderedMap<byte[]> map) implements Contents {
    public static final MemoryContents EMPTY = new MemoryContents(OrderedMap.empty(Summary.TOTAL_BYTES));

    @Override
    public byte @Nullable [] get(byte[] key) {
        return map.get(key);
    }

    @Override
    public Scan ascending(byte[] from, byte[] end) {
        return new MapScan(map.ascending(from));
    }

    @Override
    public Scan descending(byte[] before, byte[] end) {
        return new MapScan(map.descending(before));
    }

    @Override
    public MemoryContents with(List<BaseMutation> mutations, long version) {
        MemoryEdit edit = new MemoryEdit(map);
        mutations.forEach(edit::redo);
        return edit.contents();
    }

    @Override
    public long bytes(byte[] begin, byte[] end) {
        return map.summary(begin, end);
    }

    @Override
    public List<byte[]> splitPoints(byte[] begin, byte[] end, long chunkBytes) {
        List<byte[]> points = new ArrayList<>();
        byte[] point = nextPoint(begin, end, chunkBytes);
        while (Bytes.less(point, end)) {
            points.add(point);
            point = nextPoint(point, end, chunkBytes);
        }
        return points;
    }

    /** The last key at which the chunk from {@code from} stays within the size, but at least the second key. */
    private byte[] nextPoint(byte[] from, byte[] end, long chunkBytes) {
        int low = map.rank(from) + 1;
        int high = map.rank(end);
        if (map.summary(from, end) <= chunkBytes || low >= high) {
            return end;
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (map.summary(from, map.select(middle).key) <= chunkBytes) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return map.select(Math.max(map.rank(from) + 1, low - 1)).key;
    }

    /** An edit of contents in memory. */
    public static final class MemoryEdit implements Edit {
        /** Overhead of a row besides its key and value: a tree node, and two arrays. */
        private static final long BYTES_PER_ROW = 96;

        private final long maxBytes;
        private final List<BaseMutation> mutations = new ArrayList<>();
        private OrderedMap<byte[]> map;
        private Object owner = new Object();

        public MemoryEdit(OrderedMap<byte[]> map) {
            this(map, Long.MAX_VALUE);
        }

        /** Rejects transactions that grow the rows beyond {@code maxBytes}. */
        public MemoryEdit(OrderedMap<byte[]> map, long maxBytes) {
            this.map = map;
            this.maxBytes = maxBytes;
        }

        /** If the limit is reached, transactions that do not grow the rows still pass. */
        @Override
        public @Nullable FDBException apply(WriteBuffer writes, long size, CommitStamp stamp) {
            long bytes = bytes();
            if (bytes + size + BYTES_PER_ROW * writes.size() <= maxBytes) {
                writes.applyTo(this, stamp);
                return null;
            }
            OrderedMap<byte[]> before = map;
            int mutationsBefore = mutations.size();
            owner = new Object(); // keeps the map before valid, which may be restored
            writes.applyTo(this, stamp);
            if (bytes() <= Math.max(maxBytes, bytes)) {
                return null;
            }
            map = before;
            owner = new Object();
            mutations.subList(mutationsBefore, mutations.size()).clear();
            return FdbError.IO_ERROR.exception(new StorageFullException(
                    "The database in memory has rows of " + bytes + " bytes, and may have " + maxBytes
                            + ", half of the heap. The commit did not happen. Clear some rows, give the process more"
                            + " heap (-Xmx), or open the database in a directory, where memory does not limit it.",
                    null,
                    null));
        }

        private long bytes() {
            return map.summary() + BYTES_PER_ROW * map.size();
        }

        @Override
        public byte @Nullable [] get(byte[] key) {
            return map.get(key);
        }

        @Override
        public void set(byte[] key, byte[] value) {
            map = map.put(key, value, owner);
            mutations.add(BaseMutation.put(key, value));
        }

        @Override
        public void setAll(List<byte[]> keys, List<byte[]> values) {
            map = map.putAll(keys, values, owner);
            for (int i = 0; i < keys.size(); i++) {
                mutations.add(BaseMutation.put(keys.get(i), values.get(i)));
            }
        }

        @Override
        public void clear(byte[] begin, byte[] end) {
            map = map.removeRange(begin, end, owner);
            mutations.add(new BaseMutation.Clear(begin, end));
        }

        @Override
        public void clear(byte[] key) {
            map = map.remove(key, owner);
            mutations.add(BaseMutation.remove(key));
        }

        private void redo(BaseMutation mutation) {
            if (mutation instanceof BaseMutation.Put put) {
                set(put.key(), put.value());
            } else if (mutation instanceof BaseMutation.Remove remove) {
                clear(remove.key());
            } else if (mutation instanceof BaseMutation.Clear range) {
                clear(range.begin(), range.end());
            }
        }

        @Override
        public List<BaseMutation> mutations() {
            return mutations;
        }

        @Override
        public MemoryContents contents() {
            owner = new Object(); // keeps the returned contents valid
            return new MemoryContents(map);
        }
    }
}
