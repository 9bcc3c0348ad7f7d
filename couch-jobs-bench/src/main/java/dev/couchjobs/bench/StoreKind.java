package dev.couchjobs.bench;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;

/** The engine and its peers. */
enum StoreKind {
    /** What this project makes. */
    EMBEDDED("fdb-embedded", "every commit synced", EnumSet.allOf(Row.class), EmbeddedStore::new),
    /** The usual embedded store with optimistic transactions. */
    ROCKSDB(
            "RocksDB " + RocksStore.version(),
            "OptimisticTransactionDB, setSync(true), group commit, 64 MB block cache, Bloom filter",
            EnumSet.complementOf(EnumSet.of(Row.WATCH)),
            RocksStore::new),
    /** The usual store in Java. */
    H2(
            "H2 MVStore " + H2Store.version(),
            "TransactionStore, commit() and sync() for each commit, no group commit, 64 MB cache",
            EnumSet.complementOf(EnumSet.of(Row.WATCH)),
            H2Store::new),
    /** What the disk allows. */
    RAW("synced appends", "1 writer, preallocated file", EnumSet.of(Row.COMMIT_1), SyncedFile::new);

    private final String label;
    private final String settings;
    private final Set<Row> rows;
    private final Function<Path, Store> opener;

    StoreKind(String label, String settings, Set<Row> rows, Function<Path, Store> opener) {
        this.label = label;
        this.settings = settings;
        this.rows = rows;
        this.opener = opener;
    }

    String label() {
        return label;
    }

    String settings() {
        return settings;
    }

    boolean does(Row row) {
        return rows.contains(row);
    }

    Store open(Path directory) {
        return opener.apply(directory);
    }
}
