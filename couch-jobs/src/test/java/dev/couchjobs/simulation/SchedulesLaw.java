package dev.couchjobs.simulation;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Schedules whose jobs have one type and are kept, after every commit:
 *
 * <ul>
 *   <li>No firing time is lost: each schedule that is not paused has a current job, which has not ended.
 *   <li>None has two jobs: no job that was claimed is added again, and the claim of a job adds one other.
 *   <li>Jobs do not overlap unless their schedule said so: all other jobs that have not ended have begun under a
 *       schedule that overlaps.
 *   <li>A claim that cancels leaves none of its schedule running before it.
 *   <li>A result that is passed on is the data of the next job.
 * </ul>
 */
final class SchedulesLaw {
    private static final String PLAIN = "SKIP";

    private final TupleRows<Map.Entry<String, Row>> schedules;
    private final TupleRows<Map.Entry<String, JobOfSchedule>> jobs;
    private final Violations violations;
    private final Set<String> ended = new HashSet<>();
    private final Map<String, Long> claims = new HashMap<>();
    /** Jobs that had begun when their schedule came to overlap. */
    private final Set<String> released = new HashSet<>();

    /** The last job that was claimed, by schedule, for those that overlap. */
    private final Map<String, String> lastClaimed = new HashMap<>();

    private Map<String, Row> before = Map.of();
    private Map<String, JobOfSchedule> jobsBefore = Map.of();

    SchedulesLaw(Subspace rows, String type, Violations violations) {
        this.schedules = TupleRows.of(
                rows.subspace(Tuple.from("schedules")),
                row -> Map.entry(row.path().getString(0), Row.of(row.value())));
        this.jobs = TupleRows.of(
                rows.subspace(Tuple.from("data", type)),
                row -> Map.entry(row.path().getString(0), JobOfSchedule.of(row.value())));
        this.violations = violations;
    }

    /** What the row of a schedule says. */
    private record Row(
            String overlap,
            @Nullable String declared,
            String status,
            @Nullable Tuple currentJob) {
        static Row of(Tuple row) {
            Tuple definition = row.getNestedTuple(0);
            boolean isExtended = definition.size() > 9;
            return new Row(
                    isExtended ? definition.getString(9) : PLAIN,
                    isExtended ? definition.getString(10) : null,
                    row.getString(1),
                    row.get(5) == null ? null : row.getNestedTuple(5));
        }

        @Nullable String current() {
            return currentJob == null ? null : currentJob.getString(0);
        }

        boolean overlaps() {
            return overlap.equals("ALLOW") || overlap.equals("CANCEL");
        }

        boolean passesResultOf(String jobId) {
            return declared != null && jobId.equals(current()) && currentJob != null && currentJob.size() == 2;
        }
    }

    /** What the row of a job says. */
    private record JobOfSchedule(
            boolean hasEnded,
            long claim,
            boolean addsAtClaim,
            boolean hasAdded,
            Object data,
            @Nullable Object result) {
        static JobOfSchedule of(Tuple row) {
            Tuple options = row.getNestedTuple(6);
            Tuple mark = options.get(7) instanceof List<?> ? options.getNestedTuple(7) : null;
            Tuple ending = row.size() > 8 && row.get(8) != null ? row.getNestedTuple(8) : null;
            return new JobOfSchedule(
                    row.get(0) == null && row.get(1) == null,
                    row.size() > 7 && row.get(7) != null ? row.getNestedTuple(7).getLong(0) : 0,
                    mark != null && !mark.getBoolean(1),
                    mark != null && mark.getBoolean(1),
                    row.get(4),
                    ending != null && ending.getString(0).equals("succeeded") ? ending.get(3) : null);
        }
    }

