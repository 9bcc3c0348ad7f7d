package dev.couchjobs.server.internal.work;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Job;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** The last call of each worker that got claims, so that it can be repeated: the rows of rfc/032. */
final class ClaimRows {
    private static final Duration KEPT = Duration.ofDays(1);
    private static final int CALLS_PER_PRUNING = 60;
    private static final int PRUNED_MAX = 50;

    private final Subspace rows;
    private final InstantSource clock;
    private final AtomicInteger calls = new AtomicInteger();

    ClaimRows(Subspace root, InstantSource clock) {
        this.rows = root.subspace(Tuple.from("claims"));
        this.clock = clock;
    }

    /** A claim, by what names it. */
    record Held(String type, String id, UUID lock) {
        static List<Held> of(List<? extends Job<?>> claims) {
            return claims.stream()
                    .map(claim -> new Held(claim.type().name(), claim.id(), claim.lock()))
                    .toList();
        }
    }

    /** {@return the claims that a call of a worker has got, if that was its last} */
    CompletableFuture<Optional<List<Held>>> find(Transaction tx, UUID worker, String requestId) {
        return tx.get(key(worker))
                .thenApply(value -> Optional.ofNullable(value)
                        .map(Tuple::fromBytes)
                        .filter(row -> row.getString(0).equals(requestId))
                        .map(ClaimRows::held));
    }

    /** {@return the types of the claims that the last call of a worker has got} */
    CompletableFuture<Set<String>> types(ReadTransaction tx, UUID worker) {
        return tx.get(key(worker))
                .thenApply(value -> value == null
                        ? Set.of()
                        : held(Tuple.fromBytes(value)).stream().map(Held::type).collect(Collectors.toSet()));
    }

    private static List<Held> held(Tuple row) {
        List<Held> held = new ArrayList<>();
        for (int i = 2; i < row.size(); i++) {
            Tuple claim = row.getNestedTuple(i);
            held.add(new Held(claim.getString(0), claim.getString(1), claim.getUUID(2)));
        }
        return held;
    }

    /** {@return the key of the row of a worker, which the transactions write that claim for it} */
    byte[] key(UUID worker) {
        return rows.pack(Tuple.from(worker));
    }

    /** Removes some old rows, once in 60 calls. */
    CompletableFuture<?> pruneSometimes(Transaction tx, UUID worker) {
        return calls.incrementAndGet() % CALLS_PER_PRUNING == 0
                ? prune(tx, key(worker))
                : CompletableFuture.completedFuture(tx);
    }

    /** Removes old rows behind a key: workers have random ids, so all rows get their turn. */
    private CompletableFuture<?> prune(Transaction tx, byte[] key) {
        long old = clock.instant().minus(KEPT).toEpochMilli();
        return tx.snapshot()
                .getRange(new Range(ByteArrayUtil.keyAfter(key), rows.range().end), PRUNED_MAX)
                .asList()
                .thenAccept(found -> {
                    for (KeyValue row : found) {
                        if (Tuple.fromBytes(row.getValue()).getLong(1) < old) {
                            tx.addReadConflictKey(row.getKey());
                            tx.clear(row.getKey());
                        }
                    }
                });
    }

    void remove(Transaction tx, UUID worker) {
        tx.clear(key(worker));
    }
}
