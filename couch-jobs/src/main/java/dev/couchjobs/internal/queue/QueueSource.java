package dev.couchjobs.internal.queue;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.Rest;
import dev.couchjobs.internal.rows.TypeKeys;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * Selects the rows of the queues that a claim tries to claim. It reads without conflicts and within a bounded window.
 *
 * <p>Jobs are selected by priority. Jobs of priority 0 are in the pending queue, all others in the ranked queue. While
 * the ranked queue is empty, it costs one read of an empty range. The pending queue holds jobs without a scheduled time
 * first, and then jobs with one. A claim alternates between the two kinds, so that a steady stream of the first does
 * not starve the second.
 */
public final class QueueSource {
    /** The least number of rows to read of the ranked jobs that have become due. */
    private static final int BECOME_DUE_MIN = 100;
    /** The largest number of these rows that one claim moves into the order of priorities. */
    private static final int MOVES_MAX = 50;
    /** The largest number of rows to skip without a cursor: such a claim reads the skipped rows as well. */
    private static final int SKIP_MAX = 1_000;

    /** How many selections read no snapshot after a queue was too long for one. */
    private static final int SELECTIONS_WITHOUT_SNAPSHOT = 16;

    private static final Comparator<QueueEntry> BY_PRIORITY = Comparator.comparingInt(QueueEntry::priority)
            .reversed()
            .thenComparing(Comparator.comparingLong(QueueEntry::since));

    private final TypeKeys keys;
    private final RandomGenerator random;
    private final LowPriorityShare lowPriorityShare;
    /** The skip distance for rows that no cursor selects. */
    private final SkipDistance skipDistance = new SkipDistance();

    private final QueueCursor unscheduled;
    private final QueueCursor scheduled;
    /** Whether the last read of the ranked queue was incomplete. Then the next claim starts two reads at once. */
    private volatile boolean rankedOverflow;

    /** How many of the next selections read no snapshot. */
    private final AtomicInteger selectionsWithoutSnapshot = new AtomicInteger();
    /** The snapshot that the last selection has read; empty if a queue was too long. */
    private volatile Optional<QueueSnapshot> queueSnapshot = Optional.empty();

    /** How many rows the last try has selected without a cursor. */
    private final AtomicInteger selectedWithoutCursor = new AtomicInteger();
    /** How many of these rows came from a queue so short that all processes select the same rows. */
    private final AtomicInteger selectedFromShortQueue = new AtomicInteger();

    public QueueSource(TypeKeys keys, RandomGenerator random) {
        this.keys = keys;
        this.random = random;
        this.lowPriorityShare = new LowPriorityShare(keys, random);
        this.unscheduled = new QueueCursor(keys, random);
        this.scheduled = new QueueCursor(keys, random);
    }

    /** Begins a claim. */
    public void beginClaim(Instant now) {
        skipDistance.shrink();
        unscheduled.beginClaim(now);
        scheduled.beginClaim(now);
        resetCounts();
    }

    private void resetCounts() {
        selectedWithoutCursor.set(0);
        selectedFromShortQueue.set(0);
    }

    /**
     * Begins another try of a claim after a conflict. If the last try selected rows from a short queue, the conflict
     * was most likely there, and the cursors in long queues do not skip rows.
     */
    public void retryAfterConflict() {
        boolean wasShort = selectedFromShortQueue.get() > 0 || !unscheduled.hasSurplus() || !scheduled.hasSurplus();
        if (selectedWithoutCursor.get() > 0) {
            skipDistance.grow(selectedWithoutCursor.get());
        }
        for (QueueCursor cursor : List.of(unscheduled, scheduled)) {
            if (wasShort && cursor.hasSurplus()) {
                cursor.retry();
            } else {
                cursor.retryAfterConflict();
            }
        }
        resetCounts();
    }

    /** Begins another try of a claim after an error other than a conflict. */
    public void retry() {
        unscheduled.retry();
        scheduled.retry();
        resetCounts();
    }

