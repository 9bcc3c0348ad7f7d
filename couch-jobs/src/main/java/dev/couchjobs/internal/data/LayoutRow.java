package dev.couchjobs.internal.data;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobsException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
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

    /** Runs what writes rows; where this code may not, the transaction is cancelled, and so cannot commit. */
    public <T> CompletableFuture<T> writing(Transaction tx, Supplier<CompletableFuture<T>> body) {
        return checked(tx, Layout::refusesWriting, tx::cancel, body);
    }

    /** Runs what reads rows, and fails where this code may not, whatever came of it. */
    public <T> CompletableFuture<T> reading(ReadTransaction tx, Supplier<CompletableFuture<T>> body) {
        return checked(tx, Layout::refusesReading, () -> {}, body);
    }

    private <T> CompletableFuture<T> checked(
            ReadTransaction tx,
            Function<Layout, Optional<JobsException>> check,
            Runnable refused,
            Supplier<CompletableFuture<T>> body) {
        if (!checked) {
            return body.get();
        }
        CompletableFuture<Layout> layout = read(tx);
        CompletableFuture<T> done = body.get();
        // If the layout could not be read, then perhaps because the body had a reason to cancel the transaction.
        return layout.handle((found, error) -> found == null ? Optional.<JobsException>empty() : check.apply(found))
                .thenCompose(refusal -> {
                    if (refusal.isPresent()) {
                        refused.run();
                        return CompletableFuture.failedFuture(refusal.get());
                    }
                    return done.thenCombine(layout, (result, known) -> result);
                });
    }
}