    void look(ReadTransaction tx) {
        Map<String, JobOfSchedule> found = new TreeMap<>();
        jobs.read(tx).forEach(job -> found.put(job.getKey(), job.getValue()));
        Map<String, Row> rows = new TreeMap<>();
        schedules.read(tx).forEach(row -> rows.put(row.getKey(), row.getValue()));
        found.forEach(this::checkJob);
        Set<String> free = new HashSet<>();
        found.forEach((id, job) -> {
            if (!job.hasEnded()) {
                free.add(id);
            }
        });
        rows.forEach((name, row) -> check(name, row, found, free));
        lastClaimed
                .keySet()
                .removeIf(name -> !rows.containsKey(name) || !rows.get(name).overlaps());
        for (String id : free) {
            JobOfSchedule job = Objects.requireNonNull(found.get(id));
            require(job.claim() > 0 && (job.hasAdded() || released.contains(id)), "a job beside its schedule: " + id);
        }
        before = rows;
        jobsBefore = found;
    }

    private void checkJob(String id, JobOfSchedule job) {
        require(job.hasEnded() || !ended.contains(id), id + " has ended and runs again");
        if (job.hasEnded()) {
            ended.add(id);
        }
        long known = claims.getOrDefault(id, 0L);
        require(job.claim() >= known, id + " was claimed and is added again");
        claims.put(id, job.claim());
        require(job.claim() == 0 || !job.addsAtClaim() || job.hasEnded(), id + " was claimed and has added no other");
    }

    private void check(String name, Row row, Map<String, JobOfSchedule> found, Set<String> free) {
        String current = row.current();
        boolean isActive = row.status().equals("ACTIVE");
        require(!isActive || current != null, name + " has no current job and is not paused");
        if (current != null) {
            require(free.remove(current), current + " has ended, and is current in " + name);
            JobOfSchedule job = Objects.requireNonNull(found.get(current));
            require(!job.hasAdded(), current + " was claimed, and is still current in " + name);
            require(
                    job.addsAtClaim() == row.overlaps() || job.claim() > 0,
                    current + " waits and does not know how " + name + " goes on");
        }
        Row was = before.get(name);
        if (was == null || was.current() == null || was.current().equals(current)) {
            return;
        }
        JobOfSchedule left = found.get(was.current());
        if (left != null && !left.hasEnded() && !was.overlaps() && row.overlaps()) {
            released.add(was.current());
            lastClaimed.put(name, was.current());
        }
        checkFormer(name, was, found);
        checkPassedResult(was, row, found);
    }

    /** A job was claimed under a schedule that cancels: the one that was claimed before it has ended. */
    private void checkFormer(String name, Row was, Map<String, JobOfSchedule> found) {
        String id = Objects.requireNonNull(was.current());
        JobOfSchedule claimed = found.get(id);
        if (claimed == null || !claimed.hasAdded()) {
            return;
        }
        String earlier = lastClaimed.put(name, id);
        if (earlier != null && was.overlap().equals("CANCEL")) {
            JobOfSchedule former = found.get(earlier);
            require(former == null || former.hasEnded(), id + " was claimed, and " + earlier + " goes on");
        }
    }

    private void checkPassedResult(Row was, Row row, Map<String, JobOfSchedule> found) {
        String id = Objects.requireNonNull(was.current());
        JobOfSchedule last = found.get(id);
        JobOfSchedule next = row.current() == null ? null : found.get(row.current());
        if (last == null || next == null || !last.hasEnded() || !was.passesResultOf(id)) {
            return;
        }
        JobOfSchedule previous = jobsBefore.get(id);
        Object own = previous == null ? last.data() : previous.data();
        Object expected = last.result() != null ? last.result() : own;
        require(isEqual(next.data(), expected), row.current() + " has not the data that " + id + " left to it");
    }

    private static boolean isEqual(Object one, Object other) {
        if (one instanceof byte[] bytes && other instanceof byte[] others) {
            return Arrays.equals(bytes, others);
        }
        return one.equals(other);
    }

    private void require(boolean holds, String otherwise) {
        violations.require(holds, otherwise);
    }

    /** {@return how many jobs of a schedule have ended} */
    int ended(String name) {
        return (int) ended.stream().filter(id -> id.startsWith(name + "@")).count();
    }
}
