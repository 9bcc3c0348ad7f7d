package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.JobState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The derived rows that jobs of one type share when they are written together: one row of each kind. */
final class SharedRows {
    private final Transaction tx;
    private final TypeKeys keys;
    private final int userVersion;
    private final StateCounters counters = new StateCounters();
    private final LimitShards limitShards = new LimitShards();
    private final List<ChangeFeed.Entry> changes = new ArrayList<>();
    private final List<String> renewed = new ArrayList<>();
    private final Map<Retirement, List<String>> retired = new LinkedHashMap<>();
    private boolean wakesProcessors;
    private boolean wakesHolders;
    private boolean endsClaims;

    SharedRows(Transaction tx, TypeKeys keys, int userVersion) {
        this.tx = tx;
        this.keys = keys;
        this.userVersion = userVersion;
    }

    /** {@return the user version of these rows} */
    int userVersion() {
        return userVersion;
    }

    /** When the retention removes ended jobs, or jobs expire that have not begun. */
    private record Retirement(boolean archived, long second) {}

    /**
     * Adds the change of a job.
     *
     * @param event the row that subscribers receive; it differs from {@code after} for a job that its end removes
     */
    void add(JobRef ref, @Nullable JobRow before, @Nullable JobRow after, @Nullable JobRow event) {
        counters.change(before, after);
        limitShards.change(before, after);
        record(ref, before, after, event);
        endsClaims |= isRunning(before) && !isRunning(after);
    }

    private static boolean isRunning(@Nullable JobRow job) {
        return job != null && job.state() == JobState.RUNNING;
    }

    /** Adds a job that was in quarantine: the counters include it, but it has no other rows. */
    void restore(JobRef ref, JobRow was, JobRow now) {
        counters.change(was, now);
        limitShards.change(was, now);
        record(ref, null, now, now);
    }

    private void record(JobRef ref, @Nullable JobRow before, @Nullable JobRow after, @Nullable JobRow event) {
        if (before == null || after == null || after.differsFrom(before)) {
            changes.add(new ChangeFeed.Entry(ref.id(), event == null ? JobState.NOT_FOUND : event.state()));
        }
        if (after == null) {
            return;
        }
        if (after.awaitsCommit()) {
            renewed.add(ref.id());
        }
        if (after.deadline() != JobKeys.NO_DEADLINE && (before == null || before.deadline() != after.deadline())) {
            retire(ref, false, after.deadlineSecond());
        }
        if (after.awaitedBatch() != null && (before == null || before.awaitedBatch() == null)) {
            retire(ref, false, RetentionIndex.AT_ONCE);
        }
        ClaimEnd claimEnd = after.claimEnd();
        boolean hasEnded =
                after.state() == JobState.FINISHED && (before == null || !Objects.equals(before.claimEnd(), claimEnd));
        if (hasEnded && claimEnd != null && claimEnd.removeAt() != ClaimEnd.NEVER) {
            retire(ref, claimEnd.archived(), after.goesAtOnce() ? RetentionIndex.AT_ONCE : claimEnd.removeAt());
        }
    }

    private void retire(JobRef ref, boolean archived, long second) {
        retired.computeIfAbsent(new Retirement(archived, second), unused -> new ArrayList<>())
                .add(ref.id());
    }

    /** Records that one of the jobs can be claimed now. */
    void wakeProcessors() {
        wakesProcessors = true;
    }

    /** Records that the claim on one of the jobs ends other than by its holder. */
    void wakeHolders() {
        wakesHolders = true;
    }

    void save(int shard, OptionalLong token) {
        counters.save(tx, keys, shard);
        limitShards.save(tx, keys);
        if (wakesProcessors) {
            IncompleteVersionstamps.touch(tx, keys.watchesPending(), userVersion);
        }
        if (wakesHolders) {
            LostClaims.wakeHolders(tx, keys, userVersion);
        }
        if (endsClaims && LayoutRow.mayUse(tx, Feature.CLAIM_RULES)) {
            IncompleteVersionstamps.touch(tx, keys.watchesEnds(), userVersion);
        }
        if (!renewed.isEmpty()) {
            ActivityIndex.append(tx, keys, userVersion, renewed);
        }
        if (!changes.isEmpty()) {
            ChangeFeed.append(tx, keys, userVersion, changes, token);
        }
        retired.forEach((when, jobIds) -> {
            Subspace place = keys.retire(when.archived()).get(when.second());
            IncompleteVersionstamps.setStampedKey(tx, place.pack(), userVersion, JobIds.encode(jobIds));
        });
    }
}
