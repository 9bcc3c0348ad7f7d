package dev.couchjobs.loop;

import com.apple.foundationdb.Transaction;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A watch, and the value of its key that the transaction saw. A watch may never fire, so nobody waits for it alone:
 * {@link WatchLooks#await} compares the value from time to time.
 */
public final class ArmedWatch {
    private final byte[] key;
    private final CompletableFuture<byte @Nullable []> seen;
    private final CompletableFuture<Void> fired;

    private ArmedWatch(byte[] key, CompletableFuture<byte @Nullable []> seen, CompletableFuture<Void> fired) {
        this.key = key;
        this.seen = seen;
        this.fired = fired;
    }

    /**
     * Arms a watch. A watch reads its key in any case, and the transaction keeps what it has read. So the value costs
     * no further read and no further round trip.
     *
     * @param tx commits after the returned future has completed
     * @param key the key
     * @return the watch
     */
    public static CompletableFuture<ArmedWatch> arm(Transaction tx, byte[] key) {
        CompletableFuture<byte @Nullable []> read = tx.snapshot().get(key);
        return read.thenApply(seen -> new ArmedWatch(key, read, tx.watch(key)));
    }

    /**
     * Arms a watch at once, for callers that cannot wait for the value: that may cost a further read.
     *
     * @param tx commits later
     * @param key the key
     * @return the watch
     */
    public static ArmedWatch armNow(Transaction tx, byte[] key) {
        return new ArmedWatch(key, tx.snapshot().get(key), tx.watch(key));
    }

    /** Cancels the watch, for which nobody waits. */
    public void cancel() {
        fired.cancel(false);
    }

    byte[] key() {
        return key;
    }

    /** {@return whether the key has another value} A watch whose transaction has failed is of no use to anybody. */
    boolean hasChanged(byte @Nullable [] value) {
        return seen.isCompletedExceptionally() || (seen.isDone() && !Arrays.equals(seen.join(), value));
    }

    CompletableFuture<Void> fired() {
        return fired;
    }
}
