package dev.couchjobs.contract;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The rows of the data model, read and written behind the library's back. Paths are those of RFC 007. */
final class StoredRows {
    private final Database database;
    private final Subspace root;

    StoredRows(Database database, Subspace prefix) {
        this.database = database;
        this.root = prefix.subspace(Tuple.from("couch_jobs"));
    }

    byte[] key(Object... path) {
        return root.pack(Tuple.from(path));
    }

    byte @Nullable [] bytes(Object... path) {
        return Futures.await(database.readAsync(tx -> tx.get(key(path))));
    }

    boolean isThere(Object... path) {
        return bytes(path) != null;
    }

    List<Object> value(Object... path) {
        byte[] value = bytes(path);
        if (value == null) {
            throw new AssertionError("There is no row " + Tuple.from(path));
        }
        return Tuple.fromBytes(value).getItems();
    }

    /** The rest of the path of every row that begins with it, in order. */
    List<Tuple> under(Object... path) {
        Subspace above = root.subspace(Tuple.from(path));
        return Futures.await(database.readAsync(tx -> tx.getRange(above.range()).asList())).stream()
                .map(row -> above.unpack(row.getKey()))
                .toList();
    }

    void put(Tuple value, Object... path) {
        database.run(tx -> {
            tx.set(key(path), value.pack());
            return true;
        });
    }

    void putBytes(byte[] key, byte[] value) {
        database.run(tx -> {
            tx.set(key, value);
            return true;
        });
    }

    /** Completes with the next change of a row after this call. */
    CompletableFuture<Void> nextChange(Object... path) {
        return Futures.await(database.runAsync(tx -> CompletableFuture.completedFuture(List.of(tx.watch(key(path))))))
                .get(0);
    }
}
