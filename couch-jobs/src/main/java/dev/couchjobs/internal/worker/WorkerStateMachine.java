package dev.couchjobs.internal.worker;

import dev.couchjobs.internal.accept.ClaimConsumer.Demand;
import dev.couchjobs.internal.claims.Disposition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What a worker claims, begins, ends and stops. Its methods are events: they change the state, and leave ends and
 * effects, which the caller takes ({@link #takeEnds}, {@link #takeEffects}) and performs. The machine has no lock, no
 * clock and no thread, and calls nothing.
 *
 * <p>A worker prefetches while its jobs are short, and releases jobs that then wait for too long.
 *
 * @param <R> the class of the runs
 */
final class WorkerStateMachine<R extends Run<R>> {
    /** The time between checks for jobs that wait too long for a slot, while any wait. */
    static final Duration STARVATION_CHECK_INTERVAL = Duration.ofMillis(50);

    /** How long a handler may run on after it was told to stop, before its slot counts as stuck. */
    static final Duration STOP_GRACE_PERIOD = Duration.ofSeconds(10);

    /** How long a suspect runs before another suspect is claimed: either of them may end the process. */
    static final Duration SUSPECT_PROBATION = Duration.ofSeconds(1);

    /** How long a job runs at least before its start is stored, unless its claim has stored it. */
    static final Duration CONFIRM_PERIOD = Duration.ofMillis(400);

    /** The executor counts as refusing a task that it has not begun for so long: it may have dropped it. */
    static final Duration BEGINS_WITHIN = Duration.ofSeconds(10);

    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(1);
    private static final int DOUBLINGS_MAX = 5;
    private static final Disposition PUT_BACK = new Disposition.PutBack();

    /** The phases of a worker. It claims jobs and begins them only while it is running. */
    enum Phase {
        /** The worker does not know yet whether it is paused or drained. */
        STARTING,
        RUNNING,
        PAUSED,
        /** The worker closes when it holds no job. */
        DRAINING,
        /** The worker waits for its handlers. */
        CLOSING,
        /** The shutdown timeout is over: the worker waits for no handler. */
        STOPPING,
        /** The worker holds no job, and waits for no handler. */
        DONE;

        boolean isClosing() {
            return compareTo(CLOSING) >= 0;
        }
    }

    /** What the worker knows of its executor. */
    private enum Threads {
        NONE_STARTS,
        /** The executor has a task that it has not begun. */
        ONE_STARTS,
        /** The executor keeps refusing tasks: the worker claims nothing. */
        REFUSED
    }

    /**
     * What the return of a handler has changed.
     *
     * @param hasDecided whether the disposition of its job was not decided before
     * @param wasStuck whether its slot was stuck
     */
    record HandlerReturn(boolean hasDecided, boolean wasStuck) {}

    private Phase phase = Phase.STARTING;

    /** How many jobs may run at once; more run for a while after it was lowered. */
    private int slots;

    private int running;

    /** How many of the slots have handlers that run on long after they were told to stop. */
    private int stuck;

    /** How many jobs the current claims may take. */
    private int reserved;

    private final Set<TypeState<R>> types = new LinkedHashSet<>();

    /**
     * All types of which jobs wait, in the order in which their jobs begin; others may be among them. The work for each
     * job visits only these types, since a worker may have a thousand.
     */
    private final Set<TypeState<R>> waitingTypes = new LinkedHashSet<>();

    /** The types that may have jobs and got no slot when they last asked, by ticket; the first waits longest. */
    private final NavigableMap<Long, TypeState<R>> deferredTypes = new TreeMap<>();

    /** The types that were told that slots are free, and have not asked for them yet. */
    private final Set<TypeState<R>> wokenTypes = new HashSet<>();

    private long lastTicket;

    /** The prefetch of all types together. */
    private final PrefetchSizer prefetchSizer = new PrefetchSizer();

    private final HeldBytes heldBytes;
    private boolean isStarvationCheckDue;

    private Threads threads = Threads.NONE_STARTS;

    /** How long jobs have waited for a task to begin, as the starvation checks have found. */
    private Duration notBegun = Duration.ZERO;

    /** How often the executor has refused a task since a task has begun. */
    private int refusals;

    private final List<R> ended = new ArrayList<>();
    private final List<Consumer<WorkerEffects<R>>> effects = new ArrayList<>();

    /**
     * @param slots how many jobs may run at once
     * @param heldBytes counts the data of all jobs that the worker holds
     */
    WorkerStateMachine(int slots, HeldBytes heldBytes) {
        this.slots = slots;
        this.heldBytes = heldBytes;
    }

    /** {@return the runs whose dispositions were decided since the last call, in this order} */
    List<R> takeEnds() {
        return taken(ended);
    }

    /** {@return the effects of the events since the last call, in this order} */
    List<Consumer<WorkerEffects<R>>> takeEffects() {
        return taken(effects);
    }

    private static <T> List<T> taken(List<T> from) {
        if (from.isEmpty()) {
            return List.of();
        }
        List<T> taken = List.copyOf(from);
        from.clear();
        return taken;
    }

    // Phases

    Phase phase() {
        return phase;
    }

    /**
     * The orders for the worker are known: it runs, is paused or is drained.
     *
     * @return whether the worker does anything else than before by order
     */
    boolean ordered(Phase next) {
        if (phase.isClosing() || phase == Phase.DRAINING || phase == next) {
            return false;
        }
        boolean isOrder = phase != Phase.STARTING || next != Phase.RUNNING;
        phase = next;
        if (next != Phase.RUNNING) {
            types.forEach(this::putBackWaiting);
        }
        types.forEach(this::letClaim); // a process without demand leaves the watch to others
        settle();
        return isOrder;
    }

    /** The worker is closed: it waits for its handlers. {@return whether it was open} */
    boolean close() {
        if (phase.isClosing()) {
            return false;
        }
        phase = Phase.CLOSING;
        types.forEach(this::putBackWaiting);
        settle();
        return true;
    }

    /** The worker waits for its handlers no longer: the jobs that it holds are released. */
    void timeIsUp() {
        if (phase == Phase.CLOSING) {
            phase = Phase.STOPPING;
        }
        for (TypeState<R> type : types) {
            type.runningOn.forEach(run -> {
                run.markHalted();
                effects.add(effect -> effect.stop(run));
            });
            type.runningOn.clear();
            List.copyOf(type.held).forEach(run -> stop(run, Disposition.Released.AT_SHUTDOWN));
        }
        settle();
    }

    /** Goes to the next phase if the worker waits for nothing else. */
    private void settle() {
        if (phase == Phase.DRAINING && reserved == 0 && holdsNone()) {
            effects.add(WorkerEffects::close);
        } else if ((phase == Phase.STOPPING || (phase == Phase.CLOSING && running <= stuck)) && holdsNone()) {
            phase = Phase.DONE;
            effects.add(WorkerEffects::handlersDone);
        }
    }

    private boolean holdsNone() {
        return types.stream().allMatch(type -> type.held.isEmpty());
    }

    // Types and limits

    /**
     * Adds a type, which claims nothing before {@link #open}.
     *
     * @param limit how many of its jobs may run at once
     */
    TypeState<R> add(String name, OptionalInt limit) {
        TypeState<R> type = new TypeState<>(name, limit.orElse(Integer.MAX_VALUE));
        types.add(type);
        return type;
    }

    void remove(TypeState<R> type) {
        types.remove(type);
    }

    void open(TypeState<R> type) {
        type.isOpen = true;
    }

    int slots() {
        return slots;
    }

    void setSlots(int newSlots) {
        slots = newSlots;
        limitsChanged();
    }

    void setLimit(TypeState<R> type, int limit) {
        type.limit = limit;
        limitsChanged();
    }

    private void limitsChanged() {
        startThreadIfNeeded();
        types.forEach(this::letClaim);
    }

    /** {@return how many handlers run} */
    int running() {
        return running;
    }

    /** {@return how many handlers run on long after they were told to stop} */
    int stuck() {
        return stuck;
    }

    /** {@return how many jobs the worker holds whose ends are not decided} */
    int held() {
        return types.stream().mapToInt(type -> type.held.size()).sum();
    }

    /** {@return whether a claim is under way} */
    boolean isClaiming() {
        return reserved > 0;
    }

    // Claims

    private void letClaim(TypeState<R> type) {
        effects.add(type.letClaim);
    }

    /** A claim of a type begins. {@return its demand, for which slots are reserved, so that no two claims take one} */
    Demand beginClaim(TypeState<R> type, Instant now) {
        wokenTypes.remove(type);
        if (!type.isOpen || phase != Phase.RUNNING) {
            return Demand.NONE;
        }
        long surplus = surplus();
        int claimable = threads == Threads.REFUSED ? 0 : claimable(type, surplus);
        if (claimable == 0) {
            if (type.ticket == 0) {
                type.ticket = ++lastTicket;
            }
            deferredTypes.put(type.ticket, type);
            return Demand.NONE;
        }
        deferredTypes.remove(type.ticket);
        int others = deferredTypes.size() + wokenTypes.size();
        if (others > 0) {
            claimable = Math.min(claimable, type.expected(share(others + 1)));
        }
        reserved += claimable;
        type.beginClaim(claimable, now);
        return new Demand(claimable, surplus + claimable <= 0, type.suspect == null);
    }

    /** {@return how many jobs a claim of a type may take} Without a prefetch no more than there are free slots. */
    private int claimable(TypeState<R> type, long surplus) {
        int room = heldBytes.room(reserved, prefetchSizer.jobBytes());
        // One may wait for a slot, unless slots are reserved: a claim may find fewer jobs than it reserves.
        int forSlots = Math.max(reserved == 0 ? 1 : 0, slots - running - reserved);
        int ofType = Math.min(room, type.claimable(slots, forSlots));
        return type.prefetchMax > 0
                ? Math.min(claimable(surplus), ofType)
                : (int) Math.min(ofType, Math.max(0, -surplus));
    }

    /** {@return how many more jobs are claimed or reserved than the worker has slots; negative if slots are free} */
    private long surplus() {
        long waiting =
                waitingTypes.stream().mapToInt(type -> type.waiting.size()).sum();
        return running + reserved + waiting - slots;
    }

    /**
     * {@return how many jobs the worker may claim} As for each type, the next claim waits until half of the prefetch
     * has begun.
     */
    private int claimable(long surplus) {
        int prefetch = prefetchSizer.size(slots);
        return surplus > prefetch / 2 ? 0 : (int) Math.min(Integer.MAX_VALUE, prefetch - surplus);
    }

    /** {@return how many slots there are for each of some types that wait for them, at least one} */
    private int share(int types) {
        return Math.max(1, slots / types);
    }

    /**
     * A claim has taken jobs.
     *
     * @param prefetchMax how many jobs may be claimed that wait for a slot, by the rules of the type
     */
    void claimed(TypeState<R> type, List<R> runs, int prefetchMax, Instant now) {
        prefetchSizer.claimTook(type.claimed(runs, prefetchMax, now)); // compares them with the reservation
        runs.forEach(run -> {
            heldBytes.claimed(run.bytes());
            prefetchSizer.claimed(run.bytes());
        });
        freeReserved(type);
        waitingTypes.add(type);
        if (type.areHeartbeatsSuspended) {
            type.areHeartbeatsSuspended = false;
            effects.add(effect -> effect.resumeHeartbeats(type));
        }
        if (phase != Phase.RUNNING || threads == Threads.REFUSED) {
            putBackWaiting(type);
            checkLastClaim();
            settle();
        } else {
            startThreadIfNeeded();
            checkStarvationSoon();
        }
    }

    /** A claim has ended, whether it has taken jobs or not. */
    void claimEnded(TypeState<R> type) {
        boolean hadReserved = type.reserved > 0;
        freeReserved(type);
        letDeferredClaim();
        if (hadReserved) {
            checkLastClaim();
            settle();
        }
    }

    /** The claim of a type takes no more jobs. */
    private void freeReserved(TypeState<R> type) {
        reserved -= type.reserved;
        type.reserved = 0;
    }

    private void checkLastClaim() {
        if (phase != Phase.RUNNING && !phase.isClosing() && reserved == 0) {
            effects.add(WorkerEffects::lastClaimEnded);
        }
    }

    /** Lets types claim that waited for slots, in the order of their tickets. */
    private void letDeferredClaim() {
        if (phase != Phase.RUNNING || threads == Threads.REFUSED || deferredTypes.isEmpty()) {
            return;
        }
        long surplus = surplus();
        long claimable = claimable(surplus);
        int share = share(deferredTypes.size() + wokenTypes.size());
        for (Iterator<TypeState<R>> deferred = deferredTypes.values().iterator();
                claimable > 0 && deferred.hasNext(); ) {
            TypeState<R> type = deferred.next();
            int ofType = claimable(type, surplus);
            if (ofType > 0) {
                deferred.remove();
                wokenTypes.add(type);
                letClaim(type);
                claimable -= Math.min(ofType, type.expected(share));
            }
        }
    }

    // Threads

    private boolean canBegin() {
        return phase == Phase.RUNNING
                && running < slots
                && waitingTypes.stream().anyMatch(TypeState::canBegin);
    }

    private void startThreadIfNeeded() {
        if (threads == Threads.NONE_STARTS && canBegin()) {
            threads = Threads.ONE_STARTS;
            notBegun = Duration.ZERO;
            effects.add(WorkerEffects::startThread);
        }
    }

    /** The executor has begun a task, which now begins jobs until there is none. */
    void threadStarted() {
        if (threads == Threads.ONE_STARTS) {
            threads = Threads.NONE_STARTS;
        }
        refusals = 0;
    }

    /** The executor has refused a task. {@return when to call {@link #askExecutorAgain}} */
    Duration executorRefused() {
        Duration pause = AFTER_REFUSAL.multipliedBy(1L << Math.min(refusals, DOUBLINGS_MAX));
        boolean isLasting = refusals++ > 0;
        threads = isLasting ? Threads.REFUSED : Threads.NONE_STARTS;
        if (isLasting) {
            List.copyOf(waitingTypes).forEach(this::putBackWaiting);
            settle();
        }
        return pause;
    }

    void askExecutorAgain() {
        if (threads == Threads.REFUSED) {
            threads = Threads.NONE_STARTS;
        }
        letDeferredClaim();
        startThreadIfNeeded();
    }

    /** A thread asks for the next job. {@return the run of a job that begins} */
    Optional<R> begin() {
        if (phase != Phase.RUNNING || running >= slots) {
            return Optional.empty();
        }
        for (Iterator<TypeState<R>> waiting = waitingTypes.iterator(); waiting.hasNext(); ) {
            TypeState<R> type = waiting.next();
            if (type.waiting.isEmpty()) {
                waiting.remove();
            } else if (type.canBegin()) {
                waiting.remove();
                return Optional.of(begin(type));
            }
        }
        return Optional.empty();
    }

    private R begin(TypeState<R> type) {
        R next = type.waiting.remove();
        if (!type.waiting.isEmpty()) {
            waitingTypes.add(type); // behind the other types
        }
        type.running++;
        running++;
        type.starved = Duration.ZERO;
        next.begin();
        if (next == type.suspect) {
            effects.add(effect -> effect.suspectHasRunIn(next, SUSPECT_PROBATION));
        }
        if (type.started(next)) {
            effects.add(effect -> effect.confirmStartsIn(type, CONFIRM_PERIOD));
        }
        startThreadIfNeeded();
        letDeferredClaim(); // a job that no longer waits lets another be claimed
        return next;
    }

    // Ends

    /**
     * A handler has returned.
     *
     * @param disposition the disposition of its job, unless that is decided
     * @param threadContinues whether it ran on a thread, which asks for the next job
     */
    HandlerReturn handlerReturned(R run, Disposition disposition, Duration took, boolean threadContinues) {
        TypeState<R> type = run.typeState();
        boolean hasDecided = decide(run, disposition);
        boolean wasStuck = run.isStuck();
        if (wasStuck) {
            stuck--;
        }
        run.handlerReturned();
        type.runningOn.remove(run);
        type.running--;
        running--;
        heldBytes.ended(run.bytes());
        type.prefetchSizer.jobTook(took);
        prefetchSizer.jobTook(took);
        suspectHasRun(run);
        settle();
        letDeferredClaim();
        if (!threadContinues) {
            startThreadIfNeeded();
        }
        return new HandlerReturn(hasDecided, wasStuck);
    }

    /** Lets another suspect be claimed, if the run is the current suspect. */
    void suspectHasRun(R run) {
        TypeState<R> type = run.typeState();
        if (type.suspect == run) {
            type.suspect = null;
            letClaim(type);
        }
    }

    /** Decides the disposition of a job, unless it is decided. {@return whether it was not decided before} */
    private boolean decide(R run, Disposition disposition) {
        boolean isFirst = forget(run);
        if (isFirst) {
            run.endsAs(disposition);
            ended.add(run);
        }
        return isFirst;
    }

    /** The worker decides no end of a run any more. {@return whether none was decided before} */
    private boolean forget(R run) {
        run.typeState().held.remove(run);
        return run.decide();
    }

    /**
     * The worker ends a run whose handler has not returned, unless its end is decided.
     *
     * @return whether it was not decided before
     */
    boolean stop(R run, Disposition disposition) {
        if (!decide(run, disposition)) {
            return false;
        }
        if (disposition instanceof Disposition.Released) {
            run.markReleased();
        }
        tellToStop(run);
        settle();
        return true;
    }

    private void tellToStop(R run) {
        run.markHalted();
        effects.add(effect -> effect.stop(run));
        effects.add(effect -> effect.checkStuckIn(run, STOP_GRACE_PERIOD));
    }

    /** The handler of a run was told to stop a while ago. {@return whether its slot is stuck} */
    boolean checkStuck(R run) {
        if (!run.hasSlot() || run.isStuck() || phase.isClosing()) {
            return false;
        }
        run.markStuck();
        stuck++;
        return true;
    }

    /** The claim of a run is lost. {@return whether its end was not decided before} */
    boolean lost(R run, boolean isCancelled) {
        TypeState<R> type = run.typeState();
        if (type.waiting.remove(run)) {
            heldBytes.ended(run.bytes());
            suspectHasRun(run);
        }
        boolean isFirst = forget(run);
        if (isFirst) {
            if (isCancelled) {
                run.markCancelled();
            }
            tellToStop(run);
            settle();
        }
        letDeferredClaim();
        return isFirst;
    }

    /**
     * A transaction of the handler's has failed because the claim is lost or has ended. The handler gets the error, and
     * is not interrupted while it handles it.
     *
     * @return whether the end was not decided before
     */
    boolean lostInHandler(R run, boolean isCancelled) {
        boolean isFirst = forget(run);
        if (isCancelled) {
            run.markCancelled();
        }
        run.markHalted();
        if (isFirst) {
            effects.add(effect -> effect.checkStuckIn(run, STOP_GRACE_PERIOD));
        }
        settle();
        return isFirst;
    }

    /** A transaction of the handler's has committed the end of its job. */
    void endedByHandler(R run) {
        if (forget(run)) {
            run.typeState().runningOn.add(run);
        }
        settle();
    }

    // Jobs that wait for a slot

    /** Puts the jobs of a type back that wait for a slot. */
    private void putBackWaiting(TypeState<R> type) {
        putBack(type, List.copyOf(type.waiting));
    }

    private void putBack(TypeState<R> type, Collection<R> runs) {
        runs.forEach(run -> {
            type.waiting.remove(run);
            heldBytes.ended(run.bytes());
            var unused = decide(run, PUT_BACK);
            if (type.suspect == run) {
                type.suspect = null;
            }
        });
    }

    private void checkStarvationSoon() {
        if (isStarvationCheckDue
                || phase.isClosing()
                || waitingTypes.stream().allMatch(type -> type.waiting.isEmpty())) {
            return;
        }
        isStarvationCheckDue = true;
        effects.add(effect -> effect.checkStarvationIn(STARVATION_CHECK_INTERVAL));
    }

    /** {@return whether the executor has not begun its task for too long} Called before {@link #checkStarvation}. */
    boolean checkThread() {
        notBegun = notBegun.plus(STARVATION_CHECK_INTERVAL);
        return threads == Threads.ONE_STARTS && notBegun.compareTo(BEGINS_WITHIN) >= 0;
    }

    /** Puts jobs back for which no slot has become free for too long. */
    void checkStarvation() {
        isStarvationCheckDue = false;
        boolean isFull = running >= slots;
        boolean isAnyStarved = false;
        for (TypeState<R> type : waitingTypes) {
            boolean isStarved = !type.waiting.isEmpty() && (isFull || type.running >= type.limit);
            type.starved = isStarved ? type.starved.plus(STARVATION_CHECK_INTERVAL) : Duration.ZERO;
            if (type.starved.compareTo(type.prefetchSizer.starvationTimeout()) >= 0) {
                type.prefetchSizer.recordQueueTime(type.starved);
                type.starved = Duration.ZERO;
                putBackWaiting(type);
                isAnyStarved = true;
            }
        }
        if (isAnyStarved) {
            prefetchSizer.recordQueueTime(prefetchSizer.starvationTimeout());
        }
        letDeferredClaim();
        checkStarvationSoon();
    }

    // Heartbeats

    /** {@return whether no heartbeat is due until the type has claimed jobs} */
    boolean suspendHeartbeats(TypeState<R> type) {
        type.areHeartbeatsSuspended = type.held.isEmpty();
        return type.areHeartbeatsSuspended;
    }

    /**
     * Begins another round of heartbeats of a type. Puts jobs back that still wait for a slot after a whole round,
     * since other processes may have free slots.
     *
     * @return the runs whose lease was not renewed in the whole last round
     */
    List<R> nextRound(TypeState<R> type, Duration roundTime) {
        long lastRound = type.round++;
        List<R> due = new ArrayList<>();
        List<R> waitTooLong = new ArrayList<>();
        for (R run : type.held) {
            if (run.lastHeartbeatRound() < lastRound) {
                (run.hasSlot() ? due : waitTooLong).add(run);
            }
        }
        if (!waitTooLong.isEmpty()) {
            type.prefetchSizer.recordQueueTime(roundTime);
            prefetchSizer.recordQueueTime(roundTime);
            putBack(type, waitTooLong);
            settle();
        }
        letDeferredClaim();
        return due;
    }

    /** {@return whether the lease of a run was not yet renewed in the current round} */
    boolean isHeartbeatDue(R run) {
        return run.lastHeartbeatRound() < run.typeState().round;
    }

    /** The lease of a run is renewed. */
    void renewed(R run) {
        run.renewedIn(run.typeState().round);
    }

    /** {@return runs that have begun a while ago, and whose rows are to say so} */
    List<R> confirmStarts(TypeState<R> type) {
        List<R> due = type.endPeriod();
        if (type.isPeriodRunning()) {
            effects.add(effect -> effect.confirmStartsIn(type, CONFIRM_PERIOD));
        }
        return due;
    }
}
