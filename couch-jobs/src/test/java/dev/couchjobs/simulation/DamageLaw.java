package dev.couchjobs.simulation;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import java.math.BigInteger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A damaged row harms itself alone: it stays as it is until it is in quarantine with the bytes that it had, and no
 * other row ever gets there. A job whose row is damaged is there for no process, and so no other law says anything of
 * it.
 */
final class DamageLaw {
    private static final Subspace ROOT = JobsSimulation.PREFIX.subspace(Tuple.from("couch_jobs"));
    private static final Subspace DATA = ROOT.subspace(Tuple.from("data", JobsScenario.TYPE_NAME));
    private static final Subspace QUARANTINE = ROOT.subspace(Tuple.from("quarantine", JobsScenario.TYPE_NAME));

    private static final int STATUSES = 10;

    private final InstantSource time;
    private final Violations violations;
    /** The bytes that the rows of jobs are to have, by id. */
    private final Map<String, String> planned = new HashMap<>();
    /** What the jobs were before. */
    private final Map<String, MainRow> damaged = new HashMap<>();
    /** What rows have had that stand for nothing, by their keys. */
    private final Map<String, Set<String>> planted = new HashMap<>();

    DamageLaw(InstantSource time, Violations violations) {
        this.time = time;
        this.violations = violations;
    }

    static byte[] keyOf(String jobId) {
        return DATA.pack(jobId);
    }

    /** The row of a job, which waits for no other and for which none waits, is about to be damaged. */
    void damaging(String jobId, byte[] bytes) {
        planned.put(jobId, ByteArrayUtil.printable(bytes));
    }

    /** A row that stands for nothing is about to be written. */
    void planting(byte[] key, byte[] bytes) {
        planted.computeIfAbsent(ByteArrayUtil.printable(key), unused -> new HashSet<>())
                .add(ByteArrayUtil.printable(bytes));
    }

    boolean isDamaged(String jobId) {
        return damaged.containsKey(jobId);
    }

    /** {@return how many jobs are damaged} */
    int count() {
        return damaged.size();
    }

    /** {@return of how many damaged jobs the counters do not know that they are gone, by lane} */
    List<Long> stillCounted() {
        return damaged.values().stream().map(mainRow -> (long) mainRow.lane()).toList();
    }

    /** Looks for rows that have been damaged since. */
    void look(List<KeyValue> main, Map<String, MainRow> before) {
        if (planned.isEmpty()) {
            return;
        }
        Map<String, String> bytes = new HashMap<>();
        main.forEach(row -> bytes.put(ByteArrayUtil.printable(row.getKey()), ByteArrayUtil.printable(row.getValue())));
        planned.forEach((jobId, expected) -> {
            String is = bytes.get(ByteArrayUtil.printable(keyOf(jobId)));
            if (expected.equals(is) && !damaged.containsKey(jobId)) {
                damaged.put(jobId, Objects.requireNonNull(before.get(jobId), "a job that was there"));
            }
            violations.require(
                    is == null || expected.equals(is) || !damaged.containsKey(jobId),
                    () -> "The damaged row of " + jobId + " has become " + is);
        });
    }

    /** {@return whether no other law says anything of a row} */
    boolean isLeftOut(KeyValue row) {
        if (planted.isEmpty() && damaged.isEmpty()) {
            return false;
        }
        return planted.containsKey(ByteArrayUtil.printable(row.getKey()))
                || ROOT.unpack(row.getKey()).stream().anyMatch(damaged::containsKey);
    }

    /** {@return the rows that other laws look at} */
    List<KeyValue> withoutThem(List<KeyValue> rows) {
        return planted.isEmpty() && damaged.isEmpty()
                ? rows
                : rows.stream().filter(row -> !isLeftOut(row)).toList();
    }

    /** Looks at the quarantine. */
    void checkQuarantine(ReadTransaction tx) {
        quarantined(tx).forEach((key, bytes) -> {
            Set<String> expected = planted.getOrDefault(key, expected(key));
            violations.require(
                    expected.contains(bytes),
                    () -> "In quarantine is " + key + " with " + bytes + ", and was damaged with " + expected);
        });
    }

