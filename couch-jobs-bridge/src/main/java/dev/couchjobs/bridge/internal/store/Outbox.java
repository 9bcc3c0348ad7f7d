package dev.couchjobs.bridge.internal.store;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The documents that each node has to write to CouchDB.
 *
 * <pre>
 * out,   node, id         to be written now: the token, and the number of refusals
 * later, node, time, id   refused by CouchDB, and to be written at that time
 * watches_out, node       changes with each document to be written now
 * </pre>
 */
public final class Outbox {
    private static final byte[] ONE = {1, 0, 0, 0, 0, 0, 0, 0};

    /** The number of postponed documents among which one is searched. */
    private static final int LOOKED_THROUGH = 1_000;

    private final Subspace root;

    Outbox(Subspace root) {
        this.root = root;
    }

    /**
     * Adds a document for a node to write.
     *
     * @param token differs from call to call
     */
    public void send(Transaction tx, String node, String id, long token) {
        put(tx, node, new OutboxEntry(id, token, 0));
        tx.mutate(MutationType.ADD, root.pack(Tuple.from("watches_out", node)), ONE);
    }

    private void put(Transaction tx, String node, OutboxEntry entry) {
        tx.set(out(node, entry.id()), value(entry));
    }

    /** {@return the next documents that a node has to write now, by id, after the given one} */
    public CompletableFuture<List<OutboxEntry>> next(
            ReadTransaction tx, String node, Optional<String> behind, int limit) {
        Subspace place = root.subspace(Tuple.from("out", node));
        byte[] from =
                behind.map(id -> place.subspace(Tuple.from(id)).range().begin).orElse(place.range().begin);
        return tx.getRange(from, place.range().end, limit)
                .asList()
                .thenApply(rows -> rows.stream()
                        .map(row -> entry(place.unpack(row.getKey()).getString(0), row.getValue()))
                        .toList());
    }

    /** Removes a document, unless it was added again since it was read. */
    public CompletableFuture<Boolean> sent(Transaction tx, String node, OutboxEntry entry) {
        byte[] key = out(node, entry.id());
        return tx.get(key).thenApply(value -> {
            boolean isLast = value != null && entry(entry.id(), value).equals(entry);
            if (isLast) {
                tx.clear(key);
            }
            return isLast;
        });
    }

    /** Removes a document. */
    public void keep(Transaction tx, String node, String id) {
        tx.clear(out(node, id));
    }

    /** Postpones a document. */
    public void putOff(Transaction tx, String node, OutboxEntry entry, Instant time) {
        keep(tx, node, entry.id());
        tx.set(root.pack(Tuple.from("later", node, time.toEpochMilli(), entry.id())), value(entry));
    }

    /** Adds the postponed documents whose time has come, up to a limit. {@return whether there may be more} */
    public CompletableFuture<Boolean> recall(Transaction tx, String node, Instant now, int limit) {
        Subspace place = root.subspace(Tuple.from("later", node));
        byte[] end = place.pack(Tuple.from(now.toEpochMilli() + 1));
        return tx.getRange(place.range().begin, end, limit).asList().thenCompose(rows -> {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (KeyValue row : rows) {
                tx.clear(row.getKey());
                OutboxEntry late = entry(place.unpack(row.getKey()).getString(1), row.getValue());
                all.add(tx.get(out(node, late.id())).thenAccept(value -> {
                    if (value == null) {
                        put(tx, node, late);
                    }
                }));
            }
            return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                    .thenApply(done -> rows.size() == limit);
        });
    }

    /** {@return the earliest time of a postponed document} */
    public CompletableFuture<Optional<Instant>> nextTime(ReadTransaction tx, String node) {
        Subspace place = root.subspace(Tuple.from("later", node));
        return tx.getRange(place.range(), 1)
                .asList()
                .thenApply(rows -> rows.stream()
                        .map(row ->
                                Instant.ofEpochMilli(place.unpack(row.getKey()).getLong(0)))
                        .findFirst());
    }

    /** {@return whether a node has to write a document now} */
    public CompletableFuture<Boolean> contains(ReadTransaction tx, String node, String id) {
        return tx.get(out(node, id)).thenApply(Objects::nonNull);
    }

    /** {@return the time until which a document is postponed; empty if it is not found among the first} */
    public CompletableFuture<Optional<Instant>> retryAt(ReadTransaction tx, String node, String id) {
        Subspace place = root.subspace(Tuple.from("later", node));
        return tx.getRange(place.range(), LOOKED_THROUGH)
                .asList()
                .thenApply(rows -> rows.stream()
                        .map(row -> place.unpack(row.getKey()))
                        .filter(key -> key.getString(1).equals(id))
                        .map(key -> Instant.ofEpochMilli(key.getLong(0)))
                        .findFirst());
    }

    /** {@return completes when a document is added after this transaction} */
    public CompletableFuture<Void> watch(Transaction tx, String node) {
        return tx.watch(root.pack(Tuple.from("watches_out", node)));
    }

    private byte[] out(String node, String id) {
        return root.pack(Tuple.from("out", node, id));
    }

    private static byte[] value(OutboxEntry entry) {
        return Tuple.from(entry.token(), entry.refusals()).pack();
    }

    private static OutboxEntry entry(String id, byte[] value) {
        Tuple reason = Tuple.fromBytes(value);
        return new OutboxEntry(id, reason.getLong(0), Math.toIntExact(reason.getLong(1)));
    }
}
