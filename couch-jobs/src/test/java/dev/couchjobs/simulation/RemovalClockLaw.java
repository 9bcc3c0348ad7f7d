package dev.couchjobs.simulation;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;

/**
 * No job is removed because its time is up by a clock whose date the notes of most others contradict.
 *
 * <p>Who removed a job is not known. So it is asked whether there is a process that may have: one whose clock says that
 * the time is up, and which could at some time since it says so read notes that do not contradict it. A process that is
 * alone goes by its clock.
 */
final class RemovalClockLaw {
    private static final Subspace NOTES = JobsSimulation.PREFIX.subspace(Tuple.from("couch_jobs", "clocks"));
    /** Clocks that differ by less have the same date; all other faults of clocks are smaller. */
    private static final Duration SAME = Duration.ofHours(1);
    /** What a transaction reads is no older than this. */
    private static final Duration OLDEST_READ = Duration.ofSeconds(6);

    private final InstantSource time;
    private final List<Date> dates = new ArrayList<>();
    private final Map<String, Date> latest = new HashMap<>();
    /** A process that reads before any other has noted its clock finds none. */
    private final List<Notes> notes = new ArrayList<>(List.of(new Notes(Instant.EPOCH, Map.of())));

    private List<KeyValue> seen = List.of();

    /** @param time is right */
    RemovalClockLaw(InstantSource time) {
        this.time = time;
    }

    /** What date a process had from some time on. */
    private record Date(String process, Duration ahead, Instant since) {}

    /**
     * By how much the processes were ahead when they noted their clocks, from some time on, until the next of these.
     */
    private record Notes(Instant since, Map<String, Duration> ahead) {}

    /** {@return that clock, having its date noted} */
    InstantSource noting(String process, InstantSource clock) {
        return () -> {
            Instant now = clock.instant();
            Duration ahead = Duration.between(time.instant(), now);
            Date last = latest.get(process);
            if (last == null || !isSame(last.ahead, ahead)) {
                Date date = new Date(process, ahead, time.instant());
                latest.put(process, date);
                dates.add(date);
            }
            return now;
        };
    }

    private static boolean isSame(Duration ahead, Duration other) {
        return ahead.minus(other).abs().compareTo(SAME) < 0;
    }

    /** Looks at the notes. */
    void look(ReadTransaction tx) {
        List<KeyValue> rows = Objects.requireNonNull(
                tx.snapshot().getRange(NOTES.range()).asList().getNow(null), "answered at once");
        if (rows.equals(seen)) {
            return;
        }
        seen = rows;
        Map<String, Duration> known = notes.get(notes.size() - 1).ahead;
        Map<String, Duration> now = new HashMap<>();
        for (KeyValue row : rows) {
            Tuple note = Tuple.fromBytes(row.getValue());
            Duration ahead = Duration.between(time.instant(), Instant.ofEpochMilli(note.getLong(1)));
            Duration before = known.get(note.getString(2));
            now.put(note.getString(2), before != null && isSame(before, ahead) ? before : ahead);
        }
        if (!now.equals(known)) {
            notes.add(new Notes(time.instant(), now));
        }
    }

    /** {@return whether a process may believe that this time has come and need not doubt it} */
    boolean mayHaveCome(Instant due) {
        Instant now = time.instant();
        return !due.isAfter(now.plus(SAME))
                || dates.stream()
                        .filter(date -> !due.isAfter(now.plus(date.ahead).plus(SAME)))
                        .anyMatch(this::isBelievable);
    }

    private boolean isBelievable(Date date) {
        Instant from = date.since.minus(OLDEST_READ);
        boolean isRead = false;
        for (int i = notes.size() - 1; i >= 0 && !isRead; i--) {
            if (isBorneOut(date, notes.get(i))) {
                return true;
            }
            isRead = notes.get(i).since.isBefore(from);
        }
        return false;
    }

    /** The date itself is one of those of which the one in the middle, or the two, have to be the same. */
    private static boolean isBorneOut(Date date, Notes all) {
        long[] sorted = LongStream.concat(
                        LongStream.of(0),
                        all.ahead.entrySet().stream()
                                .filter(note -> !note.getKey().equals(date.process))
                                .mapToLong(note ->
                                        date.ahead.minus(note.getValue()).toMillis()))
                .sorted()
                .toArray();
        return Math.abs(sorted[(sorted.length - 1) / 2]) < SAME.toMillis()
                && Math.abs(sorted[sorted.length / 2]) < SAME.toMillis();
    }
}
