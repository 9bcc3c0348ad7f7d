package dev.couchjobs.loop;

import com.apple.foundationdb.ReadTransaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.futures.Futures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Bounds the waits for watches. FoundationDB leaves a watch pending for ever if a timeout cancels the commit that arms
 * it (apple/foundationdb#13395). So the keys of all waits are read from time to time, many in one transaction and
 * without conflicts. A wait whose key has another value than the transaction saw that armed its watch ends, as if the
 * watch had fired.
 *
 * <p>Each key is read once in 75 to 100 seconds, or more often by {@link #look}. Without waits there is no transaction.
 */
public final class WatchLooks implements AutoCloseable {
    /** The time within which the waits for a key end that has changed, while transactions succeed. */
    public static final Duration BOUND = Duration.ofMinutes(2);

    private static final Duration TICK = Duration.ofSeconds(25);
    /** A key is read when it was not read in the last three ticks: those who call {@link #look} do so once a minute. */
    private static final int TICKS_WITHOUT_LOOK = 4;

    private static final int KEYS_PER_TRANSACTION = 1_000;

    private final Transactions transactions;
    private final Loop loop;

    /** The waits; those whose keys were read last are at the end. */
    @GuardedBy("this") private final Set<Wait> waits = new LinkedHashSet<>();

    @GuardedBy("this") private long tick;

    /** Whether a round follows that will see a new wait. */
    @GuardedBy("this") private boolean isTicking;

    /** Runs transactions that only read. */
    @FunctionalInterface
    public interface Transactions {
        /**
         * Runs a transaction, with retries.
         *
         * @param body reads
         * @return what the body returns
         */
        CompletableFuture<Boolean> read(Function<ReadTransaction, CompletableFuture<Boolean>> body);
    }

    /** A wait for one key. */
    private static final class Wait {
        final ArmedWatch watch;
        final CompletableFuture<Void> result;
        /** The tick in which the key was read last. */
        long lookedAt;

        Wait(ArmedWatch watch, CompletableFuture<Void> result, long tick) {
            this.watch = watch;
            this.result = result;
            this.lookedAt = tick;
        }
    }

    /**
     * Makes looks, which begin with the first wait.
     *
     * @param environment its timers
     * @param transactions read the keys
     */
    public WatchLooks(Environment environment, Transactions transactions) {
        this.transactions = transactions;
        this.loop = new Loop("looks at watched keys", environment, this::round);
    }

    /**
     * Waits for a watch.
     *
     * @param watch was armed by a transaction that has committed
     * @return as {@link #awaitFirst}
     */
    public CompletableFuture<Void> await(ArmedWatch watch) {
        return awaitFirst(List.of(watch));
    }

    /**
     * Waits for the first of some watches.
     *
     * @param watches were armed by a transaction that has committed; none never fires
     * @return completes when a watch fires, or within {@link #BOUND} after its key has changed; fails if a watch does.
     *     When it ends, or is cancelled, all the watches are cancelled
     */
    public CompletableFuture<Void> awaitFirst(Collection<ArmedWatch> watches) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        List<Wait> added = add(watches, result);
        for (ArmedWatch watch : watches) {
            var unused = watch.fired().whenComplete((done, error) -> {
                if (error == null) {
                    result.complete(null);
                } else {
                    result.completeExceptionally(error);
                }
            });
        }
        var unused = result.whenComplete((done, error) -> {
            remove(added);
            watches.forEach(ArmedWatch::cancel);
        });
        return result;
    }

    private List<Wait> add(Collection<ArmedWatch> watches, CompletableFuture<Void> result) {
        List<Wait> added;
        boolean begins;
        synchronized (this) {
            begins = !isTicking && !watches.isEmpty();
            long now = begins ? tick + 1 : tick; // the round that begins is the next tick
            added = watches.stream().map(watch -> new Wait(watch, result, now)).toList();
            waits.addAll(added);
            isTicking |= begins;
        }
        if (begins) {
            loop.wakeUp();
        }
        return added;
    }

    private synchronized void remove(List<Wait> ended) {
        ended.forEach(waits::remove);
    }

    /**
     * Reads some of the keys in a transaction that runs anyway, about once a minute. That saves a transaction.
     *
     * @param tx the transaction
     * @return completes when they are read
     */
    public CompletableFuture<Boolean> look(ReadTransaction tx) {
        return read(tx, notReadFor(1));
    }

    private CompletableFuture<Pause> round() {
        synchronized (this) {
            tick++;
            if (waits.isEmpty()) {
                isTicking = false;
                return CompletableFuture.completedFuture(Pause.untilWakeUp());
            }
        }
        return readAll().thenApply(done -> Pause.atMost(TICK));
    }

    private CompletableFuture<Boolean> readAll() {
        List<Wait> due = notReadFor(TICKS_WITHOUT_LOOK);
        return due.isEmpty()
                ? CompletableFuture.completedFuture(true)
                : transactions.read(tx -> read(tx, due)).thenCompose(done -> readAll());
    }

    private synchronized List<Wait> notReadFor(int ticks) {
        long last = tick - ticks;
        return waits.stream()
                .takeWhile(wait -> wait.lookedAt <= last)
                .limit(KEYS_PER_TRANSACTION)
                .toList();
    }

    /** What is read is true, whatever becomes of the transaction. */
    private CompletableFuture<Boolean> read(ReadTransaction tx, List<Wait> due) {
        List<CompletableFuture<Boolean>> changes = due.stream()
                .map(wait -> tx.snapshot().get(wait.watch.key()).thenApply(wait.watch::hasChanged))
                .toList();
        return Futures.allOf(changes).thenApply(done -> {
            List<Wait> changed = new ArrayList<>();
            for (int i = 0; i < due.size(); i++) {
                if (changes.get(i).join()) {
                    changed.add(due.get(i));
                }
            }
            looked(due);
            changed.forEach(wait -> wait.result.complete(null));
            return true;
        });
    }

    private synchronized void looked(List<Wait> read) {
        for (Wait wait : read) {
            if (waits.remove(wait)) {
                wait.lookedAt = tick;
                waits.add(wait);
            }
        }
    }

    /** Ends the looks. Waits end only with their watches then. */
    @Override
    public void close() {
        loop.close();
    }
}
