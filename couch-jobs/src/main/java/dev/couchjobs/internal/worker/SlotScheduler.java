package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.accept.Acceptors;
import dev.couchjobs.internal.accept.ClaimConsumer;
import dev.couchjobs.internal.accept.GrantedClaim;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.TimerDelays;
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
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The slots of a worker: which type claims jobs for them, and which job begins next.
 *
 * <p>A worker prefetches while its jobs are short, and releases jobs that then wait for too long.
 */
final class SlotScheduler implements HandlerThreads.Work {
    /** The time between checks for jobs that wait too long for a slot, while any wait. */
    private static final Duration STARVATION_CHECK_INTERVAL = Duration.ofMillis(50);

    private final Object lock;
    private final Environment environment;
    private final Instance instance;
    private final JobRunner runner;
    private final HandlerThreads threads;

    /** How many jobs may run at once; more run for a while after it was lowered. */
    @GuardedBy("lock") private int slots;

    @GuardedBy("lock") private int running;

    /**
     * All type queues in which jobs wait, in the order in which their jobs begin; empty queues may be among them. The
     * work for each job visits only these queues, since a worker may have a thousand queues.
     */
    @GuardedBy("lock") private final Set<TypeQueue<?>> waitingQueues = new LinkedHashSet<>();

    /** The type queues that may have jobs and got no slot when they last asked, by ticket; the first waits longest. */
    @GuardedBy("lock") private final NavigableMap<Long, TypeQueue<?>> deferredQueues = new TreeMap<>();

    /** The type queues that were told that slots are free, and have not asked for them yet. */
    @GuardedBy("lock") private final Set<TypeQueue<?>> wokenQueues = new HashSet<>();

    @GuardedBy("lock") private long lastTicket;

    /** How many jobs the current claims may take. */
    @GuardedBy("lock") private int reserved;

    /** The prefetch of all types together. */
    @GuardedBy("lock") private final PrefetchSizer prefetchSizer = new PrefetchSizer();

    /** The data of all jobs that the worker holds. */
    private final HeldBytes heldBytes = HeldBytes.ofHeap();

    @GuardedBy("lock") private boolean isStarvationCheckScheduled;

    @GuardedBy("lock") private boolean closed;

    /** Whether the worker claims nothing for now: it is paused or drained, or does not know yet whether it is. */
    @GuardedBy("lock") private boolean suspended = true;

    /** Whether the worker claims nothing for now because its executor refuses threads. */
    @GuardedBy("lock") private boolean isRefused;

    private final Runnable onLastClaim;

    /**
     * Makes the slots of a worker, which claims nothing before {@link #resume}.
     *
     * @param lock the worker's lock
     * @param onLastClaim called without the lock when the last claim of a suspended worker has ended
     */
    SlotScheduler(Object lock, Instance instance, WorkerSettings settings, Runnable onLastClaim) {
        this.lock = lock;
        this.onLastClaim = onLastClaim;
        this.environment = instance.environment();
        this.instance = instance;
        this.slots = settings.concurrency();
        this.runner = new JobRunner(instance, settings.middleware(), settings.longTriesMax());
        this.threads = new HandlerThreads(lock, environment, settings.executor(), this);
    }

    /** {@return a new queue of a type} */
    <D> TypeQueue<D> queue(HandlerRegistration<D, ?> registration, TypeRuns<D> runs) {
        return new TypeQueue<>(lock, slots(), registration, runs, heldBytes, instance, this::nextRound, this::stopLost);
    }

    /** Lets a type claim jobs as soon as its queue is open. */
    <D> void serve(TypeQueue<D> queue, Acceptors acceptors, AcceptOptions options) {
        queue.start(acceptors.serve(queue.type(), consumer(queue), options));
    }

    /** {@return whether the current thread runs a handler of this worker} */
    boolean isCalledByHandler() {
        return threads.isCalledByHandler();
    }

    /** {@return how many jobs may run at once} */
    int slots() {
        synchronized (lock) {
            return slots;
        }
    }

