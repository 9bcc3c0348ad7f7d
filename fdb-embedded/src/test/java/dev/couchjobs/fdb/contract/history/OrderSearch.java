package dev.couchjobs.fdb.contract.history;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.contract.history.ObservedTransaction.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of the transactions that explains every result and contradicts no clock. It believes no version,
 * so it cannot be misled by a database that errs consistently: versions only say what to try first, and so let it find
 * the order of a sound history in one go.
 *
 * <p>Each thread is a line of moments that have to come in their sequence. A committed transaction is one moment, or
 * two if it made snapshot reads: that of its reads and that of its commit. One that failed is a moment of reading, for
 * what it saw has to have been so. One whose outcome is unknown reads in its thread's line, and may commit before it
 * ended, or never, for FoundationDB answers 1021 only when the commit is no longer under way: that gets a line of its
 * own.
 */
final class OrderSearch {

    /** Beyond any history of the workloads; a search that gets here says so instead of running on. */
    private static final int MOST_STATES = 2_000_000;

    private static final Comparator<@Nullable Versionstamp> UNCLAIMED_LAST =
            Comparator.nullsLast(Comparator.naturalOrder());

    /** A point in time at which a transaction read the database, or changed it. */
    private record Moment(ObservedTransaction transaction, boolean commits) {

        @Nullable ObservedContents after(ObservedContents before) {
            if (commits) {
                return transaction.commitOn(before);
            }
            return transaction.couldRead(before) ? before : null;
        }

        boolean isOptional() {
            return commits && transaction.outcome() == Outcome.UNKNOWN;
        }

        boolean isOverBefore(Moment other) {
            return transaction.completed() < other.transaction.invoked();
        }
    }

    /** How far each line has come, and what the database then holds. */
    private record State(List<Integer> taken, ObservedContents contents) {}

    private final List<List<Moment>> lines = new ArrayList<>();
    private final Set<State> deadEnds = new HashSet<>();
    private int mostTaken = -1;
    private String furthest = "";

    private OrderSearch(List<ObservedTransaction> history) {
        var threads = history.stream()
                .sorted(Comparator.comparingLong(ObservedTransaction::invoked))
                .collect(Collectors.groupingBy(ObservedTransaction::thread, TreeMap::new, Collectors.toList()));
        for (List<ObservedTransaction> thread : threads.values()) {
            lines.add(thread.stream().flatMap(OrderSearch::moments).toList());
        }
        for (ObservedTransaction transaction : history) {
            if (transaction.outcome() == Outcome.UNKNOWN && transaction.writes()) {
                lines.add(List.of(new Moment(transaction, true)));
            }
        }
    }

    /** Why there is no such order, or nothing if there is one. The database is empty at first. */
    static Optional<String> violation(List<ObservedTransaction> history) {
        OrderSearch search = new OrderSearch(history);
        return search.completes(new int[search.lines.size()], ObservedContents.NONE)
                ? Optional.empty()
                : Optional.of(search.furthest);
    }

    private static Stream<Moment> moments(ObservedTransaction transaction) {
        Moment reads = new Moment(transaction, false);
        Moment commit = new Moment(transaction, true);
        if (transaction.outcome() != Outcome.COMMITTED || !transaction.writes()) {
            return Stream.of(reads);
        }
        return transaction.isOneMoment() ? Stream.of(commit) : Stream.of(reads, commit);
    }

    /** Whether the moments that are left can be put in order. */
    private boolean completes(int[] taken, ObservedContents contents) {
        takeReads(taken, contents);
        if (isComplete(taken)) {
            return true;
        }
        noteProgress(taken, contents);
        if (!deadEnds.add(new State(Arrays.stream(taken).boxed().toList(), contents))) {
            return false;
        }
        if (deadEnds.size() > MOST_STATES) {
            throw new IllegalStateException("Too many transactions overlap to search for their order");
        }
        for (int line : mostLikelyFirst(taken)) {
            Moment moment = next(line, taken);
            ObservedContents after = moment != null && mayComeNext(moment, taken) ? moment.after(contents) : null;
            if (after != null) {
                int[] further = taken.clone();
                further[line]++;
                if (completes(further, after)) {
                    return true;
                }
            }
        }
        return false;
    }

    private int[] mostLikelyFirst(int[] taken) {
        return IntStream.range(0, taken.length)
                .boxed()
                .sorted(Comparator.comparing(line -> claim(next(line, taken)), UNCLAIMED_LAST))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private static @Nullable Versionstamp claim(@Nullable Moment moment) {
        return moment == null ? null : moment.transaction().claim().stamp();
    }

    /**
     * A moment that changes nothing is best taken as soon as it can be: any order that has it later allows that, unless
     * an unknown commit could only come before it.
     */
    private void takeReads(int[] taken, ObservedContents contents) {
        boolean progress = true;
        while (progress) {
            progress = false;
            for (int line = 0; line < taken.length; line++) {
                Moment moment = next(line, taken);
                if (moment != null
                        && !moment.commits()
                        && mayComeNext(moment, taken)
                        && !isTooLateAfter(moment, taken)
                        && moment.after(contents) != null) {
                    taken[line]++;
                    progress = true;
                }
            }
        }
    }

    /** Whether nothing that has to come was over before this began, nor this before something that has come. */
    private boolean mayComeNext(Moment moment, int[] taken) {
        for (int line = 0; line < taken.length; line++) {
            Moment other = next(line, taken);
            // In each line the next is the first to be over, and the last taken was the last to begin.
            if (other != null && !other.isOptional() && other.isOverBefore(moment)) {
                return false;
            }
            if (taken[line] > 0 && moment.isOverBefore(lines.get(line).get(taken[line] - 1))) {
                return false;
            }
        }
        return true;
    }

    private boolean isTooLateAfter(Moment moment, int[] taken) {
        for (int line = 0; line < taken.length; line++) {
            Moment other = next(line, taken);
            if (other != null && other.isOptional() && other.isOverBefore(moment)) {
                return true;
            }
        }
        return false;
    }

    private boolean isComplete(int[] taken) {
        for (int line = 0; line < taken.length; line++) {
            Moment moment = next(line, taken);
            if (moment != null && !moment.isOptional()) {
                return false;
            }
        }
        return true;
    }

    private @Nullable Moment next(int line, int[] taken) {
        List<Moment> moments = lines.get(line);
        return taken[line] < moments.size() ? moments.get(taken[line]) : null;
    }

    private void noteProgress(int[] taken, ObservedContents contents) {
        int count = Arrays.stream(taken).sum();
        if (count > mostTaken) {
            mostTaken = count;
            StringBuilder stuck = new StringBuilder("No order explains this history. The best leads to " + contents
                    + ", where none of these can come next:");
            for (int line = 0; line < taken.length; line++) {
                Moment moment = next(line, taken);
                if (moment != null && !moment.isOptional()) {
                    stuck.append("\n  ")
                            .append(moment.commits() ? "the commit of " : "the reads of ")
                            .append(moment.transaction());
                }
            }
            furthest = stuck.toString();
        }
    }
}
