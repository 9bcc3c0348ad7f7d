package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.data.PendingQueue;
import dev.couchjobs.internal.data.Queued;
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
final class Candidates {
    /** How many jobs of a backlog that has become due are looked at together, at least. */
    private static final int DUE_MIN = 100;
    /** How many of them one claim puts in the order of priorities. */
    private static final int MOVES_MAX = 50;
    /** How far one claim looks that cannot begin in the middle, because it reads all in between. */
    private static final int NEAR_MAX = 1_000;

    /** How many picks do without an overview after one that was too much. */
    private static final int WITHOUT_OVERVIEW = 16;

    private static final Comparator<Queued> BY_PRIORITY =
            Comparator.comparingInt(Queued::priority).reversed().thenComparing(Comparator.comparingLong(Queued::since));

    private final TypeKeys keys;
    private final RandomGenerator random;
    private final Reserve reserve;
    /** For jobs that no trail leads to. */
    private final Spread spread = new Spread();

    private final Trail unscheduled;
    private final Trail due;
    /**
     * Whether there were more jobs with a priority than one read sees, when last seen: then the next claim reads more.
     */
    private volatile boolean crowded;

    /** How many picks are to do without an overview. */
    private final AtomicInteger withoutOverview = new AtomicInteger();
    /** What the last pick saw, if it saw all. */
    private volatile Optional<Overview> overview = Optional.empty();

    /** How many the last try would have taken that no trail leads to. */
    private final AtomicInteger takenElsewhere = new AtomicInteger();
    /** Those of them of which there were so few that all processes want the same. */
    private final AtomicInteger takenScarce = new AtomicInteger();

    Candidates(TypeKeys keys, RandomGenerator random) {
        this.keys = keys;
        this.random = random;
        this.reserve = new Reserve(keys, random);
        this.unscheduled = new Trail(keys, random);
        this.due = new Trail(keys, random);
    }

