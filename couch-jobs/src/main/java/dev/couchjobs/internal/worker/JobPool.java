package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that one worker has claimed, and the places in which they run.
 *
 * <p>Claiming, running and finishing overlap: while handlers run, the next jobs are being claimed and the ends of the
 * last ones written.
 */
public final class JobPool implements HandlerThreads.Work {
    private static final Logger LOG = LoggerFactory.getLogger(JobPool.class);
    /** How long the ends of the last jobs may take to be written. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(10);

    /** How often it is looked whether jobs wait here for nothing, while any wait. */
    private static final Duration LOOK = Duration.ofMillis(50);

    private final Environment environment;
    private final Instance instance;
    private final Acceptors acceptors;
    private final WorkerSettings settings;
    /** Calls what users have asked to be told, and what may block there. */
    private final Executor callers;

    /** Grows while this is held. */
    private final List<TypeQueue<?>> queues = new CopyOnWriteArrayList<>();

    private final JobRunner runner;
    private final HandlerThreads threads;
    private final CompletableFuture<Void> nothingHeld = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** Guards this, its type queues and their runs. With it held, no code outside is called. */
    private final Object lock = new Object();

    private final ActivityRows activities = new ActivityRows(lock);
    private final LostSlots lostSlots;

    @GuardedBy("lock") private int running;
    /**
     * Every type queue in which jobs wait, the one whose turn is next first; maybe others. What is done for each job
     * looks at these alone: there may be a thousand type queues.
     */
    @GuardedBy("lock") private final Set<TypeQueue<?>> turns = new LinkedHashSet<>();
    /** Every type queue that may have jobs to claim and had no room when it last asked, by turns. */
    @GuardedBy("lock") private final NavigableMap<Long, TypeQueue<?>> wanting = new TreeMap<>();

    @GuardedBy("lock") private long turn;
    /** How many jobs may be taken by the claims that are under way. */
    @GuardedBy("lock") private int reserved;
    /** Of all types together: how many jobs to claim beyond those that can begin. */
    @GuardedBy("lock") private final PrefetchSizer prefetch = new PrefetchSizer();

    @GuardedBy("lock") private boolean watching;

    @GuardedBy("lock") private boolean closing;

    public JobPool(
            Instance instance,
            Acceptors acceptors,
            WorkerSettings settings,
            List<? extends HandlerRegistration<?, ?>> registrations) {
        this.environment = instance.environment();
        this.instance = instance;
        this.acceptors = acceptors;
        this.settings = settings;
        this.callers = instance.database().getExecutor();
        this.lostSlots = new LostSlots(lock, environment, callers, settings.concurrency());
        this.threads = new HandlerThreads(lock, environment, settings.executor(), this);
        this.runner = new JobRunner(instance, settings.longTriesMax());
        registrations.forEach(assignment -> queues.add(queueOf(assignment)));
    }

    private <D> TypeQueue<D> queueOf(HandlerRegistration<D, ?> registration) {
        TypeRuns<D> runs = new TypeRuns<>(
                lock, registration.handler().type(), activities, lostSlots, instance, this::checkNothingHeld);
        return new TypeQueue<>(lock, registration, runs, instance, this::nextRound);
    }

    /** Begins to claim. */
    public void start() {
        try {
            queues.forEach(this::serve);
        } catch (RuntimeException e) { // the instance has been closed meanwhile
            var unused = queues.stream().map(TypeQueue::closeSubscription).toList();
            stop();
            throw e;
        }
        synchronized (lock) {
            queues.forEach(TypeQueue::open);
        }
        queues.forEach(queue -> queue.subscription().demandChanged());
    }

    /** Takes up a further type. */
    public void add(BoundHandler<?, ?> handler) {
        TypeQueue<?> queue = queueOf(new HandlerRegistration<>(handler, settings.concurrency(), Optional.empty()));
        join(queue);
        try {
            serve(queue);
        } catch (RuntimeException e) { // the instance has been closed meanwhile
            queues.remove(queue);
            throw e;
        }
        if (open(queue)) {
            queue.subscription().demandChanged();
        } else { // what closes this has not seen the intake
            var unused = queue.closeSubscription();
            queue.close();
            throw closed();
        }
    }

