package dev.couchjobs.fdb.contract.history;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.contract.EngineFutures;
import dev.couchjobs.fdb.contract.PrefixKeys;
import dev.couchjobs.fdb.contract.history.ObservedTransaction.Claim;
import dev.couchjobs.fdb.contract.history.ObservedTransaction.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs a workload on several threads at once and writes down what happened. The seed decides what each thread asks for;
 * the order in which the threads get on is the machine's.
 */
final class Recording {

    static final int THREADS = 4;
    private static final int TRANSACTIONS = 12;
    private static final int LONGEST_PAUSE = 3;

    private final Database database;
    private final Workload workload;
    private final long seed;
    private final PrefixKeys keys = new PrefixKeys();
    private final AtomicLong ticks = new AtomicLong();
    private final CyclicBarrier start = new CyclicBarrier(THREADS);

    private Recording(Database database, Workload workload, long seed) {
        this.database = database;
        this.workload = workload;
        this.seed = seed;
    }

    /** A history that began on an empty database and ended with a look at all there is. */
    static List<ObservedTransaction> of(Database database, Workload workload, long seed, Executor threads) {
        return new Recording(database, workload, seed).run(threads);
    }

    private List<ObservedTransaction> run(Executor threads) {
        try {
            List<CompletableFuture<List<ObservedTransaction>>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                running.add(CompletableFuture.supplyAsync(() -> runThread(thread), threads));
            }
            List<ObservedTransaction> history = new ArrayList<>();
            running.forEach(thread -> history.addAll(EngineFutures.await(thread)));
            history.add(attempt(THREADS, 0, () -> {}, workload::readAll));
            return history;
        } finally {
            keys.clear(database);
        }
    }

    private List<ObservedTransaction> runThread(int thread) {
        Random random = new Random(31 * seed + thread);
        awaitOthers();
        List<ObservedTransaction> transactions = new ArrayList<>();
        for (int i = 0; i < TRANSACTIONS; i++) {
            transactions.add(attempt(thread, i, () -> pause(random), transaction -> workload.run(transaction, random)));
        }
        return transactions;
    }

    private ObservedTransaction attempt(int thread, int number, Runnable pause, RecordedTransaction.Body body) {
        String name = thread + "." + number;
        ObservedTransaction observedTransaction =
                RecordedTransaction.run(database, keys, thread, name, ticks::incrementAndGet, pause, body);
        if (observedTransaction.outcome() == Outcome.COMMITTED) {
            return observedTransaction;
        }
        Versionstamp receipt = RecordedTransaction.receipt(database, keys, name);
        return new ObservedTransaction(
                thread,
                observedTransaction.invoked(),
                observedTransaction.completed(),
                observedTransaction.calls(),
                observedTransaction.outcome(),
                new Claim(observedTransaction.claim().readVersion(), receipt));
    }

    /** Gives the other threads a chance to come in between. */
    private static void pause(Random random) {
        for (int i = random.nextInt(LONGEST_PAUSE); i > 0; i--) {
            letOthersOn();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // Nothing depends on it: it only mixes the threads more.
    static void letOthersOn() {
        Thread.yield();
    }

    private void awaitOthers() {
        try {
            start.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted before the history began", e);
        } catch (BrokenBarrierException e) {
            throw new AssertionError("Another thread did not come", e);
        }
    }
}
