package dev.couchjobs.bench;

/** An operation to measure, with the number of threads that run it concurrently. */
enum Operation {
    /** Puts one key; no other commit shares the sync. */
    COMMIT_1("durable single-key commits, 1 writer", 1),
    /** Puts one key, with 16 writers. */
    COMMIT_16("durable single-key commits, 16 writers", 16),
    /** Puts one key, with 64 writers. */
    COMMIT_64("durable single-key commits, 64 writers", 64),
    /** Increments a counter of the writer. */
    UPDATE("read-modify-write, 16 writers apart", 16),
    /** Increments one of four counters that all writers share. */
    UPDATE_CONTENDED("read-modify-write, 16 writers on 4 keys", 16),
    /** Reads ten rows from a random key. */
    RANGE("ranges of 10 rows, 2 readers", 2),
    /** Adds to one counter without reading it. */
    ADD("atomic adds on one key, 16 writers", 16),
    /** Appends to one log. */
    APPEND("versionstamped appends, 16 writers", 16),
    /** Watches a key, commits a change, and waits for the watch. */
    WATCH("commit until a watch fires", 1);

    static final int RANGE_ROWS = 10;
    private static final int OWN_COUNTERS = 1024;
    private static final int SHARED_COUNTERS = 4;

    private final String title;
    private final int threads;

    Operation(String title, int threads) {
        this.title = title;
        this.threads = threads;
    }

    String title() {
        return title;
    }

    int threads() {
        return threads;
    }

    /** Whether the cost may depend on the number of stored rows. */
    boolean dependsOnSize() {
        return this == COMMIT_1 || this == UPDATE || this == RANGE;
    }

    /** Runs the operation for the {@code number}th time in {@code worker}, on a store with {@code loaded} rows. */
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
        // Spreads the reads over the rows, and leaves enough rows behind the last one.
        long spread = Math.floorMod(number * 0x9E3779B97F4A7C15L, loaded);
        byte[] from = Data.row(spread);
        from[1] = 0;
        int rows = store.range(from, RANGE_ROWS);
        if (rows == 0) {
            throw new IllegalStateException("The range is empty");
        }
    }
}
