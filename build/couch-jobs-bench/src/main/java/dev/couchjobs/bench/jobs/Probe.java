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

/** Records the tries of the transactions of one process. Thread-safe. */
final class Probe {
    private final Queue<CountingTransaction> tries = new ConcurrentLinkedQueue<>();

    @GuardedBy("this") private int held;

    @GuardedBy("this") private int heldAtMost;

    /** Wraps a database so that this probe records its transactions. */
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

    /** Removes the recorded tries; armed watches stay counted as held. */
    synchronized void reset() {
        tries.clear();
        heldAtMost = held;
    }

    private synchronized int heldAtMost() {
        return heldAtMost;
    }

    /** The figures of all processes, divided by {@code divisor}: a number of jobs, seconds or processes. */
    static Map<Metric, Double> ofAll(Collection<Probe> probes, double divisor) {
        return of(tries(probes), probes, divisor);
    }

    /** The figures of all processes without the rounds of monitors, releasers and sweeps. */
    static Map<Metric, Double> withoutUpkeep(Collection<Probe> probes, double divisor) {
        return of(tries(probes).stream().filter(counted -> !counted.isUpkeep()).toList(), probes, divisor);
    }

    private static List<CountingTransaction> tries(Collection<Probe> probes) {
        return probes.stream().flatMap(probe -> probe.tries.stream()).toList();
    }

    private static Map<Metric, Double> of(List<CountingTransaction> tries, Collection<Probe> probes, double divisor) {
        return Map.of(
                Metric.TRANSACTIONS, tries.size() / divisor,
                Metric.READS, sum(tries, CountingTransaction::reads) / divisor,
                Metric.WATCHES, sum(tries, CountingTransaction::watches) / divisor,
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
