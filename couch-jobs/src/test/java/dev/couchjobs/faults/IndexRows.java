package dev.couchjobs.faults;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/** The rows of one job type that go beyond RFC 007, and whether they agree with the main table. */
final class IndexRows {
    private static final int FIRST_LANES = 6;
    private static final int LANES = FIRST_LANES + 1;
    private static final int LANE_BITS = 64;
    private static final int ATTEMPTS_KEPT = 100;
    private static final int BEGUN = 7;
    private static final int LIMIT_SHARD = 8;
    private static final int FIRST_TAG = 22;
    private static final int ENTRIES_KEPT = 1_000;

    private final Set<Tuple> ranked = new HashSet<>();
    private final Set<Tuple> dead = new HashSet<>();
    private final Set<Tuple> tags = new HashSet<>();
    private final Set<String> limited = new HashSet<>();
    /** How many running jobs each shard of the limit of the type counts. */
    private final Map<Long, Long> running = new TreeMap<>();

    private final StatusRows statuses = new StatusRows();
    private final Map<String, SortedSet<Long>> attempts = new TreeMap<>();
    private final Map<String, SortedSet<Long>> log = new TreeMap<>();
    private BigInteger counts = BigInteger.ZERO;
    private BigInteger furtherCounts = BigInteger.ZERO;

    /** {@return what adds a row to others; its path begins with the table and the type} */
    static Consumer<IndexRows> decode(Tuple key, byte[] value) {
        Tuple place = Tuple.fromList(key.getItems().subList(2, key.size()));
        switch (key.getString(0)) {
            case "counts" -> {
                BigInteger number = new BigInteger(reversed(value));
                boolean isFirst = value.length == FIRST_LANES * Long.BYTES;
                return rows -> rows.count(number, isFirst);
            }
            case "running" -> {
                long count = new BigInteger(reversed(value)).longValue();
                return rows -> rows.running.put(place.getLong(0), count);
            }
            case "ranked" -> {
                return rows -> rows.ranked.add(place);
            }
            case "dead" -> {
                return rows -> rows.dead.add(place);
            }
            case "tags" -> {
                return rows -> rows.tags.add(place);
            }
            case "limited" -> {
                return rows -> rows.limited.add(place.getString(3));
            }
            case "statuses", "status_counts" -> {
                Consumer<StatusRows> row = StatusRows.decode(key, value);
                return rows -> row.accept(rows.statuses);
            }
            case "attempts" -> {
                return rows -> numbered(rows.attempts, place);
            }
            default -> {
                return rows -> numbered(rows.log, place);
            }
        }
    }

    /** {@return whether a job is in the limited queue} */
    boolean isLimited(String jobId) {
        return limited.contains(jobId);
    }

    private void count(BigInteger number, boolean isFirst) {
        if (isFirst) {
            counts = counts.add(number);
        } else {
            furtherCounts = furtherCounts.add(number);
        }
    }

    private static void numbered(Map<String, SortedSet<Long>> of, Tuple place) {
        SortedSet<Long> numbers = of.computeIfAbsent(place.getString(0), id -> new TreeSet<>());
        if (place.get(1) instanceof Long number) {
            numbers.add(number);
        }
    }

    static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    List<String> contradictions(Map<String, TypeRows.Data> data, List<Long> stillCounted) {
        List<String> found = new ArrayList<>();
        differ(found, "the order of priorities", ranked, expectedRanked(data, limited));
        differ(found, "the dead letters", dead, expectedDead(data));
        differ(found, "the tags", tags, expectedTags(data));
        differ(found, "the counts", counted(), expectedCounts(data, stillCounted));
        if (stillCounted.isEmpty()) {
            running.values().removeIf(count -> count == 0);
            differ(found, "the shards of the limit", running, expectedRunning(data));
        }
        found.addAll(statuses.contradictions(data, limited, !stillCounted.isEmpty()));
        data.keySet().forEach(jobId -> attempts.computeIfAbsent(jobId, id -> new TreeSet<>()));
        attempts.forEach((jobId, numbers) -> checkAttempts(found, jobId, numbers, data));
        log.forEach((jobId, numbers) -> checkLog(found, jobId, numbers, data));
        return found;
    }

    private static void differ(List<String> found, String what, Object is, Object expected) {
        if (!is.equals(expected)) {
            found.add(what + " are " + is + ", the table says " + expected);
        }
    }

