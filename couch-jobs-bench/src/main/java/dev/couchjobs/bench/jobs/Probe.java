package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToLongFunction;

/** What one process asks of the database since it was begun to count: every try of a transaction. Thread-safe. */
final class Probe {
    private final Queue<CountingTransaction> tries = new ConcurrentLinkedQueue<>();

    @GuardedBy("this") private int held;

    @GuardedBy("this") private int heldAtMost;

    /** A way to a database on which this probe notes what is asked. */
    Database on(Database target) {
        return new CountingDatabase(target, this::next).asDatabase();
    }

    private CountingTransaction next() {
        CountingTransaction next = new CountingTransaction(this::armed);
        tries.add(next);
        return next;
    }

    private void armed(CompletableFuture<?> watch) {
        changeHeld(1);
        var unused = watch.whenComplete((fired, error) -> changeHeld(-1));
    }

    private synchronized void changeHeld(int by) {
        held += by;
        heldAtMost = Math.max(heldAtMost, held);
    }

    /** Begins to count again; watches that are armed stay counted as held. */
    synchronized void forget() {
        tries.clear();
        heldAtMost = held;
    }

    private synchronized int heldAtMost() {
        return heldAtMost;
    }

    /** What all processes have asked, for each of so many jobs, seconds or processes. */
    static Map<Metric, Double> ofAll(Collection<Probe> probes, double each) {
        return of(tries(probes), probes, each);
    }

    /** The same without the rounds of monitors, releasers and sweeps. */
    static Map<Metric, Double> withoutUpkeep(Collection<Probe> probes, double each) {
        return of(tries(probes).stream().filter(one -> !one.isUpkeep()).toList(), probes, each);
    }

    private static List<CountingTransaction> tries(Collection<Probe> probes) {
        return probes.stream().flatMap(probe -> probe.tries.stream()).toList();
    }

    private static Map<Metric, Double> of(List<CountingTransaction> tries, Collection<Probe> probes, double each) {
        return Map.of(
                Metric.TRANSACTIONS, tries.size() / each,
                Metric.READS, sum(tries, CountingTransaction::reads) / each,
                Metric.WATCHES, sum(tries, CountingTransaction::watches) / each,
                Metric.HELD,
                        (double) probes.stream()
                                .mapToInt(Probe::heldAtMost)
                                .max()
                                .orElse(0));
    }

    private static long sum(List<CountingTransaction> tries, ToLongFunction<CountingTransaction> count) {
        return tries.stream().mapToLong(count).sum();
    }
}
