package dev.couchjobs.internal.activity;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.JobIds;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The {@code activity} rows: running jobs in the order of their last heartbeats. */
public final class ActivityIndex {
    private ActivityIndex() {}

    /**
     * A row of the index.
     *
     * @param sequence the commit of the heartbeat
     * @param jobIds the job, or the jobs that were claimed or renewed together
     */
    public record Entry(Versionstamp sequence, List<String> jobIds) {}

    /**
     * Writes the row of jobs whose claims a transaction makes or renews, under the sequence of its commit, and clears
     * their rows from before. A row that several jobs share is left to the code that knows when no job needs it. A row
     * whose key contains the versionstamp of this transaction cannot be cleared: it remains if a job is updated and
     * finished in one transaction. The activity monitor clears the remaining rows.
     */
    public static void write(Changes changes) {
        List<String> renewed = new ArrayList<>(0); // mostly there is none
        for (SavedChange change : changes.all()) {
            JobRow after = change.after();
            if (after != null && after.awaitsCommit()) {
                renewed.add(change.ref().id());
            }
            clear(changes.tx(), changes.keys(), change.indexed(), after);
        }
        if (!renewed.isEmpty()) {
            IncompleteVersionstamps.setStampedKey(
                    changes.tx(),
                    ActivityKeys.of(changes.keys()).activityPrefix(),
                    changes.userVersion(),
                    JobIds.encode(renewed));
        }
    }

    private static void clear(Transaction tx, TypeKeys keys, @Nullable JobRow before, @Nullable JobRow after) {
        if (before == null || before.sequence() == null || before.claimInfo().shared()) {
            return;
        }
        Versionstamp old = before.sequence();
        if (old.isComplete() && !old.equals(after == null ? null : after.sequence())) {
            clear(tx, keys, old);
        }
    }

    /** Removes a row that no running job needs. */
    public static void clear(Transaction tx, TypeKeys keys, Versionstamp sequence) {
        tx.clear(ActivityKeys.of(keys).activity(sequence));
    }

    /** {@return the rows of the jobs without a heartbeat since a version, longest silent first} */
    public static CompletableFuture<List<Entry>> silentSince(
            ReadTransaction tx, TypeKeys keys, Versionstamp upTo, int limit) {
        return Quarantine.range(
                tx, keys, ActivityKeys.of(keys).activityUpTo(upTo), limit, false, row -> decode(keys, row));
    }

    /** {@return the jobs in the row of a sequence, if there is one} */
    public static CompletableFuture<List<String>> jobIds(ReadTransaction tx, TypeKeys keys, Versionstamp sequence) {
        byte[] key = ActivityKeys.of(keys).activity(sequence);
        return tx.snapshot()
                .get(key)
                .thenApply(value -> Quarantine.readable(tx, keys, key, value, ActivityIndex::decodeIds)
                        .orElse(List.of()));
    }

    /**
     * Reads the ids of the running jobs, without conflicts. Some of the jobs may have ended: a row of several jobs
     * stays until none of them needs it.
     *
     * @return the ids; empty if there are more rows than the maximum
     */
    public static CompletableFuture<Optional<List<String>>> all(ReadTransaction tx, TypeKeys keys, int rowsMax) {
        return Quarantine.range(
                        tx, keys, ActivityKeys.of(keys).activities(), rowsMax + 1, false, row -> decode(keys, row))
                .thenApply(rows -> rows.size() > rowsMax
                        ? Optional.empty()
                        : Optional.of(rows.stream()
                                .flatMap(row -> row.jobIds().stream())
                                .toList()));
    }

    /** {@return whether the index has no row} */
    public static CompletableFuture<Boolean> isEmpty(ReadTransaction tx, TypeKeys keys) {
        return tx.snapshot()
                .getRange(ActivityKeys.of(keys).activities(), 1)
                .asList()
                .thenApply(List::isEmpty);
    }

    /** {@return the key of the first row, whether it can be decoded or not; read without conflicts} */
    public static CompletableFuture<Optional<byte[]>> firstKey(ReadTransaction tx, TypeKeys keys) {
        return tx.snapshot()
                .getRange(ActivityKeys.of(keys).activities(), 1)
                .asList()
                .thenApply(rows -> rows.stream().map(KeyValue::getKey).findFirst());
    }

    /** {@return whether {@link #silentSince} finds a row if this is the key of the first} */
    public static boolean isSilentSince(TypeKeys keys, byte[] firstKey, Versionstamp upTo) {
        return Arrays.compareUnsigned(firstKey, ActivityKeys.of(keys).activityUpTo(upTo).end) < 0;
    }

    /** {@return the heartbeat that was longest ago, if a job runs; read without conflicts} */
    public static CompletableFuture<Optional<Versionstamp>> oldest(ReadTransaction tx, TypeKeys keys) {
        return Quarantine.range(
                        tx.snapshot(), keys, ActivityKeys.of(keys).activities(), 1, false, row -> decode(keys, row))
                .thenApply(rows -> rows.stream().map(Entry::sequence).findFirst());
    }

    private static Entry decode(TypeKeys keys, KeyValue row) {
        return new Entry(ActivityKeys.of(keys).sequenceOfActivity(row.getKey()), decodeIds(row.getValue()));
    }

    private static List<String> decodeIds(byte[] value) {
        List<String> ids = JobIds.decode(value);
        ids.forEach(Keyspace::checkJobId);
        return ids;
    }
}
