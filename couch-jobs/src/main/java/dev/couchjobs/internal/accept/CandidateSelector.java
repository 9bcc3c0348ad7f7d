package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.PendingQueue;
import dev.couchjobs.internal.data.QueueEntry;
import dev.couchjobs.internal.data.RankedQueue;
import dev.couchjobs.internal.data.TypeKeys;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Picks the rows of the queues to try to claim. It reads without conflicts and within a bounded window.
 *
 * <p>Jobs come by priority. Those of priority 0, which most jobs have, are in the pending queue; where no job has
 * another priority, that costs one read beside it of a range that is empty. In the pending queue jobs without a
 * scheduled time and jobs that have become due stand one behind the other. They are taken by turns, so that a steady
 * stream of the former does not keep the latter waiting for ever.
 */
final class CandidateSelector {
    /** How many jobs of a backlog that has become due are looked at together, at least. */
    private static final int DUE_MIN = 100;
    /** How many of them one claim puts in the order of priorities. */
    private static final int MOVES_MAX = 50;
    /** How far one claim looks that cannot begin in the middle, because it reads all in between. */
    private static final int SKIP_MAX = 1_000;

    /** How many picks do without a snapshot after one that was too much. */
    private static final int WITHOUT_QUEUE_SNAPSHOT = 16;

    private static final Comparator<QueueEntry> BY_PRIORITY = Comparator.comparingInt(QueueEntry::priority)
            .reversed()
            .thenComparing(Comparator.comparingLong(QueueEntry::since));

    private final TypeKeys keys;
    private final RandomGenerator random;
    private final LowPriorityShare lowPriorityShare;
    /** For jobs that no queue cursor leads to. */
    private final SkipDistance skipDistance = new SkipDistance();

    private final QueueCursor unscheduled;
    private final QueueCursor due;
    /**
     * Whether there were more jobs with a priority than one read sees, when last seen: then the next claim reads more.
     */
    private volatile boolean crowded;

    /** How many picks are to do without a snapshot. */
    private final AtomicInteger withoutQueueSnapshot = new AtomicInteger();
    /** What the last pick saw, if it saw all. */
    private volatile Optional<QueueSnapshot> queueSnapshot = Optional.empty();

    /** How many the last try would have taken that no queue cursor leads to. */
    private final AtomicInteger takenElsewhere = new AtomicInteger();
    /** Those of them of which there were so few that all processes want the same. */
    private final AtomicInteger takenScarce = new AtomicInteger();

    CandidateSelector(TypeKeys keys, RandomGenerator random) {
        this.keys = keys;
        this.random = random;
        this.lowPriorityShare = new LowPriorityShare(keys, random);
        this.unscheduled = new QueueCursor(keys, random);
        this.due = new QueueCursor(keys, random);
    }

    /** Another claim begins. */
    void goOn(Instant now) {
        skipDistance.undisturbed();
        unscheduled.goOn(now);
        due.goOn(now);
        forgetTry();
    }

    private void forgetTry() {
        takenElsewhere.set(0);
        takenScarce.set(0);
    }

    /**
     * A claim has met another, and is tried again. Where something was scarce, it was that which others wanted as well.
     */
    void conflicted() {
        boolean wasScarce = takenScarce.get() > 0 || !unscheduled.hasSurplus() || !due.hasSurplus();
        if (takenElsewhere.get() > 0) {
            skipDistance.conflicted(takenElsewhere.get());
        }
        for (QueueCursor cursor : List.of(unscheduled, due)) {
            if (wasScarce && cursor.hasSurplus()) {
                cursor.again();
            } else {
                cursor.conflicted();
            }
        }
        forgetTry();
    }

    /** A claim is tried again without a conflict. */
    void again() {
        unscheduled.again();
        due.again();
        forgetTry();
    }

    /** Whether there were jobs enough for this and others: then to take fewer would not help against conflicts. */
    boolean hasSurplus() {
        return takenElsewhere.get() == 0 && unscheduled.hasSurplus() && due.hasSurplus();
    }

    /**
     * What a claim is to do.
     *
     * @param take the rows to try to claim
     * @param move rows of jobs that have become due, to be put in the order of priorities
     */
    record ClaimPlan(List<QueueEntry> take, List<QueueEntry> move) {}

    /**
     * Rows with a priority of their own.
     *
     * @param all those that may be taken, in their order
     * @param hidden whether there may be more that have become due
     */
    private record PrioritisedRows(List<QueueEntry> all, boolean hidden) {}