    /** Whether the last try left other rows in the queues: then a smaller claim would not avoid conflicts. */
    public boolean hasSurplus() {
        return selectedWithoutCursor.get() == 0 && unscheduled.hasSurplus() && scheduled.hasSurplus();
    }

    /**
     * The rows that a claim processes.
     *
     * @param candidates the rows to try to claim
     * @param moves rows of ranked jobs that have become due, to move into the order of priorities
     */
    public record Selection(List<QueueEntry> candidates, List<QueueEntry> moves) {
        /** {@return this selection with other candidates} */
        public Selection with(List<QueueEntry> otherCandidates) {
            return new Selection(otherCandidates, moves);
        }

        /** {@return this selection with as many candidates at most} */
        public Selection limitedTo(int candidatesMax) {
            return candidates.size() <= candidatesMax ? this : with(candidates.subList(0, candidatesMax));
        }
    }

    /**
     * Rows of the ranked queue.
     *
     * @param rows the rows that may be claimed, by priority and then age
     * @param mayHaveMoreDue whether more rows may have become due than were read
     */
    private record RankedRows(List<QueueEntry> rows, boolean mayHaveMoreDue) {}

    /**
     * Selects up to {@code demand} rows, strictly by priority. Of the rows of one priority it may skip some at the
     * head.
     *
     * @param now the present time in seconds since the epoch
     */
    public CompletableFuture<Selection> select(Transaction tx, Wanted wanted, long now, int demand) {
        int maxSkip = Math.min(skipDistance.rows(), SKIP_MAX);
        long latest = wanted.latest(now);
        LowPriorityShare.RotationPick rotationPick = lowPriorityShare.pick(tx, wanted, now, demand);
        return readSnapshot(tx, wanted).thenCompose(snapshot -> {
            CompletableFuture<RankedRows> rankedRead = snapshot.map(rows -> rankedOf(rows, latest))
                    .orElseGet(() -> readRanked(tx, latest, demand + maxSkip));
            CompletableFuture<List<QueueEntry>> pendingRead = snapshot.map(rows -> pendingOf(rows, latest, demand))
                    .orElseGet(() -> wanted.noSchedule()
                            ? readFromRandomId(tx, demand, maxSkip)
                            : readPending(tx, latest, demand));
            return rankedRead.thenCompose(ranked -> pendingRead.thenCompose(pending -> rotationPick
                    .rows(ranked.rows, pending)
                    .thenApply(rotated -> {
                        List<QueueEntry> candidates = inOrder(rotated, ranked.rows, pending, demand, maxSkip);
                        recordSelected(candidates, wanted);
                        boolean movesAll = ranked.mayHaveMoreDue && wanted.followsClock();
                        return new Selection(candidates, selectMoves(ranked.rows, candidates, movesAll));
                    })));
        });
    }

    private CompletableFuture<Optional<QueueSnapshot>> readSnapshot(Transaction tx, Wanted wanted) {
        queueSnapshot = Optional.empty();
        if (wanted.noSchedule() || selectionsWithoutSnapshot.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
            return CompletableFuture.completedFuture(queueSnapshot);
        }
        return QueueSnapshot.read(tx, keys).thenApply(snapshot -> {
            queueSnapshot = snapshot;
            selectionsWithoutSnapshot.set(snapshot.isPresent() ? 0 : SELECTIONS_WITHOUT_SNAPSHOT);
            return snapshot;
        });
    }

    private CompletableFuture<RankedRows> rankedOf(QueueSnapshot snapshot, long latest) {
        rankedOverflow = false;
        return CompletableFuture.completedFuture(new RankedRows(sorted(snapshot.rankedUpTo(latest), List.of()), false));
    }

    private CompletableFuture<List<QueueEntry>> pendingOf(QueueSnapshot snapshot, long latest, int demand) {
        List<QueueEntry> unscheduledRows = unscheduled.pickFrom(snapshot.unscheduled(), demand);
        List<QueueEntry> scheduledRows = scheduled.pickFrom(snapshot.scheduledUpTo(latest), demand);
        return CompletableFuture.completedFuture(alternating(unscheduledRows, scheduledRows, demand));
    }

