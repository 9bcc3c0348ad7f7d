package dev.couchjobs.internal.rows;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Writes versionstamps that the commit fills in.
 *
 * <p>The tuple layer can pack incomplete versionstamps, but needs the API version, which only the native client knows.
 * This class therefore builds the operand: the bytes with a placeholder, then the placeholder's offset as four
 * little-endian bytes (API version 520 and later).
 */
public final class IncompleteVersionstamps {
    private static final int STAMP_BYTES = 10;
    private static final int USER_VERSION_MAX = 0xFFFF;
    private static final int ELEMENT_BYTES = 1 + Versionstamp.LENGTH;

    private IncompleteVersionstamps() {}

    /** {@return the last sequence that a transaction with this read version can see} */
    public static Versionstamp upTo(long readVersion) {
        byte[] stamp = new byte[STAMP_BYTES];
        Arrays.fill(stamp, (byte) 0xFF);
        ByteBuffer.wrap(stamp).putLong(0, readVersion);
        return Versionstamp.complete(stamp, USER_VERSION_MAX);
    }

    /** {@return whether the commit of a sequence has, or may have, changes after another sequence} */
    public static boolean isInOrAfterCommit(Versionstamp sequence, Versionstamp after) {
        return Versionstamp.complete(sequence.getTransactionVersion(), USER_VERSION_MAX)
                        .compareTo(after)
                > 0;
    }

    /** Sets {@code prefix + tuple(stamp)} to a value. */
    public static void setStampedKey(Transaction tx, byte[] prefix, int userVersion, byte[] value) {
        byte[] operand = new TupleWriter(prefix, ELEMENT_BYTES + Integer.BYTES)
                .addPlaceholder(userVersion)
                .toOperand(prefix.length);
        tx.mutate(MutationType.SET_VERSIONSTAMPED_KEY, operand, value);
    }

    /** Sets {@code prefix + tuple(stamp, name)} to a value. */
    public static void setStampedKey(Transaction tx, byte[] prefix, int userVersion, String name, byte[] value) {
        byte[] operand = new TupleWriter(prefix, ELEMENT_BYTES + name.length() + 2 + Integer.BYTES)
                .addPlaceholder(userVersion)
                .add(name)
                .toOperand(prefix.length);
        tx.mutate(MutationType.SET_VERSIONSTAMPED_KEY, operand, value);
    }

    /** Changes a key that others watch: its value is the sequence of the commit. */
    public static void touch(Transaction tx, byte[] watchedKey, int userVersion) {
        byte[] operand = new TupleWriter(ELEMENT_BYTES + Integer.BYTES)
                .addPlaceholder(userVersion)
                .toOperand(0);
        tx.mutate(MutationType.SET_VERSIONSTAMPED_VALUE, watchedKey, operand);
        TouchedRows.add(tx, watchedKey);
    }
}
