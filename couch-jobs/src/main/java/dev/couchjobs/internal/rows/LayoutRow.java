package dev.couchjobs.internal.rows;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.IncompatibleLayoutException;
import dev.couchjobs.JobsException;
import dev.couchjobs.internal.loop.RootCauses;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The row with the layout of all other rows.
 *
 * <p>Every transaction reads the row in parallel with its first read, and conflicts with changes of it. After a change
 * of the row has committed, no transaction commits that has not read the change, not even one of a process that was
 * suspended.
 */
public final class LayoutRow {
    private static final int NO_USER_VERSION = 0;

    private final byte[] key;
    private final List<byte[]> watches;
    private final boolean checked;

    public LayoutRow(Keyspace keyspace) {
        this(keyspace.row("layout"), List.of(keyspace.row("watches_in_use"), keyspace.row("watches_settings")), true);
    }

    private LayoutRow(byte[] key, List<byte[]> watches, boolean checked) {
        this.key = key;
        this.watches = watches;
        this.checked = checked;
    }

    /** {@return a copy that does not check the layout, for a caller that reads the row itself} */
    public LayoutRow unchecked() {
        return new LayoutRow(key, watches, false);
    }

    /** {@return the layout} */
    public CompletableFuture<Layout> read(ReadTransaction tx) {
        return tx.get(key).thenApply(value -> Layout.decode(key, value));
    }

    /** Writes the layout. */
    public void write(Transaction tx, Layout layout) {
        tx.set(key, layout.encode());
    }

    /** Writes the first layout if there is no row. */
    public CompletableFuture<@Nullable Void> writeIfAbsent(Transaction tx) {
        return inOrder(
                tx,
                () -> tx.get(key).thenApply(value -> {
                    if (value == null) {
                        write(tx, Layout.FIRST);
                    }
                    return null;
                }));
    }

    /**
     * Keeps code that does not know some rows from writing any. Several calls in one transaction add up. The
     * first use of a feature wakes all processes at rest: what they sleep until may follow from it. Older code watches
     * for types only.
     */
    public CompletableFuture<@Nullable Void> raise(Transaction tx, UnaryOperator<Layout> to) {
        return inOrder(
                tx,
                () -> read(tx).thenApply(found -> {
                    Layout raised = to.apply(found);
                    if (!raised.equals(found)) {
                        write(tx, raised);
                        if (raised.hasMoreFeaturesThan(found)) {
                            watches.forEach(watched -> IncompleteVersionstamps.touch(tx, watched, NO_USER_VERSION));
                        }
                    }
                    return null;
                }));
    }

    private CompletableFuture<@Nullable Void> inOrder(
            Transaction tx, Supplier<CompletableFuture<@Nullable Void>> step) {
        return TransactionScope.inOrder(tx, List.of(key), step);
    }

    /** Starts the check of a transaction that writes rows. If this code may not, the transaction is cancelled. */
    public Check writing(Transaction tx) {
        if (!checked) {
            return Check.NONE;
        }
        CompletableFuture<Layout> layout = read(tx);
        TransactionScope.of(tx).rememberLayout(layout);
        return new Check(layout, Layout::refusesWriting, tx::cancel);
    }

    /** {@return the layout, as a transaction that writes rows reads it} */
    public static CompletableFuture<Layout> whileWriting(Transaction tx) {
        return TransactionScope.layout(tx).orElseThrow();
    }

    /** {@return whether a feature may be in use, as far as a transaction that writes rows knows already} */
    public static boolean mayUse(Transaction tx, Feature feature) {
        return TransactionScope.layout(tx)
                .map(layout -> !layout.isDone()
                        || layout.isCompletedExceptionally()
                        || layout.join().mayUse(feature))
                .orElse(true);
    }

    /** {@return the layout, as the check of a transaction that writes rows reads it} */
    public CompletableFuture<Layout> checkedBy(Transaction tx) {
        return TransactionScope.layout(tx).orElseGet(() -> read(tx));
    }

    /** Starts the check of a transaction that only reads rows. */
    public Check reading(ReadTransaction tx) {
        return checked ? new Check(read(tx), Layout::refusesReading, () -> {}) : Check.NONE;
    }

    /** A check whether this code may use the rows, in parallel with reads of the rows. */
    public static final class Check {
        private static final Check NONE =
                new Check(CompletableFuture.completedFuture(Layout.FIRST), layout -> Optional.empty(), () -> {});

        private final CompletableFuture<Layout> layout;
        private final Function<Layout, Optional<JobsException>> refusal;
        private final Runnable refused;

        private Check(
                CompletableFuture<Layout> layout, Function<Layout, Optional<JobsException>> refusal, Runnable refused) {
            this.layout = layout;
            this.refusal = refusal;
            this.refused = refused;
        }

        /** {@return the result of a body, or a failure if this code may not use the rows} */
        public <T extends @Nullable Object> CompletableFuture<T> require(CompletableFuture<T> done) {
            // If the layout could not be read, the body fails too, possibly with the cause of a cancellation.
            return layout.handle((row, error) -> row == null ? damaged(error) : refusal.apply(row))
                    .thenCompose(refuses -> {
                        if (refuses.isPresent()) {
                            refused.run();
                            return CompletableFuture.failedFuture(refuses.get());
                        }
                        return done.thenCombine(layout, (result, row) -> result);
                    });
        }

        private static Optional<JobsException> damaged(Throwable error) {
            return RootCauses.of(error) instanceof IncompatibleLayoutException damaged
                    ? Optional.of(damaged)
                    : Optional.empty();
        }
    }
}