    /** Sets how many jobs may run at once. Those that run go on. */
    void setSlots(int newSlots, Collection<TypeQueue<?>> queues) {
        synchronized (lock) {
            slots = newSlots;
            queues.forEach(queue -> queue.setSlots(newSlots));
        }
    }

    /** Begins jobs that wait, and claims others, after a limit was changed. */
    void limitsChanged(Collection<TypeQueue<?>> queues) {
        threads.startIfNeeded();
        queues.forEach(TypeQueue::demandChanged);
    }

    /** Stops claiming jobs and calling handlers. */
    void close() {
        synchronized (lock) {
            closed = true;
        }
    }

    /** Stops claiming jobs and calling handlers for now. */
    void suspend() {
        synchronized (lock) {
            suspended = true;
        }
    }

    /** Claims jobs again, as soon as the subscriptions are told. */
    void resume() {
        synchronized (lock) {
            suspended = false;
        }
    }

    /** {@return whether a claim is under way} */
    boolean isClaiming() {
        synchronized (lock) {
            return reserved > 0;
        }
    }

    /** {@return how many handlers run} */
    int running() {
        synchronized (lock) {
            return running;
        }
    }

    @GuardedBy("lock") private boolean isStopped() {
        return closed || suspended;
    }

    private void checkLastClaim() {
        synchronized (lock) {
            if (!suspended || reserved > 0) {
                return;
            }
        }
        onLastClaim.run();
    }

    /** Releases the jobs of a type that wait for a slot. */
    void releaseWaiting(TypeQueue<?> queue) {
        queue.releaseWaiting();
        queue.runs().writeEnds();
    }

    // Claiming

    /** {@return the consumer that reserves slots for claims of a type, and takes the claimed jobs} */
    private <D> ClaimConsumer<D> consumer(TypeQueue<D> queue) {
        return new ClaimConsumer<>() {
            @Override
            public Demand reserve() {
                return reserveSlots(queue);
            }

            @Override
            public void deliver(List<GrantedClaim<D>> claims, int prefetchMax) {
                SlotScheduler.this.take(queue, claims, prefetchMax);
            }

            @Override
            public void claimEnded() {
                SlotScheduler.this.releaseReservation(queue);
            }
        };
    }

    /** Reserves slots before a claim, so that no two types claim jobs for the same slot. */
    private ClaimConsumer.Demand reserveSlots(TypeQueue<?> queue) {
        synchronized (lock) {
            wokenQueues.remove(queue);
            if (!queue.isOpen() || isStopped()) {
                return ClaimConsumer.Demand.NONE;
            }
            long surplus = surplusClaims();
            int claimable = isRefused ? 0 : claimable(queue, surplus);
            if (claimable == 0) {
                if (queue.ticket() == 0) {
                    queue.setTicket(++lastTicket);
                }
                deferredQueues.put(queue.ticket(), queue);
                return ClaimConsumer.Demand.NONE;
            }
            deferredQueues.remove(queue.ticket());
            int others = deferredQueues.size() + wokenQueues.size();
            if (others > 0) {
                claimable = Math.min(claimable, queue.expected(share(others + 1)));
            }
            reserved += claimable;
            boolean haveFreeSlots = surplus + claimable <= 0;
            return queue.beginClaim(claimable, haveFreeSlots, now());
        }
    }

    /** {@return how many jobs a claim of a type may take} Without a prefetch no more than there are free slots. */
    @GuardedBy("lock") private int claimable(TypeQueue<?> queue, long surplus) {
        int room = heldBytes.room(reserved, prefetchSizer.jobBytes());
        int ofQueue = Math.min(room, queue.claimable(claimableForSlots()));
        return queue.mayPrefetch()
                ? Math.min(claimable(surplus), ofQueue)
                : (int) Math.min(ofQueue, Math.max(0, -surplus));
    }

    private void releaseReservation(TypeQueue<?> queue) {
        int released;
        synchronized (lock) {
            released = queue.releaseReservation();
            reserved -= released;
        }
        wakeUpAll();
        if (released > 0) {
            checkLastClaim();
        }
    }

