package dev.couchjobs.bench;

import java.nio.file.Path;

/** The stores to measure: the engine, its peers and the baseline. */
enum StoreKind {
    /** The engine of this project. */
    EMBEDDED("fdb-embedded", "every commit synced"),
    /** RocksDB with optimistic transactions. */
    ROCKSDB(
            "RocksDB " + RocksStore.version(),
            "OptimisticTransactionDB, setSync(true), group commit, 64 MB block cache, Bloom filter"),
    /** The storage engine of H2. */
    H2(
            "H2 MVStore " + H2Store.version(),
            "TransactionStore, commit() and sync() for each commit, no group commit, 64 MB cache"),
    /** Synced appends by one writer. */
    BASELINE("baseline", "synced appends, 1 writer, preallocated file");

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

    boolean supports(Operation operation) {
        return switch (this) {
            case EMBEDDED -> true;
            case ROCKSDB, H2 -> operation != Operation.WATCH;
            case BASELINE -> operation == Operation.COMMIT_1;
        };
    }

    BenchmarkStore open(Path directory) {
        return switch (this) {
            case EMBEDDED -> new EmbeddedStore(directory);
            case ROCKSDB -> new RocksStore(directory);
            case H2 -> new H2Store(directory);
            case BASELINE -> new BaselineStore(directory);
        };
    }
}