    /**
     * Up to {@code wanted} rows: strictly by priority, and of those of one priority some that are not too far behind
     * the first.
     *
     * @param now the present time in seconds since the epoch
     */
    CompletableFuture<ClaimPlan> pick(Transaction tx, ClaimCriteria criteria, long now, int wanted) {
        int maxSkip = Math.min(skipDistance.rows(), SKIP_MAX);
        LowPriorityShare.OutOfOrderPick outOfOrderPick = lowPriorityShare.turn(tx, criteria, now, wanted);
        return queueSnapshot(tx, criteria).thenCompose(all -> {
            CompletableFuture<PrioritisedRows> prioritisedRows = all.map(seen -> ranked(seen, criteria.latest(now)))
                    .orElseGet(() -> ranked(tx, criteria.latest(now), wanted + maxSkip));
            CompletableFuture<List<QueueEntry>> pending = all.map(seen -> pending(seen, criteria.latest(now), wanted))
                    .orElseGet(() -> criteria.noSchedule()
                            ? anywhere(tx, wanted, maxSkip)
                            : pending(tx, criteria.latest(now), wanted));
            return prioritisedRows.thenCompose(some -> pending.thenCompose(plain -> outOfOrderPick
                    .rows(some.all, plain)
                    .thenApply(first -> {
                        List<QueueEntry> take = byPriority(first, some.all, plain, wanted, maxSkip);
                        recordTaken(take, criteria);
                        boolean moves = some.hidden && criteria.followsClock();
                        return new ClaimPlan(take, moves ? toMove(some.all, take) : List.of());
                    })));
        });
    }

    private CompletableFuture<Optional<QueueSnapshot>> queueSnapshot(Transaction tx, ClaimCriteria criteria) {
        queueSnapshot = Optional.empty();
        if (criteria.noSchedule() || withoutQueueSnapshot.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return CompletableFuture.completedFuture(queueSnapshot);
        }
        return QueueSnapshot.read(tx, keys).thenApply(all -> {
            queueSnapshot = all;
            withoutQueueSnapshot.set(all.isPresent() ? 0 : WITHOUT_QUEUE_SNAPSHOT);
            return all;
        });
    }

    private CompletableFuture<PrioritisedRows> ranked(QueueSnapshot all, long latest) {
        crowded = false;
        return CompletableFuture.completedFuture(new PrioritisedRows(sorted(all.rankedUpTo(latest), List.of()), false));
    }

    private CompletableFuture<List<QueueEntry>> pending(QueueSnapshot all, long latest, int wanted) {
        List<QueueEntry> plain = unscheduled.of(all.unscheduled(), wanted);
        List<QueueEntry> later = due.of(all.scheduledUpTo(latest), wanted);
        return CompletableFuture.completedFuture(byTurns(plain, later, wanted));
    }

    private void recordTaken(List<QueueEntry> taken, ClaimCriteria criteria) {
        List<QueueEntry> pending =
                taken.stream().filter(row -> row.priority() == 0).toList();
        int ranked = taken.size() - pending.size();
        takenElsewhere.addAndGet(criteria.noSchedule() ? taken.size() : ranked);
        takenScarce.addAndGet(crowded ? 0 : ranked);
        if (!criteria.noSchedule()) {
            unscheduled.took(
                    pending.stream().filter(row -> row.scheduledTime() == 0).toList());
            due.took(pending.stream().filter(row -> row.scheduledTime() > 0).toList());
        }
    }

    private CompletableFuture<List<QueueEntry>> pending(Transaction tx, long latest, int wanted) {
        return unscheduled
                .rows(tx, PendingQueue.unscheduled(keys), wanted)
                .thenCombine(
                        due.rows(tx, PendingQueue.scheduledUpTo(keys, latest), wanted),
                        (plain, later) -> byTurns(plain, later, wanted));
    }

    /** The next time at which time alone makes a job one to take. */
    CompletableFuture<OptionalLong> nextDue(Transaction tx, ClaimCriteria criteria, long now) {
        if (criteria.followsClock() && queueSnapshot.isPresent()) {
            return CompletableFuture.completedFuture(queueSnapshot.get().nextAfter(now));
        }
        return criteria.followsClock()
                ? PendingQueue.nextAfter(tx, keys, now)
                        .thenCombine(RankedQueue.nextAfter(tx, keys, now), CandidateSelector::earlier)
                : CompletableFuture.completedFuture(OptionalLong.empty());
    }

    private static OptionalLong earlier(OptionalLong one, OptionalLong other) {
        return Stream.of(one, other).flatMapToLong(OptionalLong::stream).min();
    }

