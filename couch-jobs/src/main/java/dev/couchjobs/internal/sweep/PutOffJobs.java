package dev.couchjobs.internal.sweep;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.job.ClaimEnd;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.retention.RetentionIndex;
import dev.couchjobs.internal.rows.TypeKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Puts off the removal of jobs whose graphs have not ended. Each is looked at again when it has been kept for twice as
 * long beyond its retention, so a graph that runs for long costs few looks.
 */
final class PutOffJobs {
    private static final Duration SHORTEST = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofDays(1);

    private PutOffJobs() {}

    /** Writes later rows in the retention index. The caller clears the rows that are due. */
    static void putOff(
            Transaction tx, TypeKeys keys, boolean archived, List<String> ids, Map<String, JobRow> jobs, Instant now) {
        Map<Long, List<String>> bySecond = new LinkedHashMap<>();
        for (String id : ids) {
            ClaimEnd end = Objects.requireNonNull(
                    Objects.requireNonNull(jobs.get(id), id).claimEnd());
            bySecond.computeIfAbsent(next(end, now), second -> new ArrayList<>())
                    .add(id);
        }
        bySecond.forEach((second, together) -> RetentionIndex.add(tx, keys, archived, together, second));
    }

    private static long next(ClaimEnd end, Instant now) {
        long due = end.removeAt() == ClaimEnd.AT_ONCE ? end.at() / 1_000 : end.removeAt();
        long kept = now.getEpochSecond() - due;
        return now.getEpochSecond() + Math.max(SHORTEST.toSeconds(), Math.min(kept, LONGEST.toSeconds()));
    }
}
