package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.WorkerState;
import dev.couchjobs.internal.accept.Acceptors;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.TimerDelays;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lifecycle of one worker: it starts, takes up further types, closes, and ends when it holds no job.
 *
 * <p>Calls go one way: from here to {@link SlotScheduler}, which claims jobs and gives them slots, and from there to
 * {@link TypeRuns}, which hold the jobs until they end. Calls in the other direction go through callbacks.
 *
 * <p>Claiming, running and finishing overlap: while handlers run, the worker claims the next jobs and writes the ends
 * of earlier ones.
 */
public final class WorkerLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerLifecycle.class);

    /** How long a closing worker waits for a claim under way, and for the ends of its last jobs to be written. */
    private static final Duration FINAL_WRITE_TIMEOUT = Duration.ofSeconds(10);

    /** How long a closed worker waits for threads that have nothing left to do. */
    private static final Duration THREAD_END_TIMEOUT = Duration.ofSeconds(10);

    private static final String LEASES_LEFT = "the jobs concerned are pending again when their leases expire";

    private static final int REPORTED_TYPES_MAX = 100;

    private final Environment environment;
    private final Instance instance;
    private final Acceptors acceptors;
    private final WorkerSettings settings;
    /** Runs users' callbacks, which may block. */
    private final Executor callers;

    /** Grows while the lock is held. */
    private final List<TypeQueue<?>> queues = new CopyOnWriteArrayList<>();

    private final SlotScheduler scheduler;

    /** Completes when the closing worker holds no job, and no handler runs that it still waits for. */
    private final CompletableFuture<Void> handlersDone = new CompletableFuture<>();

    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** The lock of this worker, its scheduler and its runs. A thread that holds it calls no code outside the worker. */
    private final Object lock = new Object();

    private final ActivityRows activities = new ActivityRows(lock);
    private final StuckSlots stuckSlots;
    private final Finisher finisher;

    private final WorkerRegistration registration;

    /** A worker claims nothing before it knows the orders for its name. */
    @GuardedBy("lock") private WorkerState state = WorkerState.PAUSED;

    @GuardedBy("lock") private boolean areOrdersKnown;

    @GuardedBy("lock") private boolean closing;

    /** Whether the shutdown timeout is over: the worker waits for no handler. */
    @GuardedBy("lock") private boolean isTimeUp;

    public WorkerLifecycle(
            Instance instance,
            Acceptors acceptors,
            WorkerSettings settings,
            List<? extends HandlerRegistration<?, ?>> registrations) {
        this.environment = instance.environment();
        this.instance = instance;
        this.acceptors = acceptors;
        this.settings = settings;
        this.callers = instance.executor();
        this.stuckSlots = new StuckSlots(lock, environment, callers, this::concurrency);
        this.finisher = new Finisher(activities, instance);
        this.scheduler = new SlotScheduler(lock, instance, settings, this::lastClaimEnded);
        this.registration = new WorkerRegistration(instance, settings, new OrderedWorker());
        registrations.forEach(registration -> queues.add(queueOf(registration)));
    }

    private <D> TypeQueue<D> queueOf(HandlerRegistration<D, ?> registration) {
        TypeRuns<D> runs = new TypeRuns<>(
                lock,
                registration.handler().type(),
                activities,
                stuckSlots,
                finisher,
                instance,
                this::checkHandlersDone);
        return scheduler.queue(registration, runs);
    }

    /** Begins to claim, once the orders for the worker are known. */
    public void start() {
        try {
            queues.forEach(queue -> scheduler.serve(queue, acceptors, settings.acceptOptions()));
        } catch (RuntimeException e) { // the instance has been closed meanwhile
            var unused = queues.stream().map(TypeQueue::closeSubscription).toList();
            stop();
            throw e;
        }
        synchronized (lock) {
            queues.forEach(TypeQueue::open);
        }
        registration.wakeUp(); // the orders let the worker claim
    }

    /** Takes up a further type. */
    public void add(BoundHandler<?, ?> handler) {
        TypeQueue<?> queue = queueOf(new HandlerRegistration<>(handler, OptionalInt.empty(), Optional.empty()));
        join(queue);
        try {
            scheduler.serve(queue, acceptors, settings.acceptOptions());
        } catch (RuntimeException e) { // the instance has been closed meanwhile
            queues.remove(queue);
            throw e;
        }
        if (open(queue)) {
            queue.demandChanged();
        } else { // a concurrent close has not seen the subscription
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
                    .anyMatch(
                            present -> present.type().name().equals(queue.type().name()))) {
                throw queue.registration().handler().duplicateHandlerError();
            }
            queue.setSlots(scheduler.slots()); // they may have changed meanwhile
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

    /** {@return how many jobs may run at once} */
    public int concurrency() {
        return scheduler.slots();
    }

    /** Sets how many jobs may run at once. */
    public void setConcurrency(int jobs) {
        scheduler.setSlots(jobs, queues);
        concurrencyChanged();
    }

    /** Sets how many jobs of a type may run at once. */
    public void setConcurrency(String type, int jobs) {
        TypeQueue<?> queue = queues.stream()
                .filter(present -> present.type().name().equals(type))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "The worker has no handler for type " + type + "; it has handlers for " + types() + "."));
        queue.setLimit(jobs);
        concurrencyChanged();
    }

    private void concurrencyChanged() {
        scheduler.limitsChanged(queues);
        registration.wakeUp(); // the row says how many
    }

    private List<String> types() {
        return queues.stream().map(queue -> queue.type().name()).sorted().toList();
    }

    /** Runs an action when the worker has ended. */
    public void whenEnded(Runnable action) {
        var unused = ended.whenComplete((done, error) -> action.run());
    }

    /** {@return how many slots handlers occupy that run on long after they were told to stop} */
    public int stuckSlots() {
        return stuckSlots.count();
    }

    public String name() {
        return settings.identity().name();
    }

    /** {@return a future that completes when the worker has ended} */
    public CompletableFuture<Void> ended() {
        return ended.copy();
    }

    // Orders

    private final class OrderedWorker implements WorkerRegistration.Obeying {
        @Override
        public WorkerRegistration.Report report() {
            List<String> types = types().stream().limit(REPORTED_TYPES_MAX).toList();
            synchronized (lock) {
                return new WorkerRegistration.Report(reportedState(), scheduler.slots(), scheduler.running(), types);
            }
        }

        @Override
        public WorkerState state() {
            synchronized (lock) {
                return reportedState();
            }
        }

        @Override
        public void isInLargeFleet(boolean isLarge) {
            queues.forEach(queue -> acceptors.inLargeFleet(queue.type().name(), isLarge));
        }

        @Override
        public void obey(boolean isPaused, boolean isDrained) {
            WorkerState next = isPaused ? WorkerState.PAUSED : WorkerState.RUNNING;
            change(isDrained ? WorkerState.DRAINING : next);
        }
    }

    /** {@return the state, in which a worker runs until its last claim has ended} */
    @GuardedBy("lock") private WorkerState reportedState() {
        if (!areOrdersKnown || scheduler.isClaiming()) {
            return WorkerState.RUNNING;
        }
        return closing ? WorkerState.DRAINING : state;
    }

    private void change(WorkerState next) {
        boolean isOrdered;
        synchronized (lock) {
            isOrdered = areOrdersKnown || next != WorkerState.RUNNING;
            areOrdersKnown = true;
            if (closing || state == WorkerState.DRAINING || state == next) {
                return;
            }
            state = next;
            if (next == WorkerState.RUNNING) {
                scheduler.resume();
            } else {
                scheduler.suspend();
            }
        }
        if (isOrdered) {
            LOG.info("Worker {} obeys an order: {}", settings.identity().name(), next);
        }
        if (next != WorkerState.RUNNING) {
            queues.forEach(scheduler::releaseWaiting);
        }
        queues.forEach(TypeQueue::demandChanged); // a process without demand leaves the watch to others
        endIfDrained();
    }

    private void lastClaimEnded() {
        registration.wakeUp();
        endIfDrained();
    }

    private void endIfDrained() {
        synchronized (lock) {
            if (state != WorkerState.DRAINING || closing || scheduler.isClaiming() || !holdsNone()) {
                return;
            }
        }
        var unused = closeAsync();
    }

    @GuardedBy("lock") private boolean holdsNone() {
        return queues.stream().allMatch(queue -> queue.runs().holdsNone());
    }

    // Closing

    /**
     * Ends the worker, and waits for its end unless the current thread runs one of its handlers. Its threads have ended
     * then, except those of handlers that did not end in time.
     */
    public void close() {
        CompletableFuture<Void> ending = closeAsync();
        if (!scheduler.isCalledByHandler()) {
            ending.join();
            settings.executorToClose().ifPresent(this::awaitThreads);
        }
    }

    private void awaitThreads(ExecutorService threads) {
        synchronized (lock) {
            if (scheduler.running() > 0) {
                return;
            }
        }
        try {
            threads.awaitTermination(THREAD_END_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the worker; completes when it has ended. */
    public CompletableFuture<Void> closeAsync() {
        synchronized (lock) {
            if (closing) {
                return ended.copy();
            }
            closing = true;
            scheduler.close();
            stuckSlots.close();
        }
        queues.forEach(scheduler::releaseWaiting);
        var timer = environment
                .scheduler()
                .schedule(this::releaseAll, TimerDelays.nanos(settings.shutdownTimeout()), TimeUnit.NANOSECONDS);
        CompletableFuture<?> claimed = CompletableFuture.allOf(
                queues.stream().map(TypeQueue::closeSubscription).toArray(CompletableFuture<?>[]::new));
        Duration handlersTimeout = Duration.ofNanos(TimerDelays.nanos(settings.shutdownTimeout())); // may be endless
        var unused = within(
                        handlersTimeout.plus(FINAL_WRITE_TIMEOUT), claimed, "A claim is not answered; " + LEASES_LEFT)
                .thenCompose(closed -> {
                    checkHandlersDone();
                    return handlersDone;
                })
                .thenCompose(done -> {
                    timer.cancel(false);
                    return drained();
                })
                .whenComplete((drained, error) -> end());
        return ended.copy();
    }

    /** Ends the worker without waiting for its handlers. */
    public void stop() {
        var unused = closeAsync();
        releaseAll();
    }

    private void releaseAll() {
        int unfinished;
        int others;
        synchronized (lock) {
            isTimeUp = true;
            unfinished = queues.stream().mapToInt(queue -> queue.runs().count()).sum();
            others = scheduler.running() - stuckSlots.count() - unfinished;
        }
        if (others > 0) {
            LOG.warn(
                    "Handlers that still run at the end of their worker's shutdown timeout although their jobs have"
                            + " ended or are lost: {}",
                    others);
        }
        if (unfinished > 0) {
            LOG.warn(
                    "Unfinished jobs at the end of their worker's shutdown timeout: {}; they are released", unfinished);
        }
        queues.forEach(queue -> queue.runs().stopAll(Disposition.Released.AT_SHUTDOWN));
        checkHandlersDone();
    }

    private void checkHandlersDone() {
        endIfDrained();
        synchronized (lock) {
            if (!closing || !holdsNone() || (!isTimeUp && scheduler.running() > stuckSlots.count())) {
                return;
            }
        }
        handlersDone.complete(null);
    }

    private CompletableFuture<?> drained() {
        return CompletableFuture.allOf(
                within(
                        FINAL_WRITE_TIMEOUT,
                        finisher.drained(),
                        "Not all ends of jobs could be written; " + LEASES_LEFT),
                within(
                        FINAL_WRITE_TIMEOUT,
                        registration.end(),
                        "The row of a worker could not be removed; it expires"));
    }

    /**
     * {@return a future that completes with the work, or after a timeout} A database that does not answer must not keep
     * a process from ending.
     *
     * @param warning logged after the timeout
     */
    private CompletableFuture<?> within(Duration timeout, CompletableFuture<?> work, String warning) {
        CompletableFuture<Boolean> tooLate = new CompletableFuture<>();
        var timer = environment
                .scheduler()
                .schedule(() -> giveUp(tooLate), TimerDelays.nanos(timeout), TimeUnit.NANOSECONDS);
        CompletableFuture<Boolean> inTime = work.thenApply(value -> {
            timer.cancel(false);
            return true;
        });
        return inTime.applyToEither(tooLate, wasInTime -> {
            if (!wasInTime) {
                LOG.warn("{}", warning);
            }
            return wasInTime;
        });
    }

    private void giveUp(CompletableFuture<Boolean> tooLate) {
        try {
            callers.execute(() -> tooLate.complete(false));
        } catch (Throwable e) { // the database is closed, or there is no thread
            tooLate.complete(false);
        }
    }

    private void end() {
        queues.forEach(TypeQueue::close);
        finisher.close();
        settings.executorToClose().ifPresent(ExecutorService::shutdown);
        ended.complete(null);
    }
}
