package dev.couchjobs.internal.history;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobProgress;
import dev.couchjobs.JobState;
import dev.couchjobs.LogEntry;
import dev.couchjobs.internal.feature.Changes;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.feature.SavedChange;
import dev.couchjobs.internal.feed.ChangeFeed;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Quarantine;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The log of a job: entries that its attempts write, numbered from 1 without gaps, of which the last {@value #KEPT} are
 * kept; the last checkpoint, which is not trimmed with the entries; and the progress.
 *
 * <p>The next number follows from the last entry, which is read with a conflict, so no two entries have the same
 * number. A job's row only says whether the job has a log: heartbeats and entries do not conflict.
 */
public final class JobLog {
    static final int KEPT = 1_000;

    private static final String CHECKPOINT = "checkpoint";
    private static final String PROGRESS = "progress";

    private JobLog() {}

    private static Subspace rows(JobRef ref) {
        return ref.keys().table("log").get(ref.id());
    }

    /**
     * An entry as it is stored.
     *
     * @param number its number, from 1
     * @param claim the number of the claim that wrote it
     * @param at its time, in milliseconds since the epoch
     * @param kind its kind
     * @param json its content
     */
    public record Stored(long number, long claim, long at, LogEntry.Kind kind, String json) {
        private Tuple encode() {
            return Tuple.from(number, claim, at, kind.name().toLowerCase(Locale.ROOT), json);
        }

        private static Stored decode(byte[] value) {
            Tuple entry = Tuple.fromBytes(value);
            return new Stored(
                    entry.getLong(0),
                    entry.getLong(1),
                    entry.getLong(2),
                    LogEntry.Kind.valueOf(entry.getString(3).toUpperCase(Locale.ROOT)),
                    entry.getString(4));
        }
    }

    /**
     * {@return the number of the next entry; a read that is not from a snapshot conflicts with the writer of that
     * entry}
     */
    public static CompletableFuture<Long> nextNumber(ReadTransaction tx, JobRef ref) {
        Subspace log = rows(ref);
        return Quarantine.range(
                        tx,
                        tx,
                        ref.keys(),
                        entries(log),
                        1,
                        true,
                        row -> log.unpack(row.getKey()).getLong(0))
                .thenApply(last -> last.isEmpty() ? 1 : last.get(0) + 1);
    }

    /** Appends an entry, and notifies subscribers of the job. */
    public static void append(JobStore jobs, JobRef ref, JobRow row, Stored entry) {
        Transaction tx = jobs.tx();
        Subspace log = rows(ref);
        byte[] value = entry.encode().pack();
        tx.set(log.pack(entry.number()), value);
        if (entry.number() > KEPT) {
            tx.clear(log.pack(entry.number() - KEPT));
        }
        if (entry.kind() == LogEntry.Kind.CHECKPOINT) {
            tx.set(log.pack(CHECKPOINT), value);
        }
        writeAndNotify(jobs, ref, row);
    }

    /** Replaces the progress of the job, and notifies its subscribers. {@return the progress as it is stored} */
    public static byte[] progress(JobStore jobs, JobRef ref, JobRow row, JobProgress progress) {
        byte[] value = Tuple.from(
                        progress.done(),
                        progress.total(),
                        progress.text(),
                        progress.at().toEpochMilli())
                .pack();
        jobs.tx().set(progressKey(ref), value);
        writeAndNotify(jobs, ref, row);
        return value;
    }

    public static byte[] entryKey(JobRef ref, long number) {
        return rows(ref).pack(number);
    }

    public static byte[] progressKey(JobRef ref) {
        return rows(ref).pack(PROGRESS);
    }

    private static void writeAndNotify(JobStore jobs, JobRef ref, JobRow row) {
        if (!row.claimInfo().logged()) {
            jobs.save(ref, row, row.logging().writtenByHolder(jobs.isJoined()));
        }
        ChangeFeed.append(jobs, ref, JobState.RUNNING);
    }

    /** {@return the entries after a number, oldest first} */
    public static CompletableFuture<List<Stored>> read(ReadTransaction tx, JobRef ref, long after, int limit) {
        Subspace log = rows(ref);
        Range behind = new Range(ByteArrayUtil.keyAfter(log.pack(after)), log.range().end);
        return tx.getRange(behind, limit)
                .asList()
                .thenApply(rows -> Quarantine.readable(tx, ref.keys(), rows, row -> Stored.decode(row.getValue())));
    }

    /** {@return the last checkpoint} */
    public static CompletableFuture<Optional<Stored>> lastCheckpoint(ReadTransaction tx, JobRef ref) {
        byte[] key = rows(ref).pack(CHECKPOINT);
        return tx.get(key).thenApply(value -> Quarantine.readable(tx, ref.keys(), key, value, Stored::decode));
    }

    /** {@return the progress, if an attempt has reported one} */
    public static CompletableFuture<Optional<JobProgress>> progress(ReadTransaction tx, JobRef ref) {
        byte[] key = progressKey(ref);
        return tx.get(key).thenApply(value -> Quarantine.readable(tx, ref.keys(), key, value, JobLog::decodeProgress));
    }

    public static JobProgress decodeProgress(byte[] value) {
        Tuple progress = Tuple.fromBytes(value);
        return new JobProgress(
                progress.getLong(0),
                progress.getLong(1),
                progress.getString(2),
                Instant.ofEpochMilli(progress.getLong(3)));
    }

    /** Removes the logs of removed jobs. */
    public static void write(Changes changes) {
        for (SavedChange change : changes.all()) {
            JobRow before = change.before();
            if (before != null && before.claimInfo().logged() && change.after() == null) {
                clear(changes.tx(), change.ref());
            }
        }
    }

    /** Removes the log of a job. */
    public static void clear(Transaction tx, JobRef ref) {
        tx.clear(rows(ref).range());
    }

    /** The range of the entries. Tuples order numbers after texts. */
    private static Range entries(Subspace log) {
        return new Range(log.pack(1), log.range().end);
    }
}