    private void recordSelected(List<QueueEntry> candidates, Wanted wanted) {
        List<QueueEntry> pending =
                candidates.stream().filter(QueueSource::isInPendingQueue).toList();
        int rankedCount = candidates.size() - pending.size();
        selectedWithoutCursor.addAndGet(wanted.noSchedule() ? candidates.size() : rankedCount);
        selectedFromShortQueue.addAndGet(rankedOverflow ? 0 : rankedCount);
        if (!wanted.noSchedule()) {
            unscheduled.recordClaimed(
                    pending.stream().filter(row -> row.scheduledTime() == 0).toList());
            scheduled.recordClaimed(
                    pending.stream().filter(row -> row.scheduledTime() > 0).toList());
        }
    }

    private CompletableFuture<List<QueueEntry>> readPending(Transaction tx, long latest, int demand) {
        return unscheduled
                .read(tx, PendingQueue.unscheduled(keys), demand)
                .thenCombine(
                        scheduled.read(tx, PendingQueue.scheduledUpTo(keys, latest), demand),
                        (unscheduledRows, scheduledRows) -> alternating(unscheduledRows, scheduledRows, demand));
    }

    /** {@return a rest until a job that meets the criteria then is due} */
    public CompletableFuture<Rest> rest(Transaction tx, Wanted wanted, long now) {
        if (!wanted.followsClock()) {
            return CompletableFuture.completedFuture(Rest.NONE);
        }
        return queueSnapshot.isPresent()
                ? CompletableFuture.completedFuture(
                        Rest.until(queueSnapshot.get().nextAfter(now)))
                : PendingQueue.nextAfter(tx, keys, now)
                        .thenCombine(
                                RankedQueue.nextAfter(tx, keys, now),
                                (pending, ranked) -> Rest.until(pending).and(Rest.until(ranked)));
    }

    /**
     * Reads the ranked rows. One read returns them all while they are few. Among many, the rows that have become due
     * need another read.
     */
    private CompletableFuture<RankedRows> readRanked(Transaction tx, long latest, int window) {
        int limit = Math.max(window, BECOME_DUE_MIN);
        boolean isReadAhead = rankedOverflow;
        CompletableFuture<List<QueueEntry>> readAhead = isReadAhead
                ? RankedQueue.laterUpTo(tx, keys, latest, limit)
                : CompletableFuture.completedFuture(List.of());
        return RankedQueue.head(tx, keys, latest, window).thenCompose(head -> {
            rankedOverflow = head.size() == window;
            if (!rankedOverflow) {
                return CompletableFuture.completedFuture(new RankedRows(sorted(head, List.of()), false));
            }
            return (isReadAhead ? readAhead : RankedQueue.laterUpTo(tx, keys, latest, limit))
                    .thenApply(becomeDue -> new RankedRows(
                            sorted(head.stream().filter(QueueEntry::isDue).toList(), becomeDue),
                            becomeDue.size() == limit));
        });
    }

    private static List<QueueEntry> sorted(List<QueueEntry> byPriority, List<QueueEntry> byTime) {
        List<QueueEntry> rows = new ArrayList<>(byPriority.size() + byTime.size());
        rows.addAll(byPriority);
        rows.addAll(byTime);
        rows.sort(BY_PRIORITY);
        return rows;
    }

    private CompletableFuture<List<QueueEntry>> readFromRandomId(Transaction tx, int demand, int maxSkip) {
        String from = Long.toHexString(random.nextLong());
        return PendingQueue.unscheduledFrom(tx, keys, from, demand + maxSkip)
                .thenApply(rows -> randomSlice(rows, demand, maxSkip));
    }