    private void join(TypeQueue<?> queue) {
        synchronized (lock) {
            if (closing) {
                throw closed();
            }
            if (queues.stream()
                    .anyMatch(other -> other.type().name().equals(queue.type().name()))) {
                throw queue.registration().handler().second();
            }
            queues.add(queue);
        }
    }

    private boolean open(TypeQueue<?> queue) {
        synchronized (lock) {
            queue.open();
            return !closing;
        }
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("The worker is closed: start another one.");
    }

    private <D> void serve(TypeQueue<D> queue) {
        queue.start(acceptors.serve(queue.type(), consumer(queue), settings.wanted()));
    }

    /** Has something done when this has ended. */
    public void whenEnded(Runnable action) {
        var unused = ended.whenComplete((done, error) -> action.run());
    }

    // Claiming

    private <D> ClaimConsumer<D> consumer(TypeQueue<D> queue) {
        return new ClaimConsumer<>() {
            @Override
            public Demand reserve() {
                return JobPool.this.reserve(queue);
            }

            @Override
            public void take(List<GrantedClaim<D>> claims) {
                JobPool.this.take(queue, claims);
            }

            @Override
            public void claimEnded() {
                JobPool.this.claimEnded(queue);
            }
        };
    }

    /** A place is reserved before it is claimed for: so no two types claim for the same one. */
    private ClaimConsumer.Demand reserve(TypeQueue<?> queue) {
        synchronized (lock) {
            if (!queue.isOpen() || closing) {
                return ClaimConsumer.Demand.NONE;
            }
            long beyond = excess();
            int room = Math.min(room(beyond), queue.wanted(free()));
            if (room == 0) {
                if (queue.turn() == 0) {
                    queue.waitFor(++turn);
                }
                wanting.put(queue.turn(), queue);
                return ClaimConsumer.Demand.NONE;
            }
            wanting.remove(queue.turn());
            reserved += room;
            return queue.reserve(room, room <= -beyond, now());
        }
    }

    private void claimEnded(TypeQueue<?> queue) {
        synchronized (lock) {
            reserved -= queue.release();
        }
        wakeUpAll();
    }

    /** The places in which nothing runs and for which no claim is under way. */
    @GuardedBy("lock") private int free() {
        return Math.max(0, settings.concurrency() - running - reserved);
    }

    /**
     * How many more jobs there are than places, with those that are being claimed; below zero there are free places.
     */
    @GuardedBy("lock") private long excess() {
        long waiting = turns.stream().mapToInt(TypeQueue::waiting).sum();
        return running + reserved + waiting - settings.concurrency();
    }

    /** How many jobs may be claimed. Waits until half of what was claimed ahead has begun, as each type does. */
    @GuardedBy("lock") private int room(long beyond) {
        int ahead = prefetch.ahead(settings.concurrency());
        return beyond > ahead / 2 ? 0 : (int) Math.min(Integer.MAX_VALUE, ahead - beyond);
    }

