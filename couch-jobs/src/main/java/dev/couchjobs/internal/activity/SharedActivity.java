package dev.couchjobs.internal.activity;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An activity row that several jobs share: how many of the jobs still use it, as far as the process that runs them
 * knows. The transaction that ends or renews the last of these jobs clears the row.
 *
 * <p>Invariant: a running job always has an activity row; without one, its expiry is never found. The count therefore
 * decreases only after a commit is confirmed. After an unknown commit result it never decreases, and the activity
 * monitor clears the row.
 */
public final class SharedActivity {
    private final TypeKeys keys;
    private final CompletableFuture<byte[]> stamp;
    private final int userVersion;

    @GuardedBy("this") private int jobs;

    /**
     * Counts all jobs of a new row.
     *
     * @param tx the transaction that writes the row
     * @param keys the keys of the jobs' type
     * @param userVersion distinguishes the row from other rows of the transaction
     * @param jobs how many jobs share the row
     */
    public SharedActivity(Transaction tx, TypeKeys keys, int userVersion, int jobs) {
        this.keys = keys;
        this.stamp = tx.getVersionstamp();
        this.userVersion = userVersion;
        this.jobs = jobs;
    }

    /** Records that jobs no longer use the row. */
    public synchronized void leave(int count) {
        jobs -= count;
    }

    /** {@return whether no other job uses the row} */
    public synchronized boolean isEmptyWithout(int count) {
        return jobs == count;
    }

    /** {@return the key of the row, if the versionstamp of its commit is known} */
    public Optional<byte[]> key() {
        return stamp.isDone() && !stamp.isCompletedExceptionally()
                ? Optional.of(ActivityKeys.of(keys).activity(Versionstamp.complete(stamp.join(), userVersion)))
                : Optional.empty();
    }
}
