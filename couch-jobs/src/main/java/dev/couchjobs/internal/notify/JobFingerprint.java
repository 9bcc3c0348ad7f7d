package dev.couchjobs.internal.notify;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.history.JobLog;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Quarantine;
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
 * Identifies one version of a job: a digest of its row and of the end of its log, without the job's data. Two equal
 * fingerprints mean that no change of the job was reported between them, unless the job was removed and added again
 * with the same row.
 *
 * <p>Every reported change of a job changes its row, except entries of the log and progress after the first one. The
 * fingerprint therefore includes the progress and the number of the next entry.
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
     * Reads the fingerprint of a job, without conflicts.
     *
     * @param withLog whether to include the log and the progress
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

    /** {@return the state of the job; empty if its row cannot be decoded} */
    public Optional<JobState> state() {
        return state;
    }

    /** {@return whether the fingerprints are equal} */
    public boolean isSameAs(@Nullable JobFingerprint other) {
        return other != null && Arrays.equals(digest, other.digest) && nextEntry.equals(other.nextEntry);
    }

    /**
     * Watches keys such that the next reported change writes at least one of them. The transaction is the one that has
     * read the fingerprint.
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
