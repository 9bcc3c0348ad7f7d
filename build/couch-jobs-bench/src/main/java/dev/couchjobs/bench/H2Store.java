package dev.couchjobs.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.h2.mvstore.tx.Transaction;
import org.h2.mvstore.tx.TransactionMap;
import org.h2.mvstore.tx.TransactionStore;
import org.h2.mvstore.type.ByteArrayDataType;
import org.jspecify.annotations.Nullable;

/**
 * H2's storage engine with its transactions. A commit is durable after {@code store.commit()} and {@code store.sync()};
 * it has no way to let concurrent commits share them.
 */
final class H2Store implements BenchmarkStore {
    private static final int CACHE_MEGABYTES = 64;
    private static final int LOADED_AT_ONCE = 10_000;
    private static final byte[] ZERO = Data.encode(0);

    private final MVStore store;
    private final TransactionStore transactions;
    private final AtomicLong appended = new AtomicLong();

    H2Store(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        store = new MVStore.Builder()
                .fileName(directory.resolve("store.mv").toString())
                .cacheSize(CACHE_MEGABYTES)
                .open();
        transactions = new TransactionStore(store);
        transactions.init();
    }

    @Override
    public void load(long keys) {
        for (long from = 0; from < keys; from += LOADED_AT_ONCE) {
            long begin = from;
            long end = Math.min(keys, from + LOADED_AT_ONCE);
            commit(rows -> {
                for (long number = begin; number < end; number++) {
                    rows.put(Data.row(number), Data.value());
                }
            });
        }
        sync();
    }

    @Override
    public void put(byte[] key, byte[] value) {
        commit(rows -> rows.put(key, value));
        sync();
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        Transaction transaction = transactions.begin();
        try {
            return rows(transaction).get(key);
        } finally {
            transaction.commit();
        }
    }

    @Override
    public void increment(byte[] key) {
        commit(rows -> {
            // Where there is no row, lock() excludes no other thread, and its rollback removes what others have put
            // there since.
            rows.putIfAbsent(key, ZERO);
            rows.put(key, Data.encode(Data.decode(rows.lock(key)) + 1));
        });
        sync();
    }

    @Override
    public void add(byte[] key) {
        increment(key);
    }

    @Override
    public long counter(byte[] key) {
        return Data.decode(get(key));
    }

    @Override
    public int range(byte[] from, int rows) {
        int bytes = 0;
        int seen = 0;
        Transaction transaction = transactions.begin();
        try {
            var iterator = rows(transaction).entryIterator(from, null);
            for (Map.Entry<byte[], byte[]> row = iterator.fetchNext(); row != null; row = iterator.fetchNext()) {
                bytes += row.getKey().length + row.getValue().length;
                seen++;
                if (seen == rows) {
                    break;
                }
            }
        } finally {
            transaction.commit();
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
        throw new UnsupportedOperationException("MVStore has no watches");
    }

    @Override
    public void close() {
        transactions.close();
        store.close();
    }

    static String version() {
        return Objects.requireNonNullElse(MVStore.class.getPackage().getImplementationVersion(), "?");
    }

    private void commit(Consumer<TransactionMap<byte[], byte[]>> changes) {
        while (!tryToCommit(changes)) {
            Thread.onSpinWait();
        }
    }

    private boolean tryToCommit(Consumer<TransactionMap<byte[], byte[]>> changes) {
        Transaction transaction = transactions.begin();
        try {
            changes.accept(rows(transaction));
            transaction.commit();
            return true;
        } catch (MVStoreException e) {
            transaction.rollback();
            if (e.getErrorCode() == DataUtils.ERROR_TRANSACTION_LOCKED
                    || e.getErrorCode() == DataUtils.ERROR_TRANSACTIONS_DEADLOCK) {
                return false;
            }
            throw e;
        }
    }

    private void sync() {
        store.commit();
        store.sync();
    }

    private static TransactionMap<byte[], byte[]> rows(Transaction transaction) {
        return transaction.openMap("rows", ByteArrayDataType.INSTANCE, ByteArrayDataType.INSTANCE);
    }
}
