package dev.couchjobs.bridge.internal.store;

import com.apple.foundationdb.FDBException;
import org.jspecify.annotations.Nullable;

/**
 * Detects errors of the bridge's own storage, such as a full disk. They are independent of the transaction and its
 * documents.
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
