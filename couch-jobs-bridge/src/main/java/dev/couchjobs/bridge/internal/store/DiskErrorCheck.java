package dev.couchjobs.bridge.internal.store;

import com.apple.foundationdb.FDBException;
import org.jspecify.annotations.Nullable;

/**
 * The bridge's own storage does not take anything: its disk is full, say. No transaction and no document is to blame.
 */
public final class DiskErrorCheck {
    /** {@code io_error} of FoundationDB. */
    private static final int IO_ERROR = 1510;

    private DiskErrorCheck() {}

    public static boolean isIn(@Nullable Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof FDBException known && known.getCode() == IO_ERROR) {
                return true;
            }
        }
        return false;
    }
}
