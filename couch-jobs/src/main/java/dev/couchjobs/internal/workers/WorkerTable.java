package dev.couchjobs.internal.workers;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The rows of the workers, and the orders for their names (rfc/026). */
public final class WorkerTable {
    /** For how long a worker is live after it was last seen. */
    private static final Duration LIVE = Duration.ofMinutes(3);
    /** After what time the row of a worker that is not seen, and the order of a drain, are removed. */
    private static final Duration KEPT = Duration.ofDays(1);

    private final Subspace workers;
    private final Subspace orders;

    public WorkerTable(Keyspace keyspace) {
        this.workers = keyspace.table("workers");
        this.orders = keyspace.table("worker_orders");
    }

    /**
     * A worker.
     *
     * @param name its name
     * @param id tells it from others with the name
     */
    public record Ref(String name, UUID id) {}

    /** A worker and its row. */
    public record Listed(Ref ref, WorkerRow row) {
        /** {@return whether the worker was seen a short time ago} */
        public boolean isLive(Instant now) {
            return row.lastSeen() >= now.minus(LIVE).toEpochMilli();
        }
    }

    /** A name and the orders for its workers. */
    public record Ordered(String name, WorkerOrders orders) {}

    // Workers

    /** {@return the row of a worker; empty if it is damaged} */
    public CompletableFuture<Optional<WorkerRow>> find(ReadTransaction tx, Ref worker) {
        byte[] key = key(worker);
        return tx.get(key)
                .thenApply(value -> Optional.ofNullable(value)
                        .flatMap(bytes -> Quarantine.readableOrLogged(
                                new KeyValue(key, bytes), row -> WorkerRow.decode(row.getValue()))));
    }

    public void write(Transaction tx, Ref worker, WorkerRow row) {
        tx.set(key(worker), row.encode());
    }

    public void remove(Transaction tx, Ref worker) {
        tx.clear(key(worker));
    }

    public byte[] key(Ref worker) {
        return workers.pack(Tuple.from(worker.name(), worker.id()));
    }

    /** {@return the rows of the workers that follow a key, or of the first} */
    public CompletableFuture<List<KeyValue>> list(
            ReadTransaction tx, Optional<byte[]> after, int limit, boolean isReversed) {
        return list(tx, workers.range(), after, limit, isReversed);
    }

    /** {@return the readable rows before and behind that of a worker, at most a number on each side} */
    public CompletableFuture<List<Listed>> neighbours(ReadTransaction tx, Ref worker, int limit) {
        Optional<byte[]> own = Optional.of(key(worker));
        return list(tx, own, limit, true)
                .thenCombine(
                        list(tx, own, limit, false),
                        (before, behind) -> Stream.concat(before.stream(), behind.stream())
                                .map(this::readable)
                                .flatMap(Optional::stream)
                                .toList());
    }

    /**
     * {@return the readable rows of the workers with a name, at most as many as a limit} A worker that registers
     * meanwhile conflicts.
     */
    public CompletableFuture<List<Listed>> withName(Transaction tx, String name, int limit) {
        Range all = workers.range(Tuple.from(name));
        tx.addReadConflictRange(all.begin, all.end);
        return list(tx, all, Optional.empty(), limit, false)
                .thenApply(rows -> rows.stream()
                        .map(this::readable)
                        .flatMap(Optional::stream)
                        .toList());
    }

    /** {@return a row of a listing; empty if it is damaged} */
    public Optional<Listed> readable(KeyValue row) {
        return Quarantine.readableOrLogged(row, each -> {
            Tuple path = workers.unpack(each.getKey());
            return new Listed(new Ref(path.getString(0), path.getUUID(1)), WorkerRow.decode(each.getValue()));
        });
    }

    // Orders

    /** {@return the key that changes with the orders for a name, and with nothing else} */
    public byte[] ordersKey(String name) {
        return orders.pack(name);
    }

    /** {@return the orders for a name; empty if they are damaged} */
    public CompletableFuture<Optional<WorkerOrders>> orders(ReadTransaction tx, String name) {
        byte[] key = ordersKey(name);
        return tx.get(key)
                .thenApply(value -> value == null
                        ? Optional.of(WorkerOrders.NONE)
                        : Quarantine.readableOrLogged(
                                new KeyValue(key, value), row -> WorkerOrders.decode(row.getValue())));
    }

