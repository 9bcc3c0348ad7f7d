package dev.couchjobs.faults;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobState;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** The rows of the status index of a type, and whether they agree with the main table once the index is complete. */
final class StatusRows {
    private static final int STATUSES = 10;
    private static final int DUE = 2;
    private static final int SINCE = 1;
    private static final int CLAIMED_AT = 3;
    private static final long SCHEDULED = 0;
    private static final long BLOCKED = 1;
    private static final long LIMITED = 2;
    private static final long WAITING = 3;
    private static final long RETRYING = 4;
    private static final long RUNNING = 5;

    private final Set<Tuple> jobs = new HashSet<>();
    private BigInteger counts = BigInteger.ZERO;
    private boolean isComplete;

    /** {@return what adds a row to others} */
    static Consumer<StatusRows> decode(Tuple key, byte[] value) {
        if (key.getString(0).equals("status_counts")) {
            BigInteger number = new BigInteger(IndexRows.reversed(value));
            return rows -> rows.counts = rows.counts.add(number);
        }
        if (key.size() == 2) {
            boolean isComplete = Tuple.fromBytes(value).getBoolean(0);
            return rows -> rows.isComplete = isComplete;
        }
        if (key.size() == 5) {
            Tuple job = Tuple.fromList(key.getItems().subList(2, 5)).addAll(shown(Tuple.fromBytes(value)));
            return rows -> rows.jobs.add(job);
        }
        return rows -> {}; // the progress of a job, or that of a build
    }

    /** The scheduled time, the priority, the number of claims and of failures, and the holder. */
    private static Tuple shown(Tuple value) {
        return Tuple.fromList(value.getItems().subList(1, 6));
    }

    /** @param isCountedInVain whether some jobs have vanished and are counted all the same */
    List<String> contradictions(Map<String, TypeRows.Data> data, Set<String> limited, boolean isCountedInVain) {
        List<String> found = new ArrayList<>();
        if (!isComplete) {
            return found;
        }
        Set<Tuple> expected = new HashSet<>();
        Long[] numbers = new Long[STATUSES];
        Arrays.fill(numbers, 0L);
        data.forEach((jobId, row) -> {
            long status = status(row, limited.contains(jobId));
            expected.add(Tuple.from(status, time(status, row), jobId)
                    .addAll(Tuple.from(row.scheduledTime(), row.priority()))
                    .addAll(Tuple.fromList(row.claimInfo().getItems().subList(0, 3))));
            numbers[Math.toIntExact(status)]++;
        });
        if (!jobs.equals(expected)) {
            found.add("the statuses are " + jobs + ", the table says " + expected);
        }
        if (!isCountedInVain && !counted().equals(List.of(numbers))) {
            found.add("the counts by status are " + counted() + ", the table says " + List.of(numbers));
        }
        return found;
    }

    private List<Long> counted() {
        List<Long> numbers = new ArrayList<>();
        BigInteger rest = counts;
        for (int i = 0; i < STATUSES; i++) {
            numbers.add(rest.longValue());
            rest = rest.subtract(BigInteger.valueOf(rest.longValue())).shiftRight(Long.SIZE);
        }
        return numbers;
    }

    private static long status(TypeRows.Data row, boolean isLimited) {
        if (row.state() == JobState.RUNNING) {
            return RUNNING;
        }
        if (row.state() == JobState.PENDING) {
            if (row.blocked()) {
                return BLOCKED;
            }
            if (row.scheduledTime() == 0 || row.options().getBoolean(DUE)) {
                return isLimited ? LIMITED : WAITING;
            }
            return row.hasEndedAs("failed") || row.hasEndedAs("expired") ? RETRYING : SCHEDULED;
        }
        Map<String, Long> ends = new HashMap<>(Map.of("failed", 7L, "expired", 7L, "cancelled", 8L, "late", 9L));
        return row.ending().isEmpty() ? 6 : ends.getOrDefault(row.ending().getString(0), 6L);
    }

    private static long time(long status, TypeRows.Data row) {
        if (status == RUNNING) {
            return row.claimInfo().getLong(CLAIMED_AT);
        }
        if (status == SCHEDULED || status == RETRYING) {
            return row.scheduledTime() * 1_000;
        }
        if (status < RUNNING) {
            return row.options().getLong(SINCE);
        }
        return row.ending().isEmpty() ? 0 : row.ending().getLong(1);
    }
}
