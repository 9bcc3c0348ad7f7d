package dev.couchjobs.bench;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.LRUCache;
import org.rocksdb.OptimisticTransactionDB;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.Transaction;
import org.rocksdb.UInt64AddOperator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB with transactions that check for conflicts when they commit, and its own log, synced for each commit;
 * concurrent commits share a sync. Blind writes go past the transactions, which is cheaper and no less safe; additions
 * are merges.
 */
final class RocksStore implements BenchmarkStore {
    private static final long CACHE_BYTES = 64 << 20;
    private static final int LOADED_AT_ONCE = 10_000;
    private static final byte[] ONE = Data.encode(1);

    private final Options options = new Options();
    private final LRUCache cache = new LRUCache(CACHE_BYTES);
    private final BloomFilter bloom = new BloomFilter(10);
    private final UInt64AddOperator addition = new UInt64AddOperator();
    private final WriteOptions synced = new WriteOptions().setSync(true);
    private final WriteOptions unsynced = new WriteOptions();
    private final ReadOptions read = new ReadOptions();
    private final AtomicLong appended = new AtomicLong();
    private final OptimisticTransactionDB db;

    RocksStore(Path directory) {
        options.setCreateIfMissing(true)
                .setMergeOperator(addition)
                .setTableFormatConfig(
                        new BlockBasedTableConfig().setBlockCache(cache).setFilterPolicy(bloom));
        db = call(() -> OptimisticTransactionDB.open(options, directory.toString()));
    }

    @Override
    public void load(long keys) {
        for (long from = 0; from < keys; from += LOADED_AT_ONCE) {
            long begin = from;
            long end = Math.min(keys, from + LOADED_AT_ONCE);
            call(() -> {
                try (WriteBatch batch = new WriteBatch()) {
                    for (long number = begin; number < end; number++) {
                        batch.put(Data.row(number), Data.value());
                    }
                    db.write(end == keys ? synced : unsynced, batch);
                    return end;
                }
            });
        }
    }

    @Override
    public void put(byte[] key, byte[] value) {
        call(() -> {
            db.put(synced, key, value);
            return key;
        });
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        try {
            return db.get(read, key);
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void increment(byte[] key) {
        boolean committed = false;
        while (!committed) {
            committed = call(() -> tryToIncrement(key));
        }
    }

    @Override
    public void add(byte[] key) {
        call(() -> {
            db.merge(synced, key, ONE);
            return key;
        });
    }

    @Override
    public long counter(byte[] key) {
        return Data.decode(get(key));
    }

    @Override
    public int range(byte[] from, int rows) {
        int bytes = 0;
        int seen = 0;
        try (RocksIterator iterator = db.newIterator(read)) {
            for (iterator.seek(from); seen < rows && iterator.isValid(); iterator.next()) {
                bytes += iterator.key().length + iterator.value().length;
                seen++;
            }
        }
        return bytes == 0 ? 0 : seen;
    }

    /** Less than a versionstamp promises: the keys ascend, but a later one may be visible earlier. */
    @Override
    public void append(byte[] value) {
        put(Data.key(Data.APPENDED, 0, appended.incrementAndGet()), value);
    }

    @Override
    public void watch(byte[] key) {
        throw new UnsupportedOperationException("RocksDB has no watches");
    }

    @Override
    public void close() {
        db.close();
        read.close();
        unsynced.close();
        synced.close();
        options.close();
        addition.close();
        bloom.close();
        cache.close();
    }

    static String version() {
        RocksDB.loadLibrary();
        return RocksDB.rocksdbVersion().toString();
    }

    private boolean tryToIncrement(byte[] key) throws RocksDBException {
        try (Transaction transaction = db.beginTransaction(synced)) {
            long count = Data.decode(transaction.getForUpdate(read, key, true));
            transaction.put(key, Data.encode(count + 1));
            transaction.commit();
            return true;
        } catch (RocksDBException e) {
            Status.Code code = e.getStatus() == null
                    ? Status.Code.Undefined
                    : e.getStatus().getCode();
            if (code == Status.Code.Busy || code == Status.Code.TryAgain) {
                return false;
            }
            throw e;
        }
    }

    private interface Call<T> {
        T run() throws RocksDBException;
    }

    private static <T> T call(Call<T> call) {
        try {
            return call.run();
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }
}