    private static Set<Tuple> expectedRanked(Map<String, TypeRows.Data> data, Set<String> limited) {
        Set<Tuple> expected = new HashSet<>();
        data.forEach((jobId, row) -> {
            boolean isRanked = row.priority() != 0 || row.turnKey() != null || row.isLaterForItsLimitKey();
            if (row.state() == JobState.PENDING && isRanked && !limited.contains(jobId) && !row.blocked()) {
                long rank = -(long) row.priority();
                long time = row.scheduledTime();
                boolean moved = row.options().getBoolean(2);
                Tuple part = row.turnKey() == null ? Tuple.from(0L) : Tuple.from(-1L, row.turnKey());
                if (time == 0) {
                    expected.add(part.addAll(Tuple.from(rank, row.options().getLong(1), 0L, jobId)));
                } else if (moved) {
                    expected.add(part.addAll(Tuple.from(rank, time * 1_000, time, jobId)));
                } else {
                    expected.add(Tuple.from(1L, time, row.turnKey() == null ? rank : 0L, jobId));
                }
            }
        });
        return expected;
    }

    private static Set<Tuple> expectedTags(Map<String, TypeRows.Data> data) {
        Set<Tuple> expected = new HashSet<>();
        data.forEach((jobId, row) -> {
            Tuple options = row.options();
            for (int i = FIRST_TAG; i < options.size() && options.get(i) instanceof String tag; i++) { // then headers
                expected.add(Tuple.from(tag, jobId));
            }
        });
        return expected;
    }

    private static Set<Tuple> expectedDead(Map<String, TypeRows.Data> data) {
        Set<Tuple> expected = new HashSet<>();
        data.forEach((jobId, row) -> {
            if (row.isDeadLetter()) {
                expected.add(Tuple.from(row.ending().getLong(1), jobId));
            }
        });
        return expected;
    }

    /** Pending, blocked, running, succeeded, failed, cancelled and expired jobs, as the counters have them. */
    private List<Long> counted() {
        List<Long> lanes = new ArrayList<>();
        BigInteger rest = counts;
        for (int lane = 0; lane < FIRST_LANES; lane++) {
            long value = rest.longValue();
            lanes.add(value);
            rest = rest.subtract(BigInteger.valueOf(value)).shiftRight(LANE_BITS);
        }
        lanes.add(furtherCounts.longValue());
        return lanes;
    }

    private static List<Long> expectedCounts(Map<String, TypeRows.Data> data, List<Long> stillCounted) {
        Map<Integer, Long> lanes = new HashMap<>();
        data.values().forEach(row -> lanes.merge(lane(row), 1L, Long::sum));
        stillCounted.forEach(lane -> lanes.merge(Math.toIntExact(lane), 1L, Long::sum));
        List<Long> expected = new ArrayList<>();
        for (int lane = 0; lane < LANES; lane++) {
            expected.add(lanes.getOrDefault(lane, 0L));
        }
        return expected;
    }

    private static Map<Long, Long> expectedRunning(Map<String, TypeRows.Data> data) {
        Map<Long, Long> expected = new TreeMap<>();
        data.values().stream()
                .filter(row ->
                        row.state() == JobState.RUNNING && row.claimInfo().size() > LIMIT_SHARD)
                .forEach(row -> expected.merge(row.claimInfo().getLong(LIMIT_SHARD), 1L, Long::sum));
        return expected;
    }

    private static int lane(TypeRows.Data row) {
        if (row.state() == JobState.PENDING) {
            return row.blocked() ? 1 : 0;
        }
        if (row.state() == JobState.RUNNING) {
            return 2;
        }
        boolean cancelled = !row.ending().isEmpty() && row.ending().getString(0).equals("cancelled");
        boolean late = !row.ending().isEmpty() && row.ending().getString(0).equals("late");
        int unsuccessful = late ? 6 : 5;
        int ended = cancelled || late ? unsuccessful : 3;
        return row.isDeadLetter() ? 4 : ended;
    }

    /**
     * The last attempt is in the job's own row, unless that says that no work began: then it may be here, because the
     * job was cancelled afterwards. Each attempt before it has a row here, as far back as they are kept. A claim under
     * which no work began is no attempt, and the row does not say which of the past claims were such.
     */
    private static void checkAttempts(
            List<String> found, String jobId, SortedSet<Long> numbers, Map<String, TypeRows.Data> data) {
        TypeRows.Data row = data.get(jobId);
        long last = row == null ? 0 : row.claimInfo().getLong(0);
        boolean isInRow = row == null
                || row.claimInfo().size() <= BEGUN
                || row.claimInfo().getBoolean(BEGUN);
        long end = isInRow ? last : last + 1;
        if (!numbers.isEmpty() && (numbers.first() < Math.max(1, last - ATTEMPTS_KEPT) || numbers.last() >= end)) {
            found.add(jobId + " has the past attempts " + numbers + ", its last claim is " + last);
        }
    }

    private static void checkLog(
            List<String> found, String jobId, SortedSet<Long> numbers, Map<String, TypeRows.Data> data) {
        if (!data.containsKey(jobId)) {
            found.add(jobId + " has a log and no row");
        } else if (!numbers.isEmpty()
                && (numbers.last() - numbers.first() + 1 != numbers.size()
                        || numbers.size() != Math.min(numbers.last(), ENTRIES_KEPT))) {
            found.add(jobId + " has a log with gaps: " + numbers);
        }
    }
}
