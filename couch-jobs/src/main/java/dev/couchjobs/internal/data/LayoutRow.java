package dev.couchjobs.internal.data;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobsException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The row that says how the others are laid out.
 *
 * <p>Every transaction reads it beside whatever it reads first, in a way that conflicts with a change of it. So a
 * transaction that changes the row knows, once that has committed, that nothing commits any more that has not seen the
 * change; processes need not be asked, and may have been suspended.
 */
public final class LayoutRow {
    private final byte[] key;
    private final boolean checked;

    public LayoutRow(Keyspace keyspace) {
        this(keyspace.layout(), true);
    }

    private LayoutRow(byte[] key, boolean checked) {
        this.key = key;
        this.checked = checked;
    }

    /** {@return the same, for a caller that itself looks at what is said there} */
    public LayoutRow unchecked() {
        return new LayoutRow(key, false);
    }

    /** {@return what is said of the layout} */
    public CompletableFuture<Layout> read(ReadTransaction tx) {
        return tx.get(key).thenApply(Layout::decode);
    }

    /** Says how the rows are laid out from now on. */
    public void write(Transaction tx, Layout layout) {
        tx.set(key, layout.encode());
    }

    /** Says it where it is not said yet. */
    public CompletableFuture<@Nullable Void> writeIfAbsent(Transaction tx) {
        return tx.get(key).thenAccept(value -> {
            if (value == null) {
                write(tx, Layout.FIRST);
            }
        });
    }

    /** Begins a check for what writes rows; where this code may not, the transaction is cancelled and cannot commit. */
    public Check writing(Transaction tx) {
        return checked ? new Check(read(tx), Layout::refusesWriting, tx::cancel) : Check.NONE;
    }

    /** Begins a check for what only reads rows. */
    public Check reading(ReadTransaction tx) {
        return checked ? new Check(read(tx), Layout::refusesReading, () -> {}) : Check.NONE;
    }

    /** Whether this code may use the rows; it is read beside the rows themselves. */
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

        /** {@return what was done, or a failure where this code may not use the rows, whatever came of it} */
        public <T extends @Nullable Object> CompletableFuture<T> require(CompletableFuture<T> done) {
            // If the layout could not be read, then perhaps because the transaction was cancelled for a reason.
            return layout.handle(
                            (found, error) -> found == null ? Optional.<JobsException>empty() : refusal.apply(found))
                    .thenCompose(refuses -> {
                        if (refuses.isPresent()) {
                            refused.run();
                            return CompletableFuture.failedFuture(refuses.get());
                        }
                        return done.thenCombine(layout, (result, known) -> result);
                    });
        }
    }
}
