package dev.couchjobs.bench;

import java.nio.file.Path;

/** The engine and its peers. */
enum StoreKind {
    /** What this project makes. */
    EMBEDDED("fdb-embedded", "every commit synced"),
    /** The usual embedded store with optimistic transactions. */
    ROCKSDB(
            "RocksDB " + RocksStore.version(),
            "OptimisticTransactionDB, setSync(true), group commit, 64 MB block cache, Bloom filter"),
    /** The usual store in Java. */
    H2(
            "H2 MVStore " + H2Store.version(),
            "TransactionStore, commit() and sync() for each commit, no group commit, 64 MB cache"),
    /** What the disk allows. */
    RAW("synced appends", "1 writer, preallocated file");

    private final String label;
    private final String settings;

    StoreKind(String label, String settings) {
        this.label = label;
        this.settings = settings;
    }

    String label() {
        return label;
    }

    String settings() {
        return settings;
    }

    boolean does(BenchmarkRow row) {
        return switch (this) {
            case EMBEDDED -> true;
            case ROCKSDB, H2 -> row != BenchmarkRow.WATCH;
            case RAW -> row == BenchmarkRow.COMMIT_1;
        };
    }

    BenchmarkStore open(Path directory) {
        return switch (this) {
            case EMBEDDED -> new EmbeddedStore(directory);
            case ROCKSDB -> new RocksStore(directory);
            case H2 -> new H2Store(directory);
            case RAW -> new SyncedFile(directory);
        };
    }
}