    private Set<String> expected(String key) {
        return damaged.keySet().stream()
                .filter(jobId -> ByteArrayUtil.printable(keyOf(jobId)).equals(key))
                .map(jobId -> Objects.requireNonNull(planned.get(jobId)))
                .collect(Collectors.toSet());
    }

    /** {@return the bytes of the rows in quarantine, by the keys that they had} */
    private static Map<String, String> quarantined(ReadTransaction tx) {
        Map<Tuple, List<byte[]>> rows = new HashMap<>();
        for (KeyValue row : now(tx, QUARANTINE)) {
            Tuple key = QUARANTINE.unpack(row.getKey());
            rows.computeIfAbsent(key.popFront(), stamp -> new ArrayList<>()).add(row.getValue());
        }
        return rows.values().stream()
                .collect(Collectors.toMap(
                        entry -> ByteArrayUtil.printable(ByteArrayUtil.join(
                                ROOT.pack(), Tuple.fromBytes(entry.get(0)).getBytes(0))),
                        entry -> ByteArrayUtil.printable(entry.get(1)),
                        (one, other) -> other));
    }

    private static List<KeyValue> now(ReadTransaction tx, Subspace place) {
        return Objects.requireNonNull(
                tx.snapshot().getRange(place.range()).asList().getNow(null), "answered at once");
    }

    /** {@return the damaged jobs that claims and monitors have yet to meet} */
    Set<String> yetToBeMet(ReadTransaction tx) {
        Set<String> left = new HashSet<>();
        Instant soon = time.instant().plusSeconds(10);
        for (KeyValue row : now(tx, DATA)) {
            damaged.forEach((jobId, was) -> {
                boolean isMet = was.state() == JobState.RUNNING
                        || (was.state() == JobState.PENDING && was.scheduledTime() <= soon.getEpochSecond());
                if (isMet && ByteArrayUtil.compareUnsigned(row.getKey(), keyOf(jobId)) == 0) {
                    left.add(jobId);
                }
            });
        }
        return left;
    }

    /** Whatever was damaged, the counts by status are the numbers of the rows. */
    private void checkCountsByStatus(ReadTransaction tx) {
        long[] rows = new long[STATUSES];
        for (KeyValue row : now(tx, ROOT.get("statuses").get(JobsScenario.TYPE_NAME))) {
            Tuple key = ROOT.unpack(row.getKey());
            if (key.size() == 5) {
                rows[Math.toIntExact(key.getLong(2))]++;
            }
        }
        BigInteger rest = BigInteger.ZERO;
        for (KeyValue row : now(tx, ROOT.get("status_counts").get(JobsScenario.TYPE_NAME))) {
            rest = rest.add(new BigInteger(reversed(row.getValue())));
        }
        long[] counted = new long[STATUSES];
        for (int status = 0; status < STATUSES; status++) {
            counted[status] = rest.longValue();
            rest = rest.subtract(BigInteger.valueOf(counted[status])).shiftRight(Long.SIZE);
        }
        violations.require(
                Arrays.equals(rows, counted),
                () -> "The counts by status are " + Arrays.toString(counted) + ", the rows " + Arrays.toString(rows));
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    /** Looks for the last time, when the rows in quarantine have been removed for good. */
    void checkTheEnd(ReadTransaction tx) {
        checkCountsByStatus(tx);
        violations.require(now(tx, QUARANTINE).isEmpty(), "Rows are left in quarantine");
        Set<String> still = now(tx, DATA).stream()
                .map(row -> ByteArrayUtil.printable(row.getKey()))
                .collect(Collectors.toSet());
        for (String jobId : damaged.keySet()) {
            for (String kept : List.of("payload", "result", "attempts", "log")) {
                Subspace place = ROOT.subspace(Tuple.from(kept, JobsScenario.TYPE_NAME, jobId));
                violations.require(
                        still.contains(ByteArrayUtil.printable(keyOf(jobId)))
                                || now(tx, place).isEmpty(),
                        () -> "Of " + jobId + ", which is removed from quarantine, there is still its " + kept);
            }
        }
    }
}
