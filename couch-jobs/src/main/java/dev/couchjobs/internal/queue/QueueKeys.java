package dev.couchjobs.internal.queue;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;
import dev.couchjobs.internal.rows.TypeKeys;

/** The keys of the queues of a type: the pending queue of RFC 007, and the ranked queue. */
public final class QueueKeys {
    static final long RANKED_TURNS = -1;
    static final long RANKED_NOW = 0;
    static final long RANKED_LATER = 1;
    private static final int NUMBER_BYTES_MAX = 1 + Long.BYTES;

    private final Subspace pending;
    private final byte[] pendingPrefix;
    private final byte[] watchesPending;
    private final Subspace ranked;

    private QueueKeys(TypeKeys type) {
        pending = type.table("pending");
        pendingPrefix = pending.pack();
        watchesPending = type.row("watches_pending");
        ranked = type.table("ranked");
    }

    public static QueueKeys of(TypeKeys type) {
        return type.derived(QueueKeys.class, QueueKeys::new);
    }

    byte[] pending(long scheduledTime, String jobId) {
        return new TupleWriter(pendingPrefix, jobId.length() + NUMBER_BYTES_MAX + 2)
                .add(scheduledTime)
                .add(jobId)
                .toBytes();
    }

    /** All pending rows. */
    Range pending() {
        return pending.range();
    }

    /** All pending rows with a scheduled time at or before {@code latest}. */
    Range pendingScheduledUpTo(long latest) {
        byte[] begin = pending.get(0L).range().end;
        return new Range(begin, latest > 0 ? pending.get(latest).range().end : begin);
    }

    /** All pending rows with a scheduled time after a time. */
    Range pendingAfter(long scheduledTime) {
        return new Range(pending.get(scheduledTime).range().end, pending.range().end);
    }

    /** All pending rows without a scheduled time. */
    Range pendingUnscheduled() {
        return pending.get(0L).range();
    }

    /** Reads the path of a pending row: scheduled time and id. */
    TupleReader readPending(byte[] key) {
        return TupleReader.below(pendingPrefix, key);
    }

    /** Changed by every commit that puts a job into the pending queue. */
    public byte[] watchesPending() {
        return watchesPending;
    }

    /** A key in the due part of the ranked queue: higher priorities first, and oldest first within a priority. */
    byte[] ranked(int priority, long since, long scheduledTime, String jobId) {
        return ranked.pack(Tuple.from(RANKED_NOW, -(long) priority, since, scheduledTime, jobId));
    }

    /** The due part of the ranked queue. */
    Range ranked() {
        return ranked.get(RANKED_NOW).range();
    }

    /** The rows of the due part below a priority. */
    Range rankedBelow(int priority) {
        return new Range(ranked.get(Tuple.from(RANKED_NOW, -(long) priority)).range().end, ranked().end);
    }

    /** The turn part of the ranked queue: the due jobs with turn keys. */
    Range rankedTurns() {
        return ranked.get(RANKED_TURNS).range();
    }

    /** A key in the turn part of the ranked queue: by turn key, and within one as in the due part. */
    public byte[] rankedTurn(String turnKey, int priority, long since, long scheduledTime, String jobId) {
        return ranked.pack(Tuple.from(RANKED_TURNS, turnKey, -(long) priority, since, scheduledTime, jobId));
    }

    /** The due jobs with a turn key. */
    public Range rankedTurn(String turnKey) {
        return ranked.get(Tuple.from(RANKED_TURNS, turnKey)).range();
    }

    /** A key in the later part of the ranked queue, by scheduled time. */
    byte[] rankedLater(long scheduledTime, int priority, String jobId) {
        return ranked.pack(Tuple.from(RANKED_LATER, scheduledTime, -(long) priority, jobId));
    }

    /** The later part of the ranked queue: jobs whose scheduled time was to come when they were enqueued. */
    Range rankedLater() {
        return ranked.get(RANKED_LATER).range();
    }

    Range rankedLaterUpTo(long latest) {
        return new Range(
                rankedLater().begin,
                ranked.get(Tuple.from(RANKED_LATER, latest)).range().end);
    }

    Range rankedLaterAfter(long scheduledTime) {
        return new Range(ranked.get(Tuple.from(RANKED_LATER, scheduledTime)).range().end, rankedLater().end);
    }

    Tuple unpackRanked(byte[] key) {
        return ranked.unpack(key);
    }
}
