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

    /** What is read by the search for types that should be in use. */
    private static final Set<String> USE_CHECK = Set.of("activity", "layout", "pending", "ranked");

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

    /** {@return whether a transaction goes round by the clock, and looks neither at a lease nor at jobs} */
    private static boolean isUpkeep(MeasuredTry each) {
        return each.readFrom().contains("worker_orders")
                || each.readFrom().contains("releasing")
                || each.readFrom().contains("retire")
                || each.readFrom().equals(TRIMMER)
                || each.readFrom().equals(USE_CHECK);
    }

    /** Leaves out releasers, trimmers, sweeps, checks of types in use and renewals of the rows of workers. */
    static Figures ofUse(Collection<MeasuredDatabase> processes) {
        return of(processes, each -> !isUpkeep(each));
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