    /** Changes the orders for a name. Damaged ones are replaced. */
    public CompletableFuture<Void> change(Transaction tx, String name, Function<WorkerOrders, WorkerOrders> toNext) {
        return orders(tx, name).thenAccept(before -> {
            WorkerOrders next = toNext.apply(before.orElse(WorkerOrders.NONE));
            if (next.equals(WorkerOrders.NONE)) {
                tx.clear(ordersKey(name));
            } else if (before.filter(next::equals).isEmpty()) {
                tx.set(ordersKey(name), next.encode());
            }
        });
    }

    /** {@return the rows of the orders that follow a key, or of the first} */
    public CompletableFuture<List<KeyValue>> listOrders(
            ReadTransaction tx, Optional<byte[]> after, int limit, boolean isReversed) {
        return list(tx, orders.range(), after, limit, isReversed);
    }

    /** {@return a row of a listing; empty if it is damaged} */
    public Optional<Ordered> readableOrders(KeyValue row) {
        return Quarantine.readableOrLogged(
                row,
                each -> new Ordered(orders.unpack(each.getKey()).getString(0), WorkerOrders.decode(each.getValue())));
    }

    // Removal

    /**
     * Removes the workers behind a key that were not seen for long, and those whose rows are damaged: a live worker
     * writes its row again.
     *
     * @return the key of the last row; empty if there are no more rows
     */
    public CompletableFuture<Optional<byte[]>> prune(Transaction tx, Optional<byte[]> after, int limit, Instant now) {
        return prune(
                tx,
                this::list,
                after,
                limit,
                row -> readable(row)
                        .filter(worker -> isRecent(worker.row().lastSeen(), now))
                        .isEmpty());
    }

    /** Removes the orders behind a key that say nothing but a drain of long ago; see {@link #prune}. */
    public CompletableFuture<Optional<byte[]>> pruneOrders(
            Transaction tx, Optional<byte[]> after, int limit, Instant now) {
        return prune(
                tx,
                this::listOrders,
                after,
                limit,
                row -> readableOrders(row)
                        .filter(ordered -> !ordered.orders().isPaused()
                                && !isRecent(ordered.orders().drainedAt(), now))
                        .isPresent());
    }

    /** Lists rows behind a key. */
    @FunctionalInterface
    public interface Listing {
        CompletableFuture<List<KeyValue>> list(
                ReadTransaction tx, Optional<byte[]> after, int limit, boolean isReversed);
    }

    private static CompletableFuture<Optional<byte[]>> prune(
            Transaction tx, Listing listing, Optional<byte[]> after, int limit, Predicate<KeyValue> isOld) {
        return listing.list(tx, after, limit, false).thenApply(rows -> {
            rows.stream().filter(isOld).map(KeyValue::getKey).forEach(key -> {
                tx.addReadConflictKey(key);
                tx.clear(key);
            });
            return rows.size() < limit
                    ? Optional.empty()
                    : Optional.of(rows.get(limit - 1).getKey());
        });
    }

    /** A time far ahead comes from a wrong clock. */
    private static boolean isRecent(long millis, Instant now) {
        return Duration.between(Instant.ofEpochMilli(millis), now).abs().compareTo(KEPT) <= 0;
    }

    private static CompletableFuture<List<KeyValue>> list(
            ReadTransaction tx, Range all, Optional<byte[]> after, int limit, boolean isReversed) {
        Optional<byte[]> last = after.filter(key -> isWithin(all, key));
        Range rest = isReversed
                ? new Range(all.begin, last.orElse(all.end))
                : new Range(last.map(ByteArrayUtil::keyAfter).orElse(all.begin), all.end);
        return tx.snapshot().getRange(rest, limit, isReversed).asList();
    }

    private static boolean isWithin(Range all, byte[] key) {
        return Arrays.compareUnsigned(all.begin, key) <= 0 && Arrays.compareUnsigned(key, all.end) < 0;
    }
}
