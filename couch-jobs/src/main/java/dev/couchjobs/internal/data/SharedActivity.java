package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An activity row that several jobs share, as the process that runs them knows it: how many of them run under it still.
 * The transaction that takes the last of them from under it clears the row.
 *
 * <p>Invariant: a running job always has an activity row; without one, its expiry is never found. The count therefore
 * decreases only after a commit is confirmed. After an unknown commit result it never decreases, and the activity
 * monitor clears the row.
 */
public final class SharedActivity {
    private final CompletableFuture<byte[]> stamp;
    private final int userVersion;

    @GuardedBy("this") private int jobs;

    /**
     * Begins with all of them.
     *
     * @param tx the transaction that writes the row
     * @param userVersion distinguishes the row from others of that transaction
     * @param jobs how many are written together
     */
    public SharedActivity(Transaction tx, int userVersion, int jobs) {
        this.stamp = tx.getVersionstamp();
        this.userVersion = userVersion;
        this.jobs = jobs;
    }

    /** Some jobs run under it no more. */
    public synchronized void leave(int some) {
        jobs -= some;
    }

    /** {@return whether no job is left under it once so many more have gone} */
    public synchronized boolean isEmptyWithout(int some) {
        return jobs == some;
    }

    /** {@return the sequence of the row, if the commit that wrote it has told its stamp} */
    public Optional<Versionstamp> sequence() {
        return stamp.isDone() && !stamp.isCompletedExceptionally()
                ? Optional.of(Versionstamp.complete(stamp.join(), userVersion))
                : Optional.empty();
    }
}
