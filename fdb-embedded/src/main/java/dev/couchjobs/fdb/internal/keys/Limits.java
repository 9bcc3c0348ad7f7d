package dev.couchjobs.fdb.internal.keys;

/** FoundationDB's limits, in the unit that each name says. */
public final class Limits {
    static final int KEY_BYTES = 10_000;
    static final int SYSTEM_KEY_BYTES = 30_000;
    public static final int VALUE_BYTES = 100_000;
    public static final int TRANSACTION_BYTES = 10_000_000;
    public static final int SMALLEST_SIZE_LIMIT_BYTES = 32;

    public static final int WATCHES = 10_000;
    public static final int MAX_WATCHES = 1_000_000;

    public static final long VERSIONS_PER_SECOND = 1_000_000;
    /** How far back a snapshot may lie: five seconds. */
    public static final long WINDOW_VERSIONS = 5 * VERSIONS_PER_SECOND;

    private static final int TENANT_PREFIX_BYTES = 8;

    private Limits() {}

    public static int writableKeyBytes(byte[] key) {
        return KeySpaceBounds.isSystem(key) ? SYSTEM_KEY_BYTES : KEY_BYTES;
    }

    /** No key longer than this can be stored, by any way; a longer one is read, cleared and compared cheaply. */
    public static int storableKeyBytes(byte[] key) {
        return KeySpaceBounds.isSystem(key) ? SYSTEM_KEY_BYTES : KEY_BYTES + TENANT_PREFIX_BYTES;
    }
}
