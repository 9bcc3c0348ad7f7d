package dev.couchjobs.fdb.embedded;

/** FoundationDB's limits, in the unit that each name says. */
final class Limits {
    static final int KEY_BYTES = 10_000;
    static final int SYSTEM_KEY_BYTES = 30_000;
    static final int VALUE_BYTES = 100_000;
    static final int TRANSACTION_BYTES = 10_000_000;
    static final int SMALLEST_SIZE_LIMIT_BYTES = 32;

    static final int WATCHES = 10_000;
    static final int MOST_WATCHES = 1_000_000;

    static final long VERSIONS_PER_SECOND = 1_000_000;
    /** How far back a snapshot may lie: five seconds. */
    static final long WINDOW_VERSIONS = 5 * VERSIONS_PER_SECOND;

    private static final int TENANT_PREFIX_BYTES = 8;

    private Limits() {}

    static int writableKeyBytes(byte[] key) {
        return KeySpaceBounds.isSystem(key) ? SYSTEM_KEY_BYTES : KEY_BYTES;
    }

    /** No key longer than this can be stored, by any way; a longer one is read, cleared and compared cheaply. */
    static int storableKeyBytes(byte[] key) {
        return KeySpaceBounds.isSystem(key) ? SYSTEM_KEY_BYTES : KEY_BYTES + TENANT_PREFIX_BYTES;
    }
}