    private <D> void take(TypeQueue<D> queue, List<GrantedClaim<D>> claims) {
        boolean rouse;
        synchronized (lock) {
            reserved -= queue.release();
            prefetch.claimTook(queue.claimed(claims, now()));
            turns.add(queue);
            rouse = queue.runs().resumeHeartbeats();
        }
        if (rouse) {
            queue.heartbeats().resume();
        }
        if (isClosing()) {
            releaseWaiting();
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
            if (watching || closing || turns.stream().allMatch(queue -> queue.waiting() == 0)) {
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
            boolean isFull = running == settings.concurrency();
            for (TypeQueue<?> queue : turns) {
                if (queue.giveBackStuck(LOOK, isFull)) {
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
            Collection<JobRun<D>> idle = queue.giveBackWaiting(due, roundTime);
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
            return !closing
                    && running < settings.concurrency()
                    && turns.stream().anyMatch(TypeQueue::canBegin);
        }
    }

    @Override
    public Optional<Runnable> begin() {
        synchronized (lock) {
            if (closing || running == settings.concurrency()) {
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

    /** {@return how many places are taken by handlers that go on long after they were told to stop} */
    public int lostSlots() {
        return lostSlots.count();
    }

    private void wakeUpAll() {
        List<TypeQueue<?>> woken;
        synchronized (lock) {
            if (closing || wanting.isEmpty()) {
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
        for (Iterator<TypeQueue<?>> each = wanting.values().iterator(); room > 0 && each.hasNext(); ) {
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

    // Closing

    /** Ends it, and waits for that unless a handler of its own calls. */
    public void close() {
        CompletableFuture<Void> ending = closeAsync();
        if (!threads.isCalledByHandler()) {
            ending.join();
        }
    }

    /** Ends it; completes when it has ended. */
    public CompletableFuture<Void> closeAsync() {
        synchronized (lock) {
            if (closing) {
                return ended.copy();
            }
            closing = true;
            lostSlots.close();
        }
        releaseWaiting();
        var timer = environment
                .scheduler()
                .schedule(this::releaseAll, TimerDelays.nanos(settings.shutdownTimeout()), TimeUnit.NANOSECONDS);
        CompletableFuture<?> claimed = CompletableFuture.allOf(
                queues.stream().map(TypeQueue::closeSubscription).toArray(CompletableFuture<?>[]::new));
        var unused = within(settings.shutdownTimeout().plus(LAST_WORDS), claimed, "A claim is not answered")
                .thenCompose(closed -> {
                    checkNothingHeld();
                    return nothingHeld;
                })
                .thenCompose(nothing -> {
                    timer.cancel(false);
                    return drained();
                })
                .whenComplete((drained, error) -> end());
        return ended.copy();
    }

    /** Ends it as far as that can be done at once. */
    public void stop() {
        var unused = closeAsync();
        releaseAll();
    }

    private boolean isClosing() {
        synchronized (lock) {
            return closing;
        }
    }

    private void releaseWaiting() {
        synchronized (lock) {
            queues.forEach(TypeQueue::giveBackWaiting);
        }
        queues.forEach(queue -> queue.runs().release());
    }

    private void releaseAll() {
        int left;
        synchronized (lock) {
            left = queues.stream().mapToInt(queue -> queue.runs().count()).sum();
        }
        if (left > 0) {
            LOG.warn("{} jobs did not end while their worker closed; they are given back", left);
        }
        queues.forEach(queue -> queue.runs().stopAll(new Disposition.Released(true)));
    }

    private void checkNothingHeld() {
        synchronized (lock) {
            if (!closing || !queues.stream().allMatch(queue -> queue.runs().holdsNone())) {
                return;
            }
        }
        nothingHeld.complete(null);
    }

    private CompletableFuture<?> drained() {
        CompletableFuture<?> written = CompletableFuture.allOf(
                queues.stream().map(queue -> queue.runs().drained()).toArray(CompletableFuture<?>[]::new));
        return within(LAST_WORDS, written, "Not all ends of jobs could be written");
    }

    /**
     * When it is done, or at the latest after so long: a database that does not answer must not keep a process from
     * ending.
     */
    private CompletableFuture<?> within(Duration time, CompletableFuture<?> work, String otherwise) {
        CompletableFuture<Boolean> tooLate = new CompletableFuture<>();
        var timer = environment
                .scheduler()
                .schedule(
                        () -> callers.execute(() -> tooLate.complete(false)),
                        TimerDelays.nanos(time),
                        TimeUnit.NANOSECONDS);
        CompletableFuture<Boolean> done = work.thenApply(value -> {
            timer.cancel(false);
            return true;
        });
        return done.applyToEither(tooLate, inTime -> {
            if (!inTime) {
                LOG.warn("{}; these jobs return when their leases have run out", otherwise);
            }
            return inTime;
        });
    }

    private void end() {
        queues.forEach(TypeQueue::close);
        settings.releaseExecutor().run();
        ended.complete(null);
    }

    private Instant now() {
        return environment.clock().instant();
    }
}
