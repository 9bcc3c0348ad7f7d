package dev.couchjobs.simulation;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import dev.couchjobs.Outcome;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The rows that go beyond RFC 007, read without any help from the library.
 *
 * @param jobs the main table, by id
 * @param counts how many jobs there are by their {@link MainRow#lane}, as the counters have it
 * @param attempts the numbers of the claims in the history of a job, by its id
 * @param dead the dead letters: when they failed, and their ids
 * @param logRowses what was written down for a job, by its id
 * @param retired what is to be removed: whether by way of an archive, when, and its id
 */
record DerivedRows(
        Map<String, MainRow> jobs,
        List<Long> counts,
        Map<String, Set<Long>> attempts,
        Map<String, LogRows> logRowses,
        Set<Tuple> dead,
        Set<Tuple> retired) {
    static final DerivedRows EMPTY = new DerivedRows(Map.of(), List.of(), Map.of(), Map.of(), Set.of(), Set.of());

    private static final int FIRST_LANES = 6;
    private static final int FURTHER_LANES = 8;
    /** The lanes of both numbers that are in use. */
    private static final int LANES = FIRST_LANES + 1;

    private static final Subspace ROOT = JobsSimulation.PREFIX.subspace(Tuple.from("couch_jobs"));
    private static final Subspace DATA = place("data");
    private static final Subspace LOG = place("log");

    /** {@return the rows of the main table} */
    static List<KeyValue> main(ReadTransaction tx) {
        return rows(tx, DATA.range());
    }

    /** {@return the rows of the logs} */
    static List<KeyValue> logs(ReadTransaction tx) {
        return rows(tx, LOG.range());
    }

    /** {@return what those rows say, by the jobs' ids} */
    static Map<String, LogRows> logRowses(List<KeyValue> logs) {
        Map<String, LogRows> logRowses = new HashMap<>();
        for (KeyValue row : logs) {
            Tuple key = LOG.unpack(row.getKey());
            logRowses.compute(
                    key.getString(0),
                    (jobId, logRows) -> (logRows == null ? new LogRows(new ArrayList<>(), null) : logRows)
                            .with(key.get(1), row.getValue()));
        }
        return logRowses;
    }

    /** {@return the same at a moment when only the logs were others} */
    DerivedRows with(Map<String, LogRows> others) {
        return new DerivedRows(jobs, counts, attempts, others, dead, retired);
    }

    /**
     * Reads the rest.
     *
     * @param main the rows of the main table, as of the same moment
     * @param logRowses what the logs say
     * @param damageLaw which rows are not to be looked at
     */
    static DerivedRows read(
            ReadTransaction tx, List<KeyValue> main, Map<String, LogRows> logRowses, DamageLaw damageLaw) {
        DerivedRows rows = new DerivedRows(
                new TreeMap<>(), new ArrayList<>(), new TreeMap<>(), logRowses, new HashSet<>(), new HashSet<>());
        for (KeyValue row : damageLaw.withoutThem(main)) {
            String jobId = DATA.unpack(row.getKey()).getString(0);
            rows.jobs.put(jobId, MainRow.decode(Tuple.fromBytes(row.getValue())));
        }
        List<KeyValue> counters = rows(tx, place("counts").range());
        rows.counts.addAll(sum(counters, FIRST_LANES).subList(0, FIRST_LANES));
        rows.counts.addAll(sum(counters, FURTHER_LANES).subList(0, LANES - FIRST_LANES));
        for (KeyValue row : damageLaw.withoutThem(rows(tx, place("attempts").range()))) {
            Tuple key = place("attempts").unpack(row.getKey());
            rows.attempts
                    .computeIfAbsent(key.getString(0), unused -> new TreeSet<>())
                    .add(key.getLong(1));
        }
        damageLaw
                .withoutThem(rows(tx, place("dead").range()))
                .forEach(row -> rows.dead.add(place("dead").unpack(row.getKey())));
        for (KeyValue row : damageLaw.withoutThem(rows(tx, place("retire").range()))) {
            Tuple key = place("retire").unpack(row.getKey());
            Tuple.fromBytes(row.getValue())
                    .forEach(jobId -> rows.retired.add(
                            Tuple.from(key.getBoolean(0), key.getLong(1)).addObject(jobId)));
        }
        return rows;
    }

    private static Subspace place(String name) {
        return ROOT.subspace(Tuple.from(name, JobsScenario.TYPE_NAME));
    }

    private static List<KeyValue> rows(ReadTransaction tx, Range range) {
        return Objects.requireNonNull(tx.snapshot().getRange(range).asList().getNow(null), "answered at once");
    }

    /** Each counter is a lane of 64 bits of a little-endian number with so many, which the shards add up to. */
    private static List<Long> sum(List<KeyValue> shards, int count) {
        BigInteger sum = BigInteger.ZERO;
        for (KeyValue shard : shards) {
            if (shard.getValue().length == count * Long.BYTES) {
                sum = sum.add(new BigInteger(reversed(shard.getValue())));
            }
        }
        List<Long> lanes = new ArrayList<>(count);
        for (int lane = 0; lane < count; lane++) {
            lanes.add(sum.longValue());
            sum = sum.subtract(BigInteger.valueOf(sum.longValue())).shiftRight(Long.SIZE);
        }
        return lanes;
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    /** The removal of a job in a graph may be put off. */
    private boolean isRetired(String jobId, MainRow job) {
        return retired.contains(Tuple.from(job.archived(), job.removeAt(), jobId))
                || (job.graph() != 0
                        && retired.stream()
                                .anyMatch(row -> row.getBoolean(0) == job.archived()
                                        && row.getLong(1) > job.removeAt()
                                        && row.getString(2).equals(jobId)));
    }

    /** {@return what was written down for a job} */
    LogRows journal(String jobId) {
        return logRowses.getOrDefault(jobId, LogRows.EMPTY);
    }

    /**
     * {@return what in them contradicts the main table, with the lanes of jobs that have vanished and are counted all
     * the same}
     */
    List<String> contradictions(List<Long> stillCounted) {
        List<String> found = new ArrayList<>();
        Long[] lanes = new Long[LANES];
        Arrays.fill(lanes, 0L);
        stillCounted.forEach(lane -> lanes[Math.toIntExact(lane)]++);
        Set<Tuple> failed = new HashSet<>();
        jobs.forEach((jobId, job) -> {
            lanes[job.lane()]++;
            if (job.isFinished(Outcome.FAILED)) {
                failed.add(Tuple.from(job.endedAt(), jobId));
            }
            if (job.state() == JobState.FINISHED && job.removeAt() > 0 && !isRetired(jobId, job)) {
                found.add("nobody is to remove " + jobId + ": " + job);
            }
        });
        if (!counts.equals(List.of(lanes))) {
            found.add("the counters say " + counts + ", the table says " + List.of(lanes) + ": " + jobs);
        }
        if (!dead.equals(failed)) {
            found.add("the dead letters are " + dead + ", the table says " + failed);
        }
        attempts.forEach((jobId, claims) -> {
            MainRow job = jobs.get(jobId);
            // The last claim is in the job's own row, unless the job was cancelled afterwards.
            long end = job == null ? 0 : job.claims() + (job.begun() ? 0 : 1);
            if (claims.stream().anyMatch(claim -> claim < 1 || claim >= end)) {
                found.add("the history of " + jobId + " has " + claims + ", the table says " + job);
            }
        });
        return found;
    }
}
