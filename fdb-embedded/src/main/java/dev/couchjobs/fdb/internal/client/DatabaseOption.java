package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.common.FdbError;
import org.jspecify.annotations.Nullable;

/** The database options that fdb-java can set, and what this engine makes of each. */
enum DatabaseOption {
    MAX_WATCHES(20),
    SNAPSHOT_RYW_ENABLE(26, TransactionOption.SNAPSHOT_RYW_ENABLE),
    SNAPSHOT_RYW_DISABLE(27, TransactionOption.SNAPSHOT_RYW_DISABLE),
    TRANSACTION_TIMEOUT(500, TransactionOption.TIMEOUT),
    TRANSACTION_RETRY_LIMIT(501, TransactionOption.RETRY_LIMIT),
    TRANSACTION_MAX_RETRY_DELAY(502, TransactionOption.MAX_RETRY_DELAY),
    TRANSACTION_SIZE_LIMIT(503, TransactionOption.SIZE_LIMIT),
    TRANSACTION_BYPASS_UNREADABLE(700, TransactionOption.BYPASS_UNREADABLE),

    /** Places and names in a cluster, and logging, have no effect in process. */
    LOCATION_CACHE_SIZE(10),
    MACHINE_ID(21),
    DATACENTER_ID(22),
    TRANSACTION_LOGGING_MAX_FIELD_LENGTH(405),
    TRANSACTION_CAUSAL_READ_RISKY(504),
    TRANSACTION_INCLUDE_PORT_IN_ADDRESS(505),
    TRANSACTION_AUTOMATIC_IDEMPOTENCY(506),
    TRANSACTION_USED_DURING_COMMIT_PROTECTION_DISABLE(701),
    TEST_CAUSAL_READ_RISKY(900),

    TRANSACTION_REPORT_CONFLICTING_KEYS(702, "the special keys that report them exist on a cluster only"),
    USE_CONFIG_DATABASE(800, "there is no configuration database in process");

    private final int code;
    private final @Nullable TransactionOption transactionDefault;
    private final @Nullable String refusal;

    DatabaseOption(int code) {
        this(code, null, null);
    }

    DatabaseOption(int code, TransactionOption transactionDefault) {
        this(code, transactionDefault, null);
    }

    DatabaseOption(int code, String refusal) {
        this(code, null, refusal);
    }

    DatabaseOption(int code, @Nullable TransactionOption transactionDefault, @Nullable String refusal) {
        this.code = code;
        this.transactionDefault = transactionDefault;
        this.refusal = refusal;
    }

    static DatabaseOption of(int code) {
        for (DatabaseOption option : values()) {
            if (option.code == code) {
                option.refuseIfUnsupported();
                return option;
            }
        }
        throw FdbError.INVALID_OPTION.exception("database option " + code);
    }

    /** The option that every new transaction starts with once this one is set. */
    @Nullable TransactionOption transactionDefault() {
        return transactionDefault;
    }

    private void refuseIfUnsupported() {
        if (refusal != null) {
            throw new UnsupportedOperationException(
                    "Database option " + name() + " is not part of the embedded engine: " + refusal + ".");
        }
    }
}
