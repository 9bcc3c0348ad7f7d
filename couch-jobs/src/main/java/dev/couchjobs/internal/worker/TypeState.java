package dev.couchjobs.internal.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of one type that a worker holds, and what its claims have found. Only {@link WorkerStateMachine} changes it.
 *
 * @param <R> the class of the runs
 */
final class TypeState<R extends Run<R>> {
    /** More jobs than any claim takes; small enough that a sum does not overflow. */
    private static final int CLAIMABLE_MAX = 1_000;

    /** Nothing is known of the queue. */
    private static final int UNKNOWN = 0;
    /** How many jobs a claim is then expected to find at most. */
    private static final int EXPECTED_IF_UNKNOWN = 16;
    /** How many jobs a claim is expected to find after a claim that took fewer jobs than it might. */
    private static final int EXPECTED_IF_DRAINED = 2;

    private final String name;

    /** The effect that lets the type claim, which each job needs. */
    final Consumer<WorkerEffects<R>> letClaim = effect -> effect.letClaim(this);

    /** How many jobs of the type may run at once. */
    int limit;

    /** Whether the type may claim. */
    boolean isOpen;

    /** The runs that are not decided. */
    final Set<R> held = new LinkedHashSet<>();

    /** Of these, the runs that wait for a slot. */
    final Deque<R> waiting = new ArrayDeque<>();

    /** The runs whose handlers have ended their jobs themselves and run on. Nothing has told them to stop. */
    final Set<R> runningOn = new HashSet<>();

    int running;

    /** The suspect that is claimed, until it has run for a while or its handler has returned. */
    @Nullable R suspect;

    /** How many jobs the current claim may take. */
    int reserved;

    /** The position in the order in which types wait to claim; 0 if the type does not wait. */
    long ticket;

    /** How many jobs may be claimed that wait for a slot, by the rules of the type as of the last claim. */
    int prefetchMax = Integer.MAX_VALUE;

    /** {@return whether rules of the type limit how many of its jobs run} */
    boolean isLimited() {
        return prefetchMax < Integer.MAX_VALUE;
    }

    /** How long jobs have waited while none began, as the starvation checks have found. */
    Duration starved = Duration.ZERO;

    final PrefetchSizer prefetchSizer = new PrefetchSizer();

    /** The number of the current round of heartbeats. */
    long round;

    /** Whether no heartbeat is due until jobs are claimed. */
    boolean areHeartbeatsSuspended = true;

    private int expected = UNKNOWN;
    private Instant claimStartedAt = Instant.EPOCH;

    /** Runs that have started in this period and in the last, although their rows may not say so yet. */
    private List<R> startedNow = new ArrayList<>();

    private List<R> startedBefore = new ArrayList<>();
    private boolean isPeriodRunning;

    TypeState(String name, int limit) {
        this.name = name;
        this.limit = limit;
    }

    String name() {
        return name;
    }

    /** {@return whether a job can begin, if the worker has a free slot} */
    boolean canBegin() {
        return running < limit && !waiting.isEmpty();
    }

    /**
     * {@return how many jobs the type would claim} The next claim waits until half of the prefetch has begun, so that a
     * claim takes several jobs.
     *
     * @param slots how many jobs the worker may run at once
     * @param forSlots how many jobs the worker may claim for its slots, including one that waits
     */
    int claimable(int slots, int forSlots) {
        int runnable = Math.min(limit, slots);
        int prefetch = Math.min(prefetchMax, prefetchSizer.size(runnable));
        int startable = Math.min(CLAIMABLE_MAX, Math.min(forSlots, runnable - running));
        return waiting.size() > prefetch / 2 ? 0 : Math.max(0, startable + prefetch - waiting.size());
    }

    /**
     * {@return how many jobs the next claim is expected to find, judged by the last} A claim that reserves all free
     * slots of the worker, and finds few jobs, keeps the other types from claiming meanwhile.
     *
     * @param share how many slots there are for each type that waits for some
     */
    int expected(int share) {
        return expected == UNKNOWN ? Math.min(EXPECTED_IF_UNKNOWN, share) : expected;
    }

    void beginClaim(int jobs, Instant now) {
        claimStartedAt = now;
        reserved = jobs;
        expected = UNKNOWN; // a claim without jobs delivers none
        ticket = 0;
    }

    /** Jobs are claimed, and wait for slots. {@return how long the claim took} */
    Duration claimed(List<R> runs, int newPrefetchMax, Instant now) {
        prefetchMax = newPrefetchMax;
        runs.forEach(run -> run.claimedIn(round));
        held.addAll(runs);
        expected = runs.size() < reserved ? EXPECTED_IF_DRAINED : 2 * runs.size();
        Duration took = Duration.between(claimStartedAt, now);
        prefetchSizer.claimTook(took);
        runs.forEach(run -> prefetchSizer.claimed(run.bytes()));
        starved = waiting.isEmpty() ? Duration.ZERO : starved;
        if (runs.size() == 1 && runs.get(0).isSuspect()) {
            suspect = runs.get(0);
            waiting.addFirst(runs.get(0)); // its claim counts as begun
        } else {
            waiting.addAll(runs);
        }
        return took;
    }

    // Starts that are to be stored

    /** A run has started. {@return whether a period of starts begins} */
    boolean started(R run) {
        if (run.isConfirmed()) {
            return false;
        }
        startedNow.add(run);
        boolean begins = !isPeriodRunning;
        isPeriodRunning = true;
        return begins;
    }

    /** Ends a period. {@return the runs that have run for a whole one, and whose rows do not say yet that they run} */
    List<R> endPeriod() {
        List<R> due = startedBefore;
        due.removeIf(run -> run.isDecided() || run.isConfirmed());
        startedBefore = startedNow;
        startedBefore.removeIf(Run::isDecided);
        startedNow = new ArrayList<>();
        isPeriodRunning = !startedBefore.isEmpty();
        return due;
    }

    /** {@return whether another period has begun} */
    boolean isPeriodRunning() {
        return isPeriodRunning;
    }
}
