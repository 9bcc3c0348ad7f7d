package dev.couchjobs.internal.queue;

import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.job.RowChange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Removes the rows of claimed jobs from the pending queue: many consecutive rows as one range, which costs as much as
 * one row.
 *
 * <p>Such a claim conflicts with a job that is added between these rows, because the range would remove that job as
 * well. Ids in ascending order add no job there; ids at random do, the more often the shorter the queue is. After a
 * conflict the next claims remove each row by itself.
 */
public final class QueueClearing {
    /** The least number of rows to remove as a range. */
    static final int ROWS_MIN = 16;
    /** How many claims after a conflict remove no range, at least and at most. */
    private static final int PAUSE_MIN = 16;

    private static final int PAUSE_MAX = 1_024;

    @GuardedBy("this") private int pause;

    @GuardedBy("this") private int nextPause = PAUSE_MIN;

    @GuardedBy("this") private boolean hasClearedRange;

    /** Begins a claim, after the last one has committed. */
    public synchronized void beginClaim() {
        if (hasClearedRange) {
            nextPause = Math.max(PAUSE_MIN, nextPause / 2);
        }
        pause = Math.max(0, pause - 1);
        hasClearedRange = false;
    }

    /** Begins another try of a claim after a failure. {@return whether it may have been a conflict over a range} */
    public synchronized boolean retry() {
        boolean mayBeOverRange = hasClearedRange;
        if (mayBeOverRange) {
            pause = nextPause;
            nextPause = Math.min(PAUSE_MAX, 2 * nextPause);
        }
        hasClearedRange = false;
        return mayBeOverRange;
    }

    /**
     * Removes ranges of consecutive rows.
     *
     * @param rows the rows of the claimed jobs, by job id
     * @param claims the claims
     * @return the claims; those whose rows were removed are {@linkplain RowChange#dequeued() dequeued}
     */
    public synchronized List<RowChange> clearRanges(
            Transaction tx, Map<String, QueueEntry> rows, List<RowChange> claims) {
        if (pause > 0 || claims.size() < ROWS_MIN) {
            return claims;
        }
        Set<QueueEntry> claimed = new LinkedHashSet<>();
        Set<QueueEntry> followed = new HashSet<>();
        for (RowChange claim : claims) {
            QueueEntry row = rows.get(claim.ref().id());
            if (row != null) {
                claimed.add(row);
                row.previous().ifPresent(followed::add);
            }
        }
        Set<String> dequeued = new HashSet<>();
        for (QueueEntry last : claimed) {
            if (!followed.contains(last)) {
                Deque<QueueEntry> range = rangeUpTo(last, claimed);
                if (range.size() >= ROWS_MIN) {
                    PendingQueue.clear(tx, range.getFirst(), last);
                    range.forEach(row -> dequeued.add(row.jobId()));
                }
            }
        }
        if (dequeued.isEmpty()) {
            return claims;
        }
        hasClearedRange = true;
        List<RowChange> marked = new ArrayList<>(claims.size());
        claims.forEach(claim -> marked.add(dequeued.contains(claim.ref().id()) ? claim.dequeued() : claim));
        return marked;
    }

    private static Deque<QueueEntry> rangeUpTo(QueueEntry last, Set<QueueEntry> claimed) {
        Deque<QueueEntry> range = new ArrayDeque<>();
        QueueEntry row = last;
        while (row != null && claimed.contains(row)) {
            range.addFirst(row);
            row = row.previous().orElse(null);
        }
        return range;
    }
}
