package dev.couchjobs.bench;

/** What is measured: one operation, by a number of threads at once. */
enum BenchmarkRow {
    /** One key and no other commit to share a sync with: what the disk allows. */
    COMMIT_1("durable single-key commits, 1 writer", 1),
    /** As before, by 16. */
    COMMIT_16("durable single-key commits, 16 writers", 16),
    /** As before, by 64. */
    COMMIT_64("durable single-key commits, 64 writers", 64),
    /** Each writer on counters of its own. */
    UPDATE("read-modify-write, 16 writers apart", 16),
    /** All on four counters. */
    UPDATE_CONTENDED("read-modify-write, 16 writers on 4 keys", 16),
    /** Ten rows from anywhere. */
    RANGE("ranges of 10 rows, 2 readers", 2),
    /** All on one counter. */
    ADD("atomic adds on one key, 16 writers", 16),
    /** At the end of one log. */
    APPEND("versionstamped appends, 16 writers", 16),
    /** To watch, to commit a change and to be notified. */
    WATCH("commit until a watch fires", 1);

    static final int RANGE_ROWS = 10;
    private static final int OWN_COUNTERS = 1024;
    private static final int SHARED_COUNTERS = 4;

    private final String title;
    private final int threads;

    BenchmarkRow(String title, int threads) {
        this.title = title;
        this.threads = threads;
    }

    String title() {
        return title;
    }

    int threads() {
        return threads;
    }

    /** Whether it is worth asking how its cost grows with what is stored. */
    boolean dependsOnSize() {
        return this == COMMIT_1 || this == UPDATE || this == RANGE;
    }

    /** The {@code number}th time that {@code worker} does it, on a store with that many rows loaded. */
    void run(BenchmarkStore store, int worker, long number, long loaded) {
        switch (this) {
            case COMMIT_1, COMMIT_16, COMMIT_64 -> store.put(written(worker, number), Data.value());
            case UPDATE -> store.increment(ownCounter(worker, number));
            case UPDATE_CONTENDED -> store.increment(sharedCounter(number));
            case RANGE -> readRange(store, number, loaded);
            case ADD -> store.add(sharedCounter(0));
            case APPEND -> store.append(Data.value());
            case WATCH -> store.watch(written(worker, 0));
        }
    }

    static byte[] written(int worker, long number) {
        return Data.key(Data.WRITTEN, worker, number);
    }

    static byte[] ownCounter(int worker, long number) {
        return Data.key(Data.OWN_COUNTERS, worker, number % OWN_COUNTERS);
    }

    static byte[] sharedCounter(long number) {
        return Data.key(Data.SHARED_COUNTERS, 0, number % SHARED_COUNTERS);
    }

    private static void readRange(BenchmarkStore store, long number, long loaded) {
        // Far enough from the end, and spread like the hash of the number.
        long spread = Math.floorMod(number * 0x9E3779B97F4A7C15L, loaded);
        byte[] from = Data.row(spread);
        from[1] = 0;
        int rows = store.range(from, RANGE_ROWS);
        if (rows == 0) {
            throw new IllegalStateException("Nothing was read");
        }
    }
}
