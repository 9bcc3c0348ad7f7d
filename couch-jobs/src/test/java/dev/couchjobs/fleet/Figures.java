package dev.couchjobs.fleet;

import dev.couchjobs.costs.MeasuredDatabase;
import dev.couchjobs.costs.MeasuredTry;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What some processes asked of the database within some time.
 *
 * @param tries how often transactions were tried
 * @param reads how many questions they asked, of one key or of a range
 * @param watchesAtMost how many watches one of the processes had armed at the same time
 */
record Figures(int tries, int reads, int watchesAtMost) {
    /** Read by what goes round by the clock, whether there are jobs or not. */
    private static final Set<String> BACKGROUND =
            Set.of("activity", "counts", "releasing", "retire", "watches_in_use", "worker_orders");

    /** What is read by the search for feeds to trim. */
    private static final Set<String> TRIMMER = Set.of("feed", "layout");

    static Figures ofAll(Collection<MeasuredDatabase> processes) {
        return of(processes, each -> true);
    }

    /** Leaves out monitors, releasers, trimmers, sweeps and renewals of the rows of workers. */
    static Figures ofJobs(Collection<MeasuredDatabase> processes) {
        return of(
                processes,
                each -> Collections.disjoint(each.readFrom(), BACKGROUND)
                        && !each.readFrom().equals(TRIMMER));
    }

    private static Figures of(Collection<MeasuredDatabase> processes, Predicate<MeasuredTry> counted) {
        List<MeasuredTry> tries = processes.stream()
                .flatMap(process -> process.tries().stream())
                .filter(counted)
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