    /** One read sees them all as long as they are few; behind many the jobs that have become due need another. */
    private CompletableFuture<PrioritisedRows> ranked(Transaction tx, long latest, int window) {
        int limit = Math.max(window, DUE_MIN);
        CompletableFuture<List<QueueEntry>> ahead =
                crowded ? RankedQueue.laterUpTo(tx, keys, latest, limit) : CompletableFuture.completedFuture(List.of());
        boolean isAhead = crowded;
        return RankedQueue.head(tx, keys, latest, window).thenCompose(head -> {
            crowded = head.size() == window;
            if (!crowded) {
                return CompletableFuture.completedFuture(new PrioritisedRows(sorted(head, List.of()), false));
            }
            return (isAhead ? ahead : RankedQueue.laterUpTo(tx, keys, latest, limit))
                    .thenApply(due -> new PrioritisedRows(
                            sorted(head.stream().filter(QueueEntry::isDue).toList(), due), due.size() == limit));
        });
    }

    private static List<QueueEntry> sorted(List<QueueEntry> some, List<QueueEntry> others) {
        List<QueueEntry> all = new ArrayList<>(some.size() + others.size());
        all.addAll(some);
        all.addAll(others);
        all.sort(BY_PRIORITY);
        return all;
    }

    private CompletableFuture<List<QueueEntry>> anywhere(Transaction tx, int wanted, int maxSkip) {
        String from = Long.toHexString(random.nextLong());
        return PendingQueue.unscheduledFrom(tx, keys, from, wanted + maxSkip)
                .thenApply(rows -> slice(rows, wanted, maxSkip));
    }

    private List<QueueEntry> byPriority(
            List<QueueEntry> first, List<QueueEntry> ranked, List<QueueEntry> pending, int wanted, int maxSkip) {
        List<QueueEntry> picked = new ArrayList<>(first);
        int pendingFrom = 0;
        while (pendingFrom < ranked.size() && ranked.get(pendingFrom).priority() > 0) {
            pendingFrom++;
        }
        addClasses(picked, ranked.subList(0, pendingFrom), wanted, maxSkip);
        addSlice(picked, pending, wanted, 0);
        addClasses(picked, ranked.subList(pendingFrom, ranked.size()), wanted, maxSkip);
        return picked;
    }

    private void addClasses(List<QueueEntry> picked, List<QueueEntry> rows, int wanted, int maxSkip) {
        int from = 0;
        while (from < rows.size() && picked.size() < wanted) {
            int to = from + 1;
            while (to < rows.size() && rows.get(to).priority() == rows.get(from).priority()) {
                to++;
            }
            addSlice(picked, rows.subList(from, to), wanted, maxSkip);
            from = to;
        }
    }

    private void addSlice(List<QueueEntry> picked, List<QueueEntry> rows, int wanted, int maxSkip) {
        List<QueueEntry> fresh = picked.isEmpty()
                ? rows
                : rows.stream()
                        .filter(row ->
                                picked.stream().noneMatch(one -> one.jobId().equals(row.jobId())))
                        .toList();
        picked.addAll(slice(fresh, wanted - picked.size(), maxSkip));
    }

    private List<QueueEntry> slice(List<QueueEntry> rows, int wanted, int maxSkip) {
        int slack = rows.size() - wanted;
        if (slack <= 0) {
            return rows;
        }
        int from = random.nextInt(Math.min(slack, maxSkip) + 1);
        return rows.subList(from, from + wanted);
    }

    /** A random part of those that have become due and are not taken, so that acceptors seldom move the same. */
    private List<QueueEntry> toMove(List<QueueEntry> ranked, List<QueueEntry> taken) {
        List<QueueEntry> due = new ArrayList<>(ranked.stream()
                .filter(row -> !row.isDue() && !taken.contains(row))
                .toList());
        Collections.rotate(due, random.nextInt(due.size() + 1));
        return due.subList(0, Math.min(MOVES_MAX, due.size()));
    }

    private List<QueueEntry> byTurns(List<QueueEntry> unscheduled, List<QueueEntry> due, int wanted) {
        if (unscheduled.isEmpty() || due.isEmpty()) {
            return due.isEmpty() ? unscheduled : due;
        }
        boolean dueFirst = random.nextBoolean();
        List<QueueEntry> first = dueFirst ? due : unscheduled;
        List<QueueEntry> second = dueFirst ? unscheduled : due;
        List<QueueEntry> picked = new ArrayList<>(wanted);
        for (int i = 0; picked.size() < wanted && i < Math.max(first.size(), second.size()); i++) {
            if (i < first.size()) {
                picked.add(first.get(i));
            }
            if (i < second.size() && picked.size() < wanted) {
                picked.add(second.get(i));
            }
        }
        return picked;
    }
}
