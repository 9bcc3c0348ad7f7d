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
 * <p>A worker claims jobs ahead of free slots while its jobs are short; those that then wait for too long it gives
 * back.
 */
final class SlotScheduler implements HandlerThreads.Work {
    /** How often the scheduler looks for claims that wait too long for a slot, while any wait. */
    private static final Duration LOOK = Duration.ofMillis(50);

    private final Object lock;
    private final Environment environment;
    private final Instance instance;
    private final int slots;
    private final JobRunner runner;
    private final HandlerThreads threads;

    @GuardedBy("lock") private int running;

    /**
     * Every type queue in which jobs wait, the one whose turn is next first; maybe others. What is done for each job
     * looks at these alone: there may be a thousand type queues.
     */
    @GuardedBy("lock") private final Set<TypeQueue<?>> turns = new LinkedHashSet<>();

    /** Every type queue that may have jobs to claim and had no room when it last asked, by turns. */
    @GuardedBy("lock") private final NavigableMap<Long, TypeQueue<?>> waitingForRoom = new TreeMap<>();

    @GuardedBy("lock") private long turn;

    /** How many jobs may be taken by the claims that are under way. */
    @GuardedBy("lock") private int reserved;

    /** Of all types together: how many jobs to claim beyond those that can begin. */
    @GuardedBy("lock") private final PrefetchSizer prefetch = new PrefetchSizer();

    /** Whether the next look for jobs that wait for nothing is scheduled. */
    @GuardedBy("lock") private boolean watching;

    @GuardedBy("lock") private boolean closed;

    /**
     * Begins with free slots and no types.
     *
     * @param lock the worker's lock
     */
    SlotScheduler(Object lock, Instance instance, WorkerSettings settings) {
        this.lock = lock;
        this.environment = instance.environment();
        this.instance = instance;
        this.slots = settings.concurrency();
        this.runner = new JobRunner(instance, settings.longTriesMax());
        this.threads = new HandlerThreads(lock, environment, settings.executor(), this);
    }

    /** {@return the queue of a type, for which nothing is claimed yet} */
    <D> TypeQueue<D> queue(HandlerRegistration<D, ?> registration, TypeRuns<D> runs) {
        return new TypeQueue<>(lock, registration, runs, instance, this::nextRound);
    }

    /** Lets a type claim jobs as soon as its queue is open. */
    <D> void serve(TypeQueue<D> queue, Acceptors acceptors, AcceptOptions options) {
        queue.start(acceptors.serve(queue.type(), consumer(queue), options));
    }

    /** {@return whether a handler of this worker calls} */
    boolean isCalledByHandler() {
        return threads.isCalledByHandler();
    }

    /** Neither claims jobs nor begins any from now on. */
    void close() {
        synchronized (lock) {
            closed = true;
        }
    }

    /** Gives the jobs of a type back that wait for a slot. */
    void releaseWaiting(TypeQueue<?> queue) {
        queue.releaseWaiting();
        queue.runs().release();
    }

    // Claiming

    /** {@return what reserves slots of a type, and takes the claims that are made for them} */
    private <D> ClaimConsumer<D> consumer(TypeQueue<D> queue) {
        return new ClaimConsumer<>() {
            @Override
            public Demand reserve() {
                return SlotScheduler.this.reserve(queue);
            }

            @Override
            public void take(List<GrantedClaim<D>> claims) {
                SlotScheduler.this.take(queue, claims);
            }

            @Override
            public void claimEnded() {
                SlotScheduler.this.claimEnded(queue);
            }
        };
    }

    /** A slot is reserved before it is claimed for: so no two types claim for the same one. */
    private ClaimConsumer.Demand reserve(TypeQueue<?> queue) {
        synchronized (lock) {
            if (!queue.isOpen() || closed) {
                return ClaimConsumer.Demand.NONE;
            }
            long beyond = excess();
            int room = Math.min(room(beyond), queue.wanted(free()));
            if (room == 0) {
                if (queue.turn() == 0) {
                    queue.waitFor(++turn);
                }
                waitingForRoom.put(queue.turn(), queue);
                return ClaimConsumer.Demand.NONE;
            }
            waitingForRoom.remove(queue.turn());
            reserved += room;
            return queue.reserve(room, room <= -beyond, now());
        }
    }

    private void claimEnded(TypeQueue<?> queue) {
        synchronized (lock) {
            reserved -= queue.releaseReservation();
        }
        wakeUpAll();
    }

    /** The slots in which nothing runs and for which no claim is under way. */
    @GuardedBy("lock") private int free() {
        return Math.max(0, slots - running - reserved);
    }

    /**
     * How many more jobs there are than slots, with those that are being claimed; below zero there are free slots.
     */
    @GuardedBy("lock") private long excess() {
        long waiting = turns.stream().mapToInt(TypeQueue::waiting).sum();
        return running + reserved + waiting - slots;
    }

    /** How many jobs may be claimed. Waits until half of what was claimed ahead has begun, as each type does. */
    @GuardedBy("lock") private int room(long beyond) {
        int ahead = prefetch.ahead(slots);
        return beyond > ahead / 2 ? 0 : (int) Math.min(Integer.MAX_VALUE, ahead - beyond);
    }

