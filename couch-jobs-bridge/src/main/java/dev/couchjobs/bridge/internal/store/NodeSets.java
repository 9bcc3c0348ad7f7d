package dev.couchjobs.bridge.internal.store;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.bridge.internal.Sha256;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The sets of nodes that steps target. Each has a job type of its own, and needs a watch on each of its nodes, so their
 * number is limited.
 *
 * <pre>
 * set, digest    the nodes of the set, and the day of its last use
 * watches_set    changes with each new set
 * </pre>
 */
public final class NodeSets {
    /** The number of days without use after which a set may be removed. */
    private static final int KEPT_DAYS = 7;

    private static final byte[] ONE = {1, 0, 0, 0, 0, 0, 0, 0};

    private final Subspace sets;
    private final byte[] changedKey;
    private final int most;

    /** @param most the largest number of sets */
    public NodeSets(Subspace root, int most) {
        this.sets = root.subspace(Tuple.from("set"));
        this.changedKey = root.pack(Tuple.from("watches_set"));
        this.most = most;
    }

    /**
     * Adds a set, or updates the day of its last use.
     *
     * @param ifNew runs if the set is new
     * @return whether the set is stored; false if there are too many
     */
    public CompletableFuture<Boolean> use(
            Transaction tx, SortedSet<String> nodes, LocalDate today, Supplier<CompletableFuture<Void>> ifNew) {
        byte[] key = sets.pack(Tuple.from((Object) digest(nodes)));
        return tx.get(key).thenCompose(value -> {
            if (value == null) {
                return add(tx, key, nodes, today, ifNew);
            }
            if (day(value) < today.toEpochDay()) { // at most once a day, because many transactions read this row
                tx.set(key, row(nodes, today));
            }
            return CompletableFuture.completedFuture(true);
        });
    }

    private CompletableFuture<Boolean> add(
            Transaction tx,
            byte[] key,
            SortedSet<String> nodes,
            LocalDate today,
            Supplier<CompletableFuture<Void>> ifNew) {
        return rows(tx.snapshot()).thenCompose(known -> {
            if (known.size() >= most) {
                return CompletableFuture.completedFuture(false);
            }
            tx.set(key, row(nodes, today));
            tx.mutate(MutationType.ADD, changedKey, ONE);
            return ifNew.get().thenApply(done -> true);
        });
    }

    /** {@return all sets} */
    public CompletableFuture<List<SortedSet<String>>> all(ReadTransaction tx) {
        return rows(tx).thenApply(
                        rows -> rows.stream().map(row -> nodes(row.getValue())).toList());
    }

    /** {@return completes when a set is added after this transaction} */
    public CompletableFuture<Void> watch(Transaction tx) {
        return tx.watch(changedKey);
    }

    /**
     * Removes the sets that were not used for long. A concurrent use writes the row, so one of the two transactions
     * conflicts.
     *
     * @param hasJobs whether jobs of a set wait or run
     */
    public CompletableFuture<Void> forget(
            Transaction tx, LocalDate today, Function<SortedSet<String>, CompletableFuture<Boolean>> hasJobs) {
        return rows(tx).thenCompose(rows -> {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (KeyValue row : rows) {
                if (day(row.getValue()) < today.toEpochDay() - KEPT_DAYS) {
                    all.add(hasJobs.apply(nodes(row.getValue())).thenAccept(isNeeded -> {
                        if (!isNeeded) {
                            tx.clear(row.getKey());
                        }
                    }));
                }
            }
            return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
        });
    }

    private CompletableFuture<List<KeyValue>> rows(ReadTransaction tx) {
        return tx.getRange(sets.range()).asList();
    }

    private static byte[] row(SortedSet<String> nodes, LocalDate day) {
        return Tuple.from(day.toEpochDay()).addAll(List.copyOf(nodes)).pack();
    }

    private static long day(byte[] row) {
        return Tuple.fromBytes(row).getLong(0);
    }

    private static SortedSet<String> nodes(byte[] row) {
        SortedSet<String> nodes = new TreeSet<>();
        Tuple.fromBytes(row).popFront().getItems().forEach(name -> nodes.add((String) name));
        return nodes;
    }

    /** The names of nodes contain no commas. */
    private static byte[] digest(SortedSet<String> nodes) {
        return Sha256.of(String.join(",", nodes));
    }
}
