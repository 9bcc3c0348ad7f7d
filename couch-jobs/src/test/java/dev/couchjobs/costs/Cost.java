package dev.couchjobs.costs;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What something costs the database.
 *
 * @param transactions how many there are
 * @param trips how many answers the slowest of them waits for, one after the other, before it can commit; getting its
 *     read version not among them
 * @param reads how many questions are asked, of one key or of a range
 * @param keysRead how many keys are read: each that is asked for, be it there or not, and each row of a range
 * @param keysWritten how many keys are set, changed or cleared; a cleared range counts as one
 * @param bytesWritten bytes of those keys and their values
 * @param readConflicts how many ranges conflict with what others write
 * @param writeConflicts how many ranges conflict with what others read
 * @param readFrom the subspaces that are read
 * @param writtenTo the subspaces that are written
 */
public record Cost(
        int transactions,
        int trips,
        int reads,
        int keysRead,
        int keysWritten,
        int bytesWritten,
        int readConflicts,
        int writeConflicts,
        Set<String> readFrom,
        Set<String> writtenTo) {
    private static final Cost NONE = new Cost(0, 0, 0, 0, 0, 0, 0, 0, Set.of(), Set.of());
    /** Read by every transaction, and therefore not on the page. */
    static final String EVERYWHERE = "layout";

    /** The groups and the rows of jobs first, then what follows from them. */
    private static final List<String> ORDER = List.of(
            "transition",
            "event",
            "enqueue",
            "activity_timeout",
            "data",
            "payload",
            "result",
            "queue",
            "pending",
            "ranked",
            "activity",
            "counts",
            "feed");

    /**
     * Subspaces for which the page has one name, if all of them are used.
     *
     * @param name the name on the page
     * @param subspaces what it stands for
     */
    private record Group(String name, Set<String> subspaces) {}

    private static final List<Group> READ_GROUPS = List.of(new Group("queue", Set.of("pending", "ranked")));

    /** The larger ones first: a transition contains an event. */
    private static final List<Group> WRITE_GROUPS = List.of(
            new Group("transition", Set.of("data", "counts", "feed", "watches_activity")),
            new Group("event", Set.of("feed", "watches_activity")),
            new Group("enqueue", Set.of("pending", "watches_pending")));

    /** {@return what tries cost together} */
    public static Cost of(Collection<MeasuredTry> tries) {
        return tries.stream().map(MeasuredTry::cost).reduce(NONE, Cost::and);
    }

    boolean writes() {
        return keysWritten > 0;
    }

    /** {@return whether a transaction reads from that subspace} */
    public static Predicate<Cost> reading(String subspace) {
        return cost -> cost.readFrom.contains(subspace);
    }

    /** {@return whether a transaction writes to that subspace} */
    public static Predicate<Cost> writing(String subspace) {
        return cost -> cost.writtenTo.contains(subspace);
    }

    private Cost and(Cost other) {
        return new Cost(
                transactions + other.transactions,
                Math.max(trips, other.trips),
                reads + other.reads,
                keysRead + other.keysRead,
                keysWritten + other.keysWritten,
                bytesWritten + other.bytesWritten,
                readConflicts + other.readConflicts,
                writeConflicts + other.writeConflicts,
                union(readFrom, other.readFrom),
                union(writtenTo, other.writtenTo));
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        Set<String> all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }

    /** What stands behind the name in a row of the table. */
    public String columns() {
        return " %d | %d | %d | %d | %d | %,d | %d/%d | %s | %s |"
                .formatted(
                        transactions,
                        trips,
                        reads,
                        keysRead,
                        keysWritten,
                        bytesWritten,
                        readConflicts,
                        writeConflicts,
                        names(readFrom, READ_GROUPS),
                        names(writtenTo, WRITE_GROUPS));
    }

    private static String names(Set<String> subspaces, List<Group> groups) {
        Set<String> names = new HashSet<>(subspaces);
        names.remove(EVERYWHERE);
        for (Group group : groups) {
            if (names.containsAll(group.subspaces)) {
                names.removeAll(group.subspaces);
                names.add(group.name);
            }
        }
        return names.stream()
                .sorted(Comparator.comparingInt(Cost::place).thenComparing(Comparator.naturalOrder()))
                .collect(Collectors.joining(", "));
    }

    private static int place(String subspace) {
        int place = ORDER.indexOf(subspace);
        return place < 0 ? ORDER.size() : place;
    }
}
