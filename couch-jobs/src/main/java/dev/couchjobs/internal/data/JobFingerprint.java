package dev.couchjobs.internal.data;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobState;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Identifies one version of a job: a digest of its row and of the end of its log. It holds none of the
 * job's data. Two equal signs mean that no change of the job was reported between them, unless the job was removed and
 * then added again just as it was.
 *
 * <p>A row changes with every reported change of its job but one: an entry of the log or a progress leaves the row as
 * it is, except for the first of a job. So the keys that the next entry and the next progress write are part of the
 * sign.
 */
public final class JobFingerprint {
    private final Optional<JobState> state;
    private final byte[] digest;
    private final OptionalLong nextEntry;

    private JobFingerprint(Optional<JobState> state, byte[] digest, OptionalLong nextEntry) {
        this.state = state;
        this.digest = digest;
        this.nextEntry = nextEntry;
    }

    /**
     * Reads the sign of a job, without conflicts.
     *
     * @param withLog whether entries of the log and progress matter
     */
    public static CompletableFuture<JobFingerprint> read(Transaction tx, JobRef ref, boolean withLog) {
        ReadTransaction snapshot = tx.snapshot();
        return snapshot.get(ref.dataKey()).thenCompose(value -> {
            if (value == null) {
                return CompletableFuture.completedFuture(
                        new JobFingerprint(Optional.of(JobState.NOT_FOUND), new byte[0], OptionalLong.empty()));
            }
            Optional<JobRow> row = Quarantine.readable(tx, ref.keys(), ref.dataKey(), value, JobRow::decode);
            Optional<JobState> state = row.map(JobRow::state);
            if (!withLog || row.filter(job -> job.claimInfo().logged()).isEmpty()) {
                return CompletableFuture.completedFuture(
                        new JobFingerprint(state, digest(value, null), OptionalLong.empty()));
            }
            return snapshot.get(JobLog.progressKey(ref))
                    .thenCombine(
                            JobLog.nextNumber(snapshot, ref),
                            (progress, next) ->
                                    new JobFingerprint(state, digest(value, progress), OptionalLong.of(next)));
        });
    }

    private static byte[] digest(byte[] row, byte @Nullable [] progress) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(row);
            if (progress != null) {
                digest.update(progress);
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256.", e);
        }
    }

    /** {@return what the job is; empty if its row cannot be decoded} */
    public Optional<JobState> state() {
        return state;
    }

    /** {@return whether no change was reported between the two} */
    public boolean isSameAs(@Nullable JobFingerprint other) {
        return other != null && Arrays.equals(digest, other.digest) && nextEntry.equals(other.nextEntry);
    }

    /**
     * Watches all keys of which the next reported change writes at least one; in the transaction that has read the
     * sign.
     *
     * @return one to three watches, each of which may fire without a reported change
     */
    public List<CompletableFuture<Void>> watch(Transaction tx, JobRef ref) {
        List<CompletableFuture<Void>> watches = new ArrayList<>();
        watches.add(tx.watch(ref.dataKey()));
        nextEntry.ifPresent(next -> {
            watches.add(tx.watch(JobLog.progressKey(ref)));
            watches.add(tx.watch(JobLog.entryKey(ref, next)));
        });
        return watches;
    }
}