    /** The rows of the low-priority share, and behind them the others by priority. */
    private List<QueueEntry> inOrder(
            List<QueueEntry> rotated, List<QueueEntry> ranked, List<QueueEntry> pending, int demand, int maxSkip) {
        List<QueueEntry> candidates = new ArrayList<>(rotated);
        int positiveCount = 0;
        while (positiveCount < ranked.size() && ranked.get(positiveCount).priority() > 0) {
            positiveCount++;
        }
        addByPriority(candidates, ranked.subList(0, positiveCount), demand, maxSkip);
        addSlice(candidates, pending, demand, 0);
        List<QueueEntry> others = ranked.subList(positiveCount, ranked.size()).stream()
                .filter(row -> !isCertainToMove(row))
                .toList();
        addByPriority(candidates, others, demand, maxSkip);
        return candidates;
    }

    private void addByPriority(List<QueueEntry> candidates, List<QueueEntry> rows, int demand, int maxSkip) {
        int from = 0;
        while (from < rows.size() && candidates.size() < demand) {
            int to = from + 1;
            while (to < rows.size() && rows.get(to).priority() == rows.get(from).priority()) {
                to++;
            }
            addSlice(candidates, rows.subList(from, to), demand, maxSkip);
            from = to;
        }
    }

    private void addSlice(List<QueueEntry> candidates, List<QueueEntry> rows, int demand, int maxSkip) {
        List<QueueEntry> newRows = candidates.isEmpty()
                ? rows
                : rows.stream()
                        .filter(row -> candidates.stream()
                                .noneMatch(candidate -> candidate.jobId().equals(row.jobId())))
                        .toList();
        candidates.addAll(randomSlice(newRows, demand - candidates.size(), maxSkip));
    }

    private List<QueueEntry> randomSlice(List<QueueEntry> rows, int demand, int maxSkip) {
        int slack = rows.size() - demand;
        if (slack <= 0) {
            return rows;
        }
        int from = random.nextInt(Math.min(slack, maxSkip) + 1);
        return rows.subList(from, from + demand);
    }

    private static boolean isInPendingQueue(QueueEntry row) {
        return row.priority() == 0 && row.isDue();
    }

    /** Of priority 0 only jobs with limit or turn keys are in the later part. For others only the job's row tells. */
    private static boolean isCertainToMove(QueueEntry row) {
        return row.priority() == 0 && !row.isDue();
    }

    /**
     * A random part of the rows that have become due and are no candidates: of all of them, or of those that cannot be
     * claimed before they are admitted. Since it is random, processes seldom move the same rows.
     */
    private List<QueueEntry> selectMoves(List<QueueEntry> ranked, List<QueueEntry> candidates, boolean movesAll) {
        List<QueueEntry> becomeDue = new ArrayList<>(ranked.stream()
                .filter(row -> movesAll ? !row.isDue() : isCertainToMove(row))
                .filter(row -> !candidates.contains(row))
                .toList());
        if (becomeDue.isEmpty()) {
            return List.of();
        }
        Collections.rotate(becomeDue, random.nextInt(becomeDue.size() + 1));
        return becomeDue.subList(0, Math.min(MOVES_MAX, becomeDue.size()));
    }

    /** Rows of both kinds alternately, up to the demand. The kind of the first row is random. */
    private List<QueueEntry> alternating(List<QueueEntry> unscheduledRows, List<QueueEntry> scheduledRows, int demand) {
        if (unscheduledRows.isEmpty() || scheduledRows.isEmpty()) {
            return scheduledRows.isEmpty() ? unscheduledRows : scheduledRows;
        }
        boolean isScheduledFirst = random.nextBoolean();
        List<QueueEntry> first = isScheduledFirst ? scheduledRows : unscheduledRows;
        List<QueueEntry> second = isScheduledFirst ? unscheduledRows : scheduledRows;
        List<QueueEntry> rows = new ArrayList<>(demand);
        for (int i = 0; rows.size() < demand && i < Math.max(first.size(), second.size()); i++) {
            if (i < first.size()) {
                rows.add(first.get(i));
            }
            if (i < second.size() && rows.size() < demand) {
                rows.add(second.get(i));
            }
        }
        return rows;
    }
}