    /**
     * {@return how many jobs of one type may be claimed for slots} At least one, to wait for a slot, unless slots are
     * reserved: a claim may find fewer jobs than it reserves.
     */
    @GuardedBy("lock") private int claimableForSlots() {
        return Math.max(reserved == 0 ? 1 : 0, slots - running - reserved);
    }

    /** {@return how many more jobs are claimed or reserved than the worker has slots; negative if slots are free} */
    @GuardedBy("lock") private long surplusClaims() {
        long waiting = waitingQueues.stream().mapToInt(TypeQueue::waiting).sum();
        return running + reserved + waiting - slots;
    }

    /**
     * {@return how many jobs the worker may claim} As for each type, the next claim waits until half of the prefetch
     * has begun.
     */
    @GuardedBy("lock") private int claimable(long surplus) {
        int prefetch = prefetchSizer.size(slots);
        return surplus > prefetch / 2 ? 0 : (int) Math.min(Integer.MAX_VALUE, prefetch - surplus);
    }

    /** {@return how many slots there are for each of some types that wait for them, at least one} */
    @GuardedBy("lock") private int share(int types) {
        return Math.max(1, slots / types);
    }

    private <D> void take(TypeQueue<D> queue, List<GrantedClaim<D>> claims, int prefetchMax) {
        boolean wereHeartbeatsSuspended;
        boolean isStopped;
        synchronized (lock) {
            prefetchSizer.claimTook(queue.claimed(claims, prefetchMax, now())); // compares them with the reservation
            claims.forEach(claim -> prefetchSizer.claimed(claim.job().bytes()));
            reserved -= queue.releaseReservation();
            waitingQueues.add(queue);
            wereHeartbeatsSuspended = queue.runs().resumeHeartbeats();
            isStopped = isStopped() || isRefused;
        }
        if (wereHeartbeatsSuspended) {
            queue.resumeLoops();
        }
        if (isStopped) {
            queue.releaseWaiting();
            queue.runs().writeEndsAndCheckHandlersDone();
            checkLastClaim();
        } else {
            threads.startIfNeeded();
            scheduleStarvationCheck();
        }
    }

    /** Schedules the next check, unless one is scheduled. Prefetched jobs must not wait for a job that takes long. */
    private void scheduleStarvationCheck() {
        synchronized (lock) {
            if (isStarvationCheckScheduled
                    || closed
                    || waitingQueues.stream().allMatch(queue -> queue.waiting() == 0)) {
                return;
            }
            isStarvationCheckScheduled = true;
        }
        var unused = environment
                .scheduler()
                .schedule(this::releaseStarved, TimerDelays.nanos(STARVATION_CHECK_INTERVAL), TimeUnit.NANOSECONDS);
    }

    private void releaseStarved() {
        threads.checkBegun(STARVATION_CHECK_INTERVAL);
        List<TypeQueue<?>> starved = new ArrayList<>();
        synchronized (lock) {
            isStarvationCheckScheduled = false;
            boolean isFull = running >= slots;
            for (TypeQueue<?> queue : waitingQueues) {
                if (queue.releaseStarved(STARVATION_CHECK_INTERVAL, isFull)) {
                    starved.add(queue);
                }
            }
            if (!starved.isEmpty()) {
                prefetchSizer.recordQueueTime(prefetchSizer.starvationTimeout());
            }
        }
        wakeUpAll();
        starved.forEach(queue -> queue.runs().writeEnds());
        scheduleStarvationCheck();
    }

    /**
     * Begins a round of heartbeats. Releases jobs that still wait for a slot after a whole round, since other processes
     * may have free slots.
     *
     * @return the runs whose heartbeat is due
     */
    private <D> List<JobRun<D>> nextRound(TypeQueue<D> queue, Duration roundTime) {
        List<JobRun<D>> due;
        synchronized (lock) {
            due = queue.runs().nextRound();
            Collection<JobRun<D>> released = queue.releaseWaiting(due, roundTime);
            if (!released.isEmpty()) {
                prefetchSizer.recordQueueTime(roundTime);
            }
            due.removeAll(new HashSet<>(released));
        }
        queue.runs().writeEnds();
        wakeUpAll();
        return due;
    }

