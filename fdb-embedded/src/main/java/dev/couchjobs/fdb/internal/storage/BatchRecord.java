package dev.couchjobs.fdb.internal.storage;

import dev.couchjobs.fdb.internal.base.BaseMutation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A record of the log: the ceiling, then the mutations of a batch of commits.
 *
 * @param ceiling no version greater than this was handed out before the next record
 */
record BatchRecord(long ceiling, List<BaseMutation> mutations) {
    private static final byte PUT = 1;
    private static final byte REMOVE = 2;
    private static final byte CLEAR = 3;

    static BatchRecord decode(ByteBuffer record) {
        long ceiling = record.getLong();
        List<BaseMutation> mutations = new ArrayList<>();
        while (record.hasRemaining()) {
            byte kind = record.get();
            byte[] key = decodeBytes(record);
            mutations.add(
                    switch (kind) {
                        case PUT -> BaseMutation.put(key, decodeBytes(record));
                        case REMOVE -> BaseMutation.remove(key);
                        case CLEAR -> BaseMutation.clear(key, decodeBytes(record));
                        default -> throw new IllegalArgumentException("A change of the unknown kind " + kind);
                    });
        }
        return new BatchRecord(ceiling, mutations);
    }

    int bytes() {
        int bytes = Long.BYTES;
        for (BaseMutation mutation : mutations) {
            bytes += Byte.BYTES;
            if (mutation instanceof BaseMutation.Put put) {
                bytes += 2 * Integer.BYTES + put.key().length + put.value().length;
            } else if (mutation instanceof BaseMutation.Remove remove) {
                bytes += Integer.BYTES + remove.key().length;
            } else if (mutation instanceof BaseMutation.Clear clear) {
                bytes += 2 * Integer.BYTES + clear.begin().length + clear.end().length;
            }
        }
        return bytes;
    }

    void encode(ByteBuffer into) {
        into.putLong(ceiling);
        for (BaseMutation mutation : mutations) {
            if (mutation instanceof BaseMutation.Put put) {
                encode(into.put(PUT), put.key(), put.value());
            } else if (mutation instanceof BaseMutation.Remove remove) {
                encode(into.put(REMOVE), remove.key());
            } else if (mutation instanceof BaseMutation.Clear clear) {
                encode(into.put(CLEAR), clear.begin(), clear.end());
            }
        }
    }

    private static void encode(ByteBuffer into, byte[]... parts) {
        for (byte[] part : parts) {
            into.putInt(part.length).put(part);
        }
    }

    private static byte[] decodeBytes(ByteBuffer from) {
        byte[] bytes = new byte[from.getInt()];
        from.get(bytes);
        return bytes;
    }
}
