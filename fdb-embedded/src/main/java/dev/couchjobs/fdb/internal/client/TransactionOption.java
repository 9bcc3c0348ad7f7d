package dev.couchjobs.fdb.internal.client;

import dev.couchjobs.fdb.internal.common.FdbError;

/** The transaction options that fdb-java can set, and what this engine makes of each. */
enum TransactionOption {
    NEXT_WRITE_NO_WRITE_CONFLICT_RANGE(30),
    READ_YOUR_WRITES_DISABLE(51),
    ACCESS_SYSTEM_KEYS(301),
    READ_SYSTEM_KEYS(302),
    TIMEOUT(500),
    RETRY_LIMIT(501),
    MAX_RETRY_DELAY(502),
    SIZE_LIMIT(503),
    SNAPSHOT_RYW_ENABLE(600),
    SNAPSHOT_RYW_DISABLE(601),
    READ_LOCK_AWARE(702),
    LOCK_AWARE(700),
    BYPASS_UNREADABLE(1100),

    /** Nothing reads these in process, but what a cluster's client refuses is refused. */
    TRANSACTION_LOGGING_ENABLE(402),
    DEBUG_TRANSACTION_IDENTIFIER(403),
    LOG_TRANSACTION(404),
    TAG(800),
    AUTO_THROTTLE_TAG(801),

    /** Every commit here is causal, and every read version. */
    CAUSAL_WRITE_RISKY(10, Treatment.NO_EFFECT),
    CAUSAL_READ_RISKY(20, Treatment.NO_EFFECT),
    CAUSAL_READ_DISABLE(21, Treatment.NO_EFFECT),
    INCLUDE_PORT_IN_ADDRESS(23, Treatment.NO_EFFECT),
    READ_AHEAD_DISABLE(52, Treatment.NO_EFFECT),
    READ_SERVER_SIDE_CACHE_ENABLE(507, Treatment.NO_EFFECT),
    READ_SERVER_SIDE_CACHE_DISABLE(508, Treatment.NO_EFFECT),
    READ_PRIORITY_NORMAL(509, Treatment.NO_EFFECT),
    READ_PRIORITY_LOW(510, Treatment.NO_EFFECT),
    READ_PRIORITY_HIGH(511, Treatment.NO_EFFECT),
    PRIORITY_SYSTEM_IMMEDIATE(200, Treatment.NO_EFFECT),
    PRIORITY_BATCH(201, Treatment.NO_EFFECT),
    RAW_ACCESS(303, Treatment.NO_EFFECT),
    BYPASS_STORAGE_QUOTA(304, Treatment.NO_EFFECT),
    DEBUG_RETRY_LOGGING(401, Treatment.NO_EFFECT),
    TRANSACTION_LOGGING_MAX_FIELD_LENGTH(405, Treatment.NO_EFFECT),
    SERVER_REQUEST_TRACING(406, Treatment.NO_EFFECT),
    /** A commit here never ends unknown, which is all the option is for. */
    AUTOMATIC_IDEMPOTENCY(505, Treatment.NO_EFFECT),
    /** The Java binding always sets it: an operation issued during a commit fails alone. */
    USED_DURING_COMMIT_PROTECTION_DISABLE(701, Treatment.NO_EFFECT),
    SPAN_PARENT(900, Treatment.NO_EFFECT),
    EXPENSIVE_CLEAR_COST_ESTIMATION_ENABLE(1000, Treatment.NO_EFFECT),
    USE_GRV_CACHE(1101, Treatment.NO_EFFECT),

    DURABILITY_DATACENTER(110, "durability is chosen when the database is opened"),
    DURABILITY_RISKY(120, "durability is chosen when the database is opened"),
    DURABILITY_DEV_NULL_IS_WEB_SCALE(130, "durability is chosen when the database is opened"),
    INITIALIZE_NEW_DATABASE(300, "open a new database instead"),
    USE_PROVISIONAL_PROXIES(711, "there are no proxies in process; leave it out"),
    REPORT_CONFLICTING_KEYS(712, "the special keys that report them exist on a cluster only"),
    SPECIAL_KEY_SPACE_RELAXED(713, "special keys exist on a cluster only"),
    SPECIAL_KEY_SPACE_ENABLE_WRITES(714, "special keys exist on a cluster only"),
    AUTHORIZATION_TOKEN(2000, "there are no tenants in process; use a Subspace for each of yours");

    private enum Treatment {
        HONOURED,
        NO_EFFECT,
        REFUSED
    }

    private final int code;
    private final Treatment treatment;
    private final String instead;

    TransactionOption(int code) {
        this(code, Treatment.HONOURED);
    }

    TransactionOption(int code, Treatment treatment) {
        this.code = code;
        this.treatment = treatment;
        this.instead = "";
    }

    TransactionOption(int code, String instead) {
        this.code = code;
        this.treatment = Treatment.REFUSED;
        this.instead = instead;
    }

    static TransactionOption of(int code) {
        for (TransactionOption option : values()) {
            if (option.code == code) {
                option.refuseIfUnsupported();
                return option;
            }
        }
        throw FdbError.INVALID_OPTION.exception("transaction option " + code);
    }

    boolean hasEffect() {
        return treatment == Treatment.HONOURED;
    }

    private void refuseIfUnsupported() {
        if (treatment == Treatment.REFUSED) {
            throw new UnsupportedOperationException(
                    "Transaction option " + name() + " is not part of the embedded engine: " + instead + ".");
        }
    }
}