    /** Another claim begins. */
    void goOn(Instant now) {
        spread.undisturbed();
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
        boolean wasScarce = takenScarce.get() > 0 || !unscheduled.isAmple() || !due.isAmple();
        if (takenElsewhere.get() > 0) {
            spread.conflicted(takenElsewhere.get());
        }
        for (Trail trail : List.of(unscheduled, due)) {
            if (wasScarce && trail.isAmple()) {
                trail.again();
            } else {
                trail.conflicted();
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
    boolean isAmple() {
        return takenElsewhere.get() == 0 && unscheduled.isAmple() && due.isAmple();
    }

    /**
     * What a claim is to do.
     *
     * @param take the rows to try to claim
     * @param move rows of jobs that have become due, to be put in the order of priorities
     */
    record Pick(List<Queued> take, List<Queued> move) {}

    /**
     * Rows with a priority of their own.
     *
     * @param all those that may be taken, in their order
     * @param hidden whether there may be more that have become due
     */
    private record Ranked(List<Queued> all, boolean hidden) {}

    /**
     * Up to {@code wanted} rows: strictly by priority, and of those of one priority some that are not too far behind
     * the first.
     *
     * @param now the present time in seconds since the epoch
     */
    CompletableFuture<Pick> pick(Transaction tx, AcceptMode mode, long now, int wanted) {
        int near = Math.min(spread.rows(), NEAR_MAX);
        Reserve.Turn turn = reserve.turn(tx, mode, now, wanted);
        return overview(tx, mode).thenCompose(all -> {
            CompletableFuture<Ranked> ranked = all.map(seen -> ranked(seen, mode.latest(now)))
                    .orElseGet(() -> ranked(tx, mode.latest(now), wanted + near));
            CompletableFuture<List<Queued>> pending = all.map(seen -> pending(seen, mode.latest(now), wanted))
                    .orElseGet(() ->
                            mode.noSchedule() ? anywhere(tx, wanted, near) : pending(tx, mode.latest(now), wanted));
            return ranked.thenCompose(some ->
                    pending.thenCompose(plain -> turn.rows(some.all, plain).thenApply(first -> {
                        List<Queued> take = byPriority(first, some.all, plain, wanted, near);
                        goneBehind(take, mode);
                        boolean moves = some.hidden && mode.followsClock();
                        return new Pick(take, moves ? toMove(some.all, take) : List.of());
                    })));
        });
    }

    private CompletableFuture<Optional<Overview>> overview(Transaction tx, AcceptMode mode) {
        overview = Optional.empty();
        if (mode.noSchedule() || withoutOverview.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return CompletableFuture.completedFuture(overview);
        }
        return Overview.read(tx, keys).thenApply(all -> {
            overview = all;
            withoutOverview.set(all.isPresent() ? 0 : WITHOUT_OVERVIEW);
            return all;
        });
    }

    private CompletableFuture<Ranked> ranked(Overview all, long latest) {
        crowded = false;
        return CompletableFuture.completedFuture(new Ranked(sorted(all.rankedUpTo(latest), List.of()), false));
    }

    private CompletableFuture<List<Queued>> pending(Overview all, long latest, int wanted) {
        List<Queued> plain = unscheduled.of(all.unscheduled(), wanted);
        List<Queued> later = due.of(all.scheduledUpTo(latest), wanted);
        return CompletableFuture.completedFuture(byTurns(plain, later, wanted));
    }

    private void goneBehind(List<Queued> taken, AcceptMode mode) {
        List<Queued> pending = taken.stream().filter(row -> row.priority() == 0).toList();
        int ranked = taken.size() - pending.size();
        takenElsewhere.addAndGet(mode.noSchedule() ? taken.size() : ranked);
        takenScarce.addAndGet(crowded ? 0 : ranked);
        if (!mode.noSchedule()) {
            unscheduled.took(
                    pending.stream().filter(row -> row.scheduledTime() == 0).toList());
            due.took(pending.stream().filter(row -> row.scheduledTime() > 0).toList());
        }
    }

    private CompletableFuture<List<Queued>> pending(Transaction tx, long latest, int wanted) {
        return unscheduled
                .rows(tx, PendingQueue.unscheduled(keys), wanted)
                .thenCombine(
                        due.rows(tx, PendingQueue.scheduledUpTo(keys, latest), wanted),
                        (plain, later) -> byTurns(plain, later, wanted));
    }

    /** The next time at which time alone makes a job one to take. */
    CompletableFuture<OptionalLong> nextDue(Transaction tx, AcceptMode mode, long now) {
        if (mode.followsClock() && overview.isPresent()) {
            return CompletableFuture.completedFuture(overview.get().nextAfter(now));
        }
        return mode.followsClock()
                ? PendingQueue.nextAfter(tx, keys, now)
                        .thenCombine(RankedQueue.nextAfter(tx, keys, now), Candidates::earlier)
                : CompletableFuture.completedFuture(OptionalLong.empty());
    }

    private static OptionalLong earlier(OptionalLong one, OptionalLong other) {
        return Stream.of(one, other).flatMapToLong(OptionalLong::stream).min();
    }

    /** One read sees them all as long as they are few; behind many the jobs that have become due need another. */
    private CompletableFuture<Ranked> ranked(Transaction tx, long latest, int window) {
        int limit = Math.max(window, DUE_MIN);
        CompletableFuture<List<Queued>> ahead =
                crowded ? RankedQueue.laterUpTo(tx, keys, latest, limit) : CompletableFuture.completedFuture(List.of());
        boolean isAhead = crowded;
        return RankedQueue.head(tx, keys, latest, window).thenCompose(head -> {
            crowded = head.size() == window;
            if (!crowded) {
                return CompletableFuture.completedFuture(new Ranked(sorted(head, List.of()), false));
            }
            return (isAhead ? ahead : RankedQueue.laterUpTo(tx, keys, latest, limit))
                    .thenApply(due -> new Ranked(
                            sorted(head.stream().filter(Queued::isDue).toList(), due), due.size() == limit));
        });
    }

    private static List<Queued> sorted(List<Queued> some, List<Queued> others) {
        List<Queued> all = new ArrayList<>(some.size() + others.size());
        all.addAll(some);
        all.addAll(others);
        all.sort(BY_PRIORITY);
        return all;
    }

    private CompletableFuture<List<Queued>> anywhere(Transaction tx, int wanted, int spread) {
        String from = Long.toHexString(random.nextLong());
        return PendingQueue.unscheduledFrom(tx, keys, from, wanted + spread)
                .thenApply(rows -> slice(rows, wanted, spread));
    }

    private List<Queued> byPriority(
            List<Queued> first, List<Queued> ranked, List<Queued> pending, int wanted, int spread) {
        List<Queued> picked = new ArrayList<>(first);
        int pendingFrom = 0;
        while (pendingFrom < ranked.size() && ranked.get(pendingFrom).priority() > 0) {
            pendingFrom++;
        }
        addClasses(picked, ranked.subList(0, pendingFrom), wanted, spread);
        addSlice(picked, pending, wanted, 0);
        addClasses(picked, ranked.subList(pendingFrom, ranked.size()), wanted, spread);
        return picked;
    }

    private void addClasses(List<Queued> picked, List<Queued> rows, int wanted, int spread) {
        int from = 0;
        while (from < rows.size() && picked.size() < wanted) {
            int to = from + 1;
            while (to < rows.size() && rows.get(to).priority() == rows.get(from).priority()) {
                to++;
            }
            addSlice(picked, rows.subList(from, to), wanted, spread);
            from = to;
        }
    }

    private void addSlice(List<Queued> picked, List<Queued> rows, int wanted, int spread) {
        List<Queued> fresh = picked.isEmpty()
                ? rows
                : rows.stream()
                        .filter(row ->
                                picked.stream().noneMatch(one -> one.jobId().equals(row.jobId())))
                        .toList();
        picked.addAll(slice(fresh, wanted - picked.size(), spread));
    }

    private List<Queued> slice(List<Queued> rows, int wanted, int spread) {
        int slack = rows.size() - wanted;
        if (slack <= 0) {
            return rows;
        }
        int from = random.nextInt(Math.min(slack, spread) + 1);
        return rows.subList(from, from + wanted);
    }

    /** A random part of those that have become due and are not taken, so that acceptors seldom move the same. */
    private List<Queued> toMove(List<Queued> ranked, List<Queued> taken) {
        List<Queued> due = new ArrayList<>(ranked.stream()
                .filter(row -> !row.isDue() && !taken.contains(row))
                .toList());
        Collections.rotate(due, random.nextInt(due.size() + 1));
        return due.subList(0, Math.min(MOVES_MAX, due.size()));
    }

    private List<Queued> byTurns(List<Queued> unscheduled, List<Queued> due, int wanted) {
        if (unscheduled.isEmpty() || due.isEmpty()) {
            return due.isEmpty() ? unscheduled : due;
        }
        boolean dueFirst = random.nextBoolean();
        List<Queued> first = dueFirst ? due : unscheduled;
        List<Queued> second = dueFirst ? unscheduled : due;
        List<Queued> picked = new ArrayList<>(wanted);
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
