package dev.couchjobs.internal.retention;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.ClaimEnd;
import dev.couchjobs.internal.job.DependencyState;
import dev.couchjobs.internal.job.JobKeys;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.JobIds;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TransactionScope;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The {@code retire} rows: ended jobs and the times at which the retention removes them, jobs with deadlines, and
 * closing jobs whose batches are to be checked.
 */
public final class RetentionIndex {
    /** The second of rows that are due when they are written. */
    static final long AT_ONCE = 1;

    private RetentionIndex() {}

    /** When the retention removes ended jobs, or jobs expire that have not begun. */
    private record Retirement(boolean archived, long second) {}

    /** Writes the rows of jobs that have ended, that have got a deadline, or that wait for their batch. */
    public static void write(Changes changes) {
        Map<Retirement, List<String>> retired = new LinkedHashMap<>(0); // mostly there is none
        for (SavedChange change : changes.all()) {
            JobRow after = change.after();
            if (after != null) {
                add(retired, change.ref().id(), change.indexed(), after);
            }
        }
        if (!retired.isEmpty()) {
            RetentionKeys keys = RetentionKeys.of(changes.keys());
            retired.forEach((when, jobIds) -> IncompleteVersionstamps.setStampedKey(
                    changes.tx(),
                    keys.retire(when.archived()).get(when.second()).pack(),
                    changes.userVersion(),
                    JobIds.encode(jobIds)));
        }
    }

    /** How many rows of one time are looked through for that of a job. */
    private static final int ROWS_OF_A_TIME_MAX = 1_000;

    /**
     * {@return whether the row of a job is there, if it needs one} A row that was put off counts as lost: the sweep
     * puts the one that is written in its place off again.
     */
    public static CompletableFuture<Boolean> isThere(ReadTransaction tx, JobRef ref, JobRow job) {
        Map<Retirement, List<String>> needed = new LinkedHashMap<>();
        add(needed, ref.id(), null, job);
        List<CompletableFuture<Boolean>> reads = needed.keySet().stream()
                .map(when -> tx.getRange(
                                RetentionKeys.of(ref.keys())
                                        .retire(when.archived())
                                        .get(when.second())
                                        .range(),
                                ROWS_OF_A_TIME_MAX)
                        .asList()
                        .thenApply(rows -> rows.size() == ROWS_OF_A_TIME_MAX
                                || rows.stream().anyMatch(row -> names(row, ref.id()))))
                .toList();
        return Futures.allOf(reads).thenApply(done -> reads.stream().allMatch(CompletableFuture::join));
    }

    private static boolean names(KeyValue row, String jobId) {
        return Quarantine.readableOrLogged(row, each -> JobIds.decode(each.getValue()))
                .filter(ids -> ids.contains(jobId))
                .isPresent();
    }

    private static void add(
            Map<Retirement, List<String>> retired, String jobId, @Nullable JobRow before, JobRow after) {
        if (after.deadline() != JobKeys.NO_DEADLINE && (before == null || before.deadline() != after.deadline())) {
            add(retired, jobId, false, after.deadlineSecond());
        }
        if (after.awaitedBatch() != null && (before == null || before.awaitedBatch() == null)) {
            add(retired, jobId, false, AT_ONCE);
        }
        ClaimEnd claimEnd = after.claimEnd();
        boolean hasEnded =
                after.state() == JobState.FINISHED && (before == null || !Objects.equals(before.claimEnd(), claimEnd));
        if (hasEnded && claimEnd != null && claimEnd.removeAt() != ClaimEnd.NEVER) {
            add(retired, jobId, claimEnd.archived(), after.goesAtOnce() ? AT_ONCE : claimEnd.removeAt());
        }
    }

    private static void add(Map<Retirement, List<String>> retired, String jobId, boolean archived, long second) {
        retired.computeIfAbsent(new Retirement(archived, second), unused -> new ArrayList<>())
                .add(jobId);
    }

    /**
     * A row of the index.
     *
     * @param archived whether an archive has to accept the jobs first
     * @param removeAt when the jobs are removed, or expire if they have not begun, in seconds since the epoch
     * @param sequence the commit in which the jobs ended, or got their deadline
     * @param jobIds the jobs of one commit
     */
    public record Entry(boolean archived, long removeAt, Versionstamp sequence, List<String> jobIds) {
        /** {@return whether the job's own row agrees; the job may have begun, or have been enqueued again} */
        public boolean matches(JobRow job) {
            if (job.state() == JobState.PENDING) {
                return !archived && (job.deadlineSecond() == removeAt || job.awaitedBatch() != null);
            }
            ClaimEnd claimEnd = job.claimEnd();
            return job.state() == JobState.FINISHED
                    && claimEnd != null
                    && (claimEnd.removeAt() == removeAt || isPutOff(job, claimEnd))
                    && claimEnd.archived() == archived;
        }

        /** The rows of jobs in a graph that has not ended are put off, without a change of the jobs. */
        private boolean isPutOff(JobRow job, ClaimEnd claimEnd) {
            return job.options().dependencies().graph() != DependencyState.NO_GRAPH
                    && claimEnd.removeAt() != ClaimEnd.NEVER
                    && claimEnd.removeAt() < removeAt;
        }
    }

    /** {@return the rows that are due at a second, longest due first} */
    public static CompletableFuture<List<Entry>> dueAt(
            ReadTransaction tx, TypeKeys keys, boolean archived, long second, int limit) {
        return Quarantine.range(
                tx,
                keys,
                RetentionKeys.of(keys).retireUpTo(archived, second),
                limit,
                false,
                row -> decode(keys, archived, row));
    }

    /** {@return when the next jobs are due, in seconds since the epoch, if there are any} */
    public static CompletableFuture<OptionalLong> nextDue(ReadTransaction tx, TypeKeys keys, boolean archived) {
        return Quarantine.range(
                        tx,
                        keys,
                        RetentionKeys.of(keys).retire(archived).range(),
                        1,
                        false,
                        row -> decode(keys, archived, row))
                .thenApply(rows -> rows.stream().mapToLong(Entry::removeAt).findFirst());
    }

    /** Removes a row that no job needs. */
    public static void clear(Transaction tx, TypeKeys keys, Entry entry) {
        tx.clear(RetentionKeys.of(keys).retire(entry.archived()).pack(Tuple.from(entry.removeAt(), entry.sequence())));
    }

    /** Writes a row for a job that does not change. */
    public static void add(Transaction tx, JobRef ref, long second) {
        add(tx, ref.keys(), false, List.of(ref.id()), second);
    }

    /** Writes rows for jobs that do not change. */
    public static void add(Transaction tx, TypeKeys keys, boolean archived, List<String> jobIds, long second) {
        byte[] place = RetentionKeys.of(keys).retire(archived).get(second).pack();
        for (int from = 0; from < jobIds.size(); from += JobStore.TOGETHER_MAX) {
            List<String> together = jobIds.subList(from, Math.min(jobIds.size(), from + JobStore.TOGETHER_MAX));
            int userVersion = TransactionScope.of(tx)
                    .userVersion(together.stream()
                            .map(id -> new JobRef(keys, id).rowKey())
                            .toList());
            IncompleteVersionstamps.setStampedKey(tx, place, userVersion, JobIds.encode(together));
        }
    }

    private static Entry decode(TypeKeys keys, boolean archived, KeyValue row) {
        Tuple place = RetentionKeys.of(keys).retire(archived).unpack(row.getKey());
        return new Entry(archived, place.getLong(0), place.getVersionstamp(1), JobIds.decode(row.getValue()));
    }
}