    /** Removes the runs that wait for a slot, and tells the handlers of the others to stop. */
    private <D> void stopLost(TypeQueue<D> queue, List<Heartbeat.Lost> lost) {
        queue.removeLost(lost);
        queue.runs().stopLost(lost);
        wakeUpAll();
    }

    // Running

    @Override
    public boolean canBegin() {
        synchronized (lock) {
            return !isStopped() && running < slots && waitingQueues.stream().anyMatch(TypeQueue::canBegin);
        }
    }

    @Override
    public Optional<Runnable> begin() {
        synchronized (lock) {
            if (isStopped() || running >= slots) {
                return Optional.empty();
            }
            for (Iterator<TypeQueue<?>> iterator = waitingQueues.iterator(); iterator.hasNext(); ) {
                TypeQueue<?> queue = iterator.next();
                Optional<Runnable> next = begin(queue);
                if (next.isPresent() || queue.waiting() == 0) {
                    iterator.remove();
                }
                if (next.isPresent()) {
                    if (queue.waiting() > 0) {
                        waitingQueues.add(queue); // behind the queues of the other types
                    }
                    running++;
                    return next;
                }
            }
            return Optional.empty();
        }
    }

    private <D> Optional<Runnable> begin(TypeQueue<D> queue) {
        return queue.begin(Thread.currentThread()).map(run -> () -> {
            wakeUpAll(); // a job that no longer waits lets another be claimed
            runner.run(
                    run,
                    queue.runs(),
                    queue.registration(),
                    (disposition, took) -> handlerReturned(queue, run, disposition, took));
        });
    }

    @Override
    public void refused() {
        List<TypeQueue<?>> queues;
        synchronized (lock) {
            isRefused = true;
            queues = List.copyOf(waitingQueues);
            queues.forEach(TypeQueue::releaseWaiting);
        }
        queues.forEach(queue -> queue.runs().writeEndsAndCheckHandlersDone());
    }

    @Override
    public void retry() {
        synchronized (lock) {
            isRefused = false;
        }
        wakeUpAll();
        threads.startIfNeeded();
    }

    private <D> void handlerReturned(TypeQueue<D> queue, JobRun<D> run, Disposition disposition, Duration took) {
        TypeRuns.HandlerReturn handlerReturn;
        synchronized (lock) {
            handlerReturn = queue.runs().handlerReturned(run, disposition);
            running--;
            queue.handlerReturned(run, took);
            prefetchSizer.jobTook(took);
        }
        queue.clearSuspect(run);
        queue.runs().reportReturn(run, disposition, handlerReturn);
        wakeUpAll();
        if (!handlerReturn.threadContinues()) {
            threads.startIfNeeded();
        }
    }

    private void wakeUpAll() {
        List<TypeQueue<?>> woken;
        synchronized (lock) {
            if (isStopped() || isRefused || deferredQueues.isEmpty()) {
                return;
            }
            woken = removeClaimable();
        }
        woken.forEach(queue -> queue.subscription().demandChanged());
    }

    /** Removes the type queues that can claim jobs now, in the order of their tickets. */
    @GuardedBy("lock") private List<TypeQueue<?>> removeClaimable() {
        List<TypeQueue<?>> removed = new ArrayList<>();
        long claimable = claimable(surplusClaims());
        int share = share(deferredQueues.size() + wokenQueues.size());
        for (Iterator<TypeQueue<?>> iterator = deferredQueues.values().iterator();
                claimable > 0 && iterator.hasNext(); ) {
            TypeQueue<?> queue = iterator.next();
            int ofQueue = claimable(queue, surplusClaims());
            if (ofQueue > 0) {
                iterator.remove();
                removed.add(queue);
                wokenQueues.add(queue);
                claimable -= Math.min(ofQueue, queue.expected(share));
            }
        }
        return removed;
    }

    private Instant now() {
        return environment.clock().instant();
    }
}
