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
 * The sets of nodes at which steps are aimed: each has a type of jobs of its own, and costs each node that belongs to
 * it a watch and a little work, so there may only be so many of them.
 *
 * <pre>
 * set, digest    its nodes, and the day on which it was last aimed at
 * sets           changes with each new one
 * </pre>
 */
public final class NodeSets {
    /** Days on which nothing was aimed at a set before it may be forgotten. */
    private static final int KEPT_DAYS = 7;

    private static final byte[] ONE = {1, 0, 0, 0, 0, 0, 0, 0};

    private final Subspace sets;
    private final byte[] changedKey;
    private final int most;

    /** @param most how many there may be */
    public NodeSets(Subspace root, int most) {
        this.sets = root.subspace(Tuple.from("set"));
        this.changedKey = root.pack(Tuple.from("watches_set"));
        this.most = most;
    }

    /**
     * A step is aimed at a set.
     *
     * @param ifNew what else is to be done if it was not known
     * @return whether it is known now; false if there are too many
     */
    public CompletableFuture<Boolean> use(
            Transaction tx, SortedSet<String> nodes, LocalDate today, Supplier<CompletableFuture<Void>> ifNew) {
        byte[] key = sets.pack(Tuple.from((Object) digest(nodes)));
        return tx.get(key).thenCompose(value -> {
            if (value == null) {
                return add(tx, key, nodes, today, ifNew);
            }
            if (day(value) < today.toEpochDay()) { // once a day: this row is read by many
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

    /** {@return the sets that are known} */
    public CompletableFuture<List<SortedSet<String>>> all(ReadTransaction tx) {
        return rows(tx).thenApply(
                        rows -> rows.stream().map(row -> nodes(row.getValue())).toList());
    }

    /** {@return completes when a further set becomes known after this transaction} */
    public CompletableFuture<Void> watch(Transaction tx) {
        return tx.watch(changedKey);
    }

    /**
     * Forgets sets at which nothing has been aimed for long. To aim at one again writes its row, so this then
     * conflicts.
     *
     * @param hasJobs whether something still waits or runs there
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

    /** Node names have no commas. */
    private static byte[] digest(SortedSet<String> nodes) {
        return Sha256.of(String.join(",", nodes));
    }
}
