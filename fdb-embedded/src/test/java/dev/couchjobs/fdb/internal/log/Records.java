package dev.couchjobs.fdb.internal.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Collects what is replayed. */
final class Records implements Replay {
    private final List<String> records = new ArrayList<>();

    @Override
    public void record(long version, ByteBuffer payload) {
        byte[] bytes = new byte[payload.remaining()];
        payload.get(bytes);
        records.add(text(version, bytes));
    }

    /** Version and payload, so that failures can be read. */
    static String text(long version, byte[] payload) {
        return version + ":" + payload.length + ":" + Integer.toHexString(Arrays.hashCode(payload));
    }

    List<String> list() {
        return records;
    }
}
