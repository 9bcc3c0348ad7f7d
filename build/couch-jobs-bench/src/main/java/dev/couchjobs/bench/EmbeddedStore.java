package dev.couchjobs.bench;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.MutationType;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The engine, through its public API. */
final class EmbeddedStore implements BenchmarkStore {
    private static final byte[] ONE = Data.encode(1);
    private static final byte[] LAST = {(byte) 0xff};
    private static final int LOADED_AT_ONCE = 10_000;
    private static final int STAMP_BYTES = 10;

    private final Database database;

    EmbeddedStore(Path directory) {
        database = EmbeddedDatabase.open(directory);
    }

    @Override
    public void load(long keys) {
        for (long from = 0; from < keys; from += LOADED_AT_ONCE) {
            long begin = from;
            long end = Math.min(keys, from + LOADED_AT_ONCE);
            database.run(tx -> {
                for (long number = begin; number < end; number++) {
                    tx.set(Data.row(number), Data.value());
                }
                return end;
            });
        }
    }

    @Override
    public void put(byte[] key, byte[] value) {
        database.run(tx -> {
            tx.set(key, value);
            return value;
        });
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
        return database.read(tx -> tx.get(key)).join();
    }

    @Override
    public void increment(byte[] key) {
        database.run(tx -> {
            tx.set(key, Data.encode(Data.decode(tx.get(key).join()) + 1));
            return key;
        });
    }

    @Override
    public void add(byte[] key) {
        database.run(tx -> {
            tx.mutate(MutationType.ADD, key, ONE);
            return key;
        });
    }

    @Override
    public long counter(byte[] key) {
        return Data.decode(get(key));
    }

    @Override
    public int range(byte[] from, int rows) {
        return database.read(tx -> tx.getRange(from, LAST, rows).asList())
                .join()
                .size();
    }

    @Override
    public void append(byte[] value) {
        byte[] template = ByteBuffer.allocate(1 + STAMP_BYTES + Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(Data.APPENDED)
                .putInt(1 + STAMP_BYTES, 1)
                .array();
        database.run(tx -> {
            tx.mutate(MutationType.SET_VERSIONSTAMPED_KEY, template, value);
            return value;
        });
    }

    @Override
    public void watch(byte[] key) {
        CompletableFuture<Void> changed = database.run(tx -> tx.watch(key));
        put(key, Data.value());
        changed.join();
    }

    @Override
    public void close() {
        database.close();
    }
}
