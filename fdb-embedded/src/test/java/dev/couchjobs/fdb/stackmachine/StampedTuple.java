package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Packs a tuple whose versionstamp is still open; the tuple layer's own way to do that needs the native library. */
record StampedTuple(List<@Nullable Object> items) {

    /** Stands for the stamp while the tuple is packed; too odd to come up by chance. */
    private static final byte[] STAND_IN = {0x53, (byte) 0xe1, 0x7a, 0x0d, (byte) 0x92, 0x6b, 0x31, (byte) 0xc8, 4, 77};

    /** How many stamps are open. */
    int open() {
        return (int) items.stream()
                .filter(item -> item instanceof Versionstamp stamp && !stamp.isComplete())
                .count();
    }

    /** For {@code SET_VERSIONSTAMPED_KEY}: the packed tuple behind the prefix, and where its stamp goes. */
    byte[] operand(byte[] prefix) {
        List<@Nullable Object> complete = new ArrayList<>(items);
        complete.replaceAll(item -> item instanceof Versionstamp stamp && !stamp.isComplete()
                ? Versionstamp.complete(STAND_IN, stamp.getUserVersion())
                : item);
        byte[] packed = ByteArrayUtil.join(prefix, Tuple.fromItems(complete).pack());
        int position = 0;
        while (!ByteBuffer.wrap(packed, position, STAND_IN.length).equals(ByteBuffer.wrap(STAND_IN))) {
            position++;
        }
        return ByteArrayUtil.join(packed, offset(position));
    }

    static byte[] offset(int position) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(position)
                .array();
    }
}
