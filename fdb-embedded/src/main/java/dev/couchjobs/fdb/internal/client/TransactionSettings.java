package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.keys.KeySpaceBounds;
import dev.couchjobs.fdb.internal.keys.Limits;
import org.jspecify.annotations.Nullable;

/** The options of one transaction, as far as they have an effect. Not thread-safe. */
final class TransactionSettings {
    static final int UNLIMITED_RETRIES = -1;
    private static final int DEFAULT_MAX_RETRY_DELAY_MILLIS = 1_000;

    private final TransactionLabels labels = new TransactionLabels();
    private int timeoutMillis;
    private int retryLimit = UNLIMITED_RETRIES;
    private int maxRetryDelayMillis = DEFAULT_MAX_RETRY_DELAY_MILLIS;
    private int sizeLimit = Limits.TRANSACTION_BYTES;
    private int snapshotReadYourWrites = 1;
    private boolean readYourWritesDisabled;
    private boolean readSystemKeys;
    private boolean writeSystemKeys;
    private boolean bypassUnreadable;
    private boolean lockAware;
    private boolean readOnly;
    private boolean nextWriteWithoutConflict;

    void apply(TransactionOption option, byte @Nullable [] value) {
        switch (option) {
            case TIMEOUT -> timeoutMillis = OptionValue.integer(value, 0, Integer.MAX_VALUE);
            case RETRY_LIMIT -> retryLimit = OptionValue.integer(value, UNLIMITED_RETRIES, Integer.MAX_VALUE);
            case MAX_RETRY_DELAY -> maxRetryDelayMillis = OptionValue.integer(value, 0, Integer.MAX_VALUE);
            case SIZE_LIMIT ->
                sizeLimit = OptionValue.integer(value, Limits.SMALLEST_SIZE_LIMIT_BYTES, Limits.TRANSACTION_BYTES);
            case SNAPSHOT_RYW_ENABLE -> snapshotReadYourWrites++;
            case SNAPSHOT_RYW_DISABLE -> snapshotReadYourWrites--;
            case READ_YOUR_WRITES_DISABLE -> readYourWritesDisabled = true;
            case READ_SYSTEM_KEYS -> readSystemKeys = true;
            case ACCESS_SYSTEM_KEYS -> {
                readSystemKeys = true;
                writeSystemKeys = true;
            }
            case BYPASS_UNREADABLE -> bypassUnreadable = true;
            case NEXT_WRITE_NO_WRITE_CONFLICT_RANGE -> nextWriteWithoutConflict = true;
            case LOCK_AWARE -> {
                lockAware = true;
                readOnly = false;
            }
            case READ_LOCK_AWARE -> readOnly = !lockAware || readOnly;
            case TAG, AUTO_THROTTLE_TAG -> labels.tag(value);
            case DEBUG_TRANSACTION_IDENTIFIER, TRANSACTION_LOGGING_ENABLE -> labels.identify(value);
            case LOG_TRANSACTION -> labels.requireIdentified();
            default -> {}
        }
    }

    TransactionSettings copy() {
        TransactionSettings copy = new TransactionSettings();
        copy.timeoutMillis = timeoutMillis;
        copy.retryLimit = retryLimit;
        copy.maxRetryDelayMillis = maxRetryDelayMillis;
        copy.sizeLimit = sizeLimit;
        copy.snapshotReadYourWrites = snapshotReadYourWrites;
        copy.readYourWritesDisabled = readYourWritesDisabled;
        copy.readSystemKeys = readSystemKeys;
        copy.writeSystemKeys = writeSystemKeys;
        copy.bypassUnreadable = bypassUnreadable;
        copy.lockAware = lockAware;
        copy.readOnly = readOnly;
        return copy;
    }

    /** What a retry starts with: the defaults, but the limits of the whole loop as they are now. */
    TransactionSettings forRetry(TransactionSettings defaults) {
        TransactionSettings next = defaults.copy();
        next.timeoutMillis = timeoutMillis;
        next.retryLimit = retryLimit;
        next.maxRetryDelayMillis = maxRetryDelayMillis;
        return next;
    }

    /** Zero for none. */
    int timeoutMillis() {
        return timeoutMillis;
    }

    int retryLimit() {
        return retryLimit;
    }

    int maxRetryDelayMillis() {
        return maxRetryDelayMillis;
    }

    int sizeLimit() {
        return sizeLimit;
    }

    boolean readsSeeWrites(boolean snapshot) {
        return !readYourWritesDisabled && (!snapshot || snapshotReadYourWrites > 0);
    }

    boolean isReadYourWritesDisabled() {
        return readYourWritesDisabled;
    }

    boolean isBypassUnreadable() {
        return bypassUnreadable;
    }

    boolean isReadOnly() {
        return readOnly;
    }

    /** Where the keys end that this transaction may read. */
    byte[] readEnd() {
        return readSystemKeys ? KeySpaceBounds.SYSTEM_END : KeySpaceBounds.USER_END;
    }

    /** Where the keys end that this transaction may write. */
    byte[] writeEnd() {
        return writeSystemKeys ? KeySpaceBounds.SYSTEM_END : KeySpaceBounds.USER_END;
    }

    /** Whether the write about to happen adds a conflict range; asking resets it. */
    boolean takeWriteConflict() {
        boolean conflict = !nextWriteWithoutConflict;
        nextWriteWithoutConflict = false;
        return conflict;
    }
}
