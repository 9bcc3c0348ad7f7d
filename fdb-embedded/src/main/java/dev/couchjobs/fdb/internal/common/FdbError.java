package dev.couchjobs.fdb.internal.common;

import com.apple.foundationdb.FDBException;
import org.jspecify.annotations.Nullable;

/** The errors this engine raises, with FoundationDB's codes, and what each means for a retry. */
public enum FdbError {
    TRANSACTION_TOO_OLD(1007, "Transaction is too old to read or to be committed", Retry.NOT_COMMITTED),
    FUTURE_VERSION(1009, "Read version lies in the future", Retry.NOT_COMMITTED),
    NOT_COMMITTED(1020, "Transaction not committed, it conflicts with another one", Retry.NOT_COMMITTED),
    COMMIT_UNKNOWN_RESULT(1021, "Transaction may or may not have been committed", Retry.MAYBE_COMMITTED),
    TRANSACTION_CANCELLED(1025, "Transaction was cancelled", Retry.NEVER),
    TRANSACTION_TIMED_OUT(1031, "Transaction timed out", Retry.NEVER),
    TOO_MANY_WATCHES(1032, "Too many watches are set", Retry.NEVER),
    WATCHES_DISABLED(1034, "Watches need read-your-writes, which this transaction has switched off", Retry.NEVER),
    ACCESSED_UNREADABLE(1036, "Key is unreadable until its versionstamp is known", Retry.NEVER),
    PROCESS_BEHIND(1037, "Storage does not have recent mutations yet", Retry.NOT_COMMITTED),
    DATABASE_LOCKED(1038, "Database is locked", Retry.NOT_COMMITTED),
    CLUSTER_VERSION_CHANGED(1039, "Protocol version of the cluster has changed", Retry.MAYBE_COMMITTED),
    COMMIT_PROXY_MEMORY_LIMIT(1042, "Commit memory limit exceeded", Retry.NOT_COMMITTED),
    BATCH_TRANSACTION_THROTTLED(1051, "Batch transaction is throttled", Retry.NOT_COMMITTED),
    GRV_PROXY_MEMORY_LIMIT(1078, "Read version memory limit exceeded", Retry.NOT_COMMITTED),
    OPERATION_CANCELLED(1101, "Operation cancelled", Retry.NEVER),
    TAG_THROTTLED(1213, "Transaction tag is throttled", Retry.NOT_COMMITTED),
    PROXY_TAG_THROTTLED(1223, "Transaction tag was throttled for too long", Retry.NOT_COMMITTED),
    IO_ERROR(1510, "The storage failed", Retry.NEVER),
    CLIENT_INVALID_OPERATION(2000, "Invalid use of the interface", Retry.NEVER),
    KEY_OUTSIDE_LEGAL_RANGE(2004, "Key outside the legal range", Retry.NEVER),
    INVERTED_RANGE(2005, "Range begins after its end", Retry.NEVER),
    INVALID_OPTION_VALUE(2006, "Option set to an invalid value", Retry.NEVER),
    INVALID_OPTION(2007, "No such option", Retry.NEVER),
    READ_VERSION_ALREADY_SET(2010, "Transaction already has a read version", Retry.NEVER),
    VERSION_INVALID(2011, "Version is not valid", Retry.NEVER),
    RANGE_LIMITS_INVALID(2012, "Range limits are not valid", Retry.NEVER),
    USED_DURING_COMMIT(2017, "Transaction used during or after its commit", Retry.NEVER),
    TRANSACTION_INVALID_VERSION(2020, "Transaction has no valid commit version", Retry.NEVER),
    NO_COMMIT_VERSION(2021, "Transaction is read-only and so has no commit version", Retry.NEVER),
    TRANSACTION_READ_ONLY(2023, "Transaction was declared read-only but writes", Retry.NEVER),
    TRANSACTION_TOO_LARGE(2101, "Transaction exceeds its size limit", Retry.NEVER),
    KEY_TOO_LARGE(2102, "Key exceeds 10,000 bytes", Retry.NEVER),
    VALUE_TOO_LARGE(2103, "Value exceeds 100,000 bytes", Retry.NEVER),
    TOO_MANY_TAGS(2109, "Transaction has more tags than it may", Retry.NEVER),
    TAG_TOO_LONG(2110, "Tag is too long", Retry.NEVER),
    EXACT_MODE_WITHOUT_LIMITS(2210, "Streaming mode EXACT needs a row limit", Retry.NEVER),
    INTERNAL_ERROR(4100, "The engine failed", Retry.NEVER);

    /** What a retry loop may conclude from an error. */
    public enum Retry {
        NEVER,
        NOT_COMMITTED,
        MAYBE_COMMITTED
    }

    private final int code;
    private final String message;
    private final Retry retry;

    FdbError(int code, String message, Retry retry) {
        this.code = code;
        this.message = message;
        this.retry = retry;
    }

    public int code() {
        return code;
    }

    public Retry retry() {
        return retry;
    }

    public FDBException exception() {
        return new EngineException(message, this);
    }

    /**
     * For one that is made as a matter of course and hardly ever seen: finding out where would cost more than a read.
     */
    public FDBException exceptionWithoutTrace() {
        return new EngineException.Untraced(message, this);
    }

    public FDBException exception(String detail) {
        return new EngineException(message + ": " + detail, this);
    }

    /** What went wrong outside the engine, in the words of {@code cause}. */
    public FDBException exception(Throwable cause) {
        FDBException error = exception(String.valueOf(cause.getMessage()));
        error.initCause(cause);
        return error;
    }

    public static @Nullable FdbError ofCode(int code) {
        for (FdbError error : values()) {
            if (error.code == code) {
                return error;
            }
        }
        return null;
    }
}