    private <D> void take(TypeQueue<D> queue, List<GrantedClaim<D>> claims) {
        boolean wake;
        boolean tooLate;
        synchronized (lock) {
            reserved -= queue.releaseReservation();
            prefetch.claimTook(queue.claimed(claims, now()));
            turns.add(queue);
            wake = queue.runs().resumeHeartbeats();
            tooLate = closed;
        }
        if (wake) {
            queue.heartbeats().resume();
        }
        if (tooLate) {
            releaseWaiting(queue);
        } else {
            threads.startIfNeeded();
            watchWaiting();
        }
    }

    /**
     * Jobs were claimed ahead because those before them were short. If one is not, the others are not to wait for it.
     */
    private void watchWaiting() {
        synchronized (lock) {
            if (watching || closed || turns.stream().allMatch(queue -> queue.waiting() == 0)) {
                return;
            }
            watching = true;
        }
        var unused =
                environment.scheduler().schedule(this::releaseStuck, TimerDelays.nanos(LOOK), TimeUnit.NANOSECONDS);
    }

    private void releaseStuck() {
        List<TypeQueue<?>> stuck = new ArrayList<>();
        synchronized (lock) {
            watching = false;
            boolean isFull = running == slots;
            for (TypeQueue<?> queue : turns) {
                if (queue.releaseStuck(LOOK, isFull)) {
                    stuck.add(queue);
                }
            }
            if (!stuck.isEmpty()) {
                prefetch.recordQueueTime(prefetch.patience());
            }
        }
        wakeUpAll();
        stuck.forEach(queue -> queue.runs().write());
        watchWaiting();
    }

    /**
     * Begins a round of heartbeats. Jobs that still wait for a slot after a whole round are given back, since other
     * processes may have one.
     *
     * @return the runs of which a heartbeat is due
     */
    private <D> List<JobRun<D>> nextRound(TypeQueue<D> queue, Duration roundTime) {
        List<JobRun<D>> due;
        synchronized (lock) {
            due = queue.runs().nextRound();
            Collection<JobRun<D>> idle = queue.releaseWaiting(due, roundTime);
            if (!idle.isEmpty()) {
                prefetch.recordQueueTime(roundTime);
            }
            due.removeAll(new HashSet<>(idle));
        }
        queue.runs().write();
        wakeUpAll();
        return due;
    }

    // Running

    @Override
    public boolean canBegin() {
        synchronized (lock) {
            return !closed && running < slots && turns.stream().anyMatch(TypeQueue::canBegin);
        }
    }

    @Override
    public Optional<Runnable> begin() {
        synchronized (lock) {
            if (closed || running == slots) {
                return Optional.empty();
            }
            for (Iterator<TypeQueue<?>> each = turns.iterator(); each.hasNext(); ) {
                TypeQueue<?> queue = each.next();
                Optional<Runnable> next = begin(queue);
                if (next.isPresent() || queue.waiting() == 0) {
                    each.remove();
                }
                if (next.isPresent()) {
                    if (queue.waiting() > 0) {
                        turns.add(queue); // behind the others: no type keeps them waiting
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
            wakeUpAll(); // a job that no longer waits makes room for another to be claimed
            runner.run(
                    run,
                    queue.runs(),
                    queue.registration(),
                    (disposition, took) -> ended(queue, run, disposition, took));
        });
    }

    @Override
    public void retry() {
        wakeUpAll(); // those that waited may have been given back meanwhile
        threads.startIfNeeded();
    }

    private <D> void ended(TypeQueue<D> queue, JobRun<D> run, Disposition disposition, Duration took) {
        TypeRuns.HandlerEnd end;
        synchronized (lock) {
            end = queue.runs().end(run, disposition);
            running--;
            queue.ended(took);
            prefetch.jobTook(took);
        }
        queue.clearSuspect(run);
        queue.runs().report(run, disposition, end);
        wakeUpAll();
        if (!end.threadGoesOn()) {
            threads.startIfNeeded();
        }
    }

    private void wakeUpAll() {
        List<TypeQueue<?>> woken;
        synchronized (lock) {
            if (closed || waitingForRoom.isEmpty()) {
                return;
            }
            woken = takeNext();
        }
        woken.forEach(queue -> queue.subscription().demandChanged());
    }

    /** Takes the type queues out whose turn it is to claim, as many as there is room for. */
    @GuardedBy("lock") private List<TypeQueue<?>> takeNext() {
        List<TypeQueue<?>> next = new ArrayList<>();
        long room = room(excess());
        for (Iterator<TypeQueue<?>> each = waitingForRoom.values().iterator(); room > 0 && each.hasNext(); ) {
            TypeQueue<?> queue = each.next();
            int wanted = queue.wanted(free());
            if (wanted > 0) {
                each.remove();
                next.add(queue);
                room -= wanted;
            }
        }
        return next;
    }

    private Instant now() {
        return environment.clock().instant();
    }
}
