package dev.couchjobs.fleet;

import dev.couchjobs.costs.MeasuredDatabase;
import dev.couchjobs.costs.MeasuredTry;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * What some processes asked of the database within some time.
 *
 * @param tries how often transactions were tried
 * @param reads how many questions they asked, of one key or of a range
 * @param watchesAtMost how many watches one of the processes had armed at the same time
 */
record Figures(int tries, int reads, int watchesAtMost) {
    /** Read by what goes round by the clock, whether there are jobs or not. */
    private static final Set<String> BACKGROUND = Set.of("activity", "counts", "releasing", "retire");

    static Figures ofAll(Collection<MeasuredDatabase> processes) {
        return of(processes, Set.of());
    }

    /** Leaves out monitors, releasers and sweeps. */
    static Figures ofJobs(Collection<MeasuredDatabase> processes) {
        return of(processes, BACKGROUND);
    }

    private static Figures of(Collection<MeasuredDatabase> processes, Set<String> without) {
        List<MeasuredTry> tries = processes.stream()
                .flatMap(process -> process.tries().stream())
                .filter(each -> Collections.disjoint(each.readFrom(), without))
                .toList();
        return new Figures(
                tries.size(),
                tries.stream().mapToInt(MeasuredTry::reads).sum(),
                processes.stream()
                        .mapToInt(MeasuredDatabase::watchesAtMost)
                        .max()
                        .orElse(0));
    }
}
