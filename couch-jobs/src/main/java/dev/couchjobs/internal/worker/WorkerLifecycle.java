package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.WorkerState;
import dev.couchjobs.internal.accept.Acceptors;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.worker.WorkerStateMachine.Phase;
import dev.couchjobs.loop.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker: the shell of its {@link WorkerStateMachine}. It has the only lock, tells the state machine what happens
 * ({@link #tell}, {@link #answer}), and performs the effects without the lock. {@link HandledType} is the part of it
 * that belongs to one type.
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

    /** The worker whose handler runs on the current thread. */
    private static final ThreadLocal<@Nullable WorkerLifecycle> AT_WORK = new ThreadLocal<>();

    private final Environment environment;
    private final Instance instance;
    private final Acceptors acceptors;
    private final WorkerSettings settings;
    /** Runs users' callbacks, which may block. */
    private final Executor callers;

    private final JobRunner runner;
    private final WorkerRegistration registration;

    /** By name. Grows while the lock is held. */
    private final Map<String, HandledType<?>> types = new ConcurrentSkipListMap<>();

    /** Completes when the closing worker holds no job, and no handler runs that it still waits for. */
    private final CompletableFuture<Void> handlersDone = new CompletableFuture<>();

    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** The lock of this worker and of its runs. A thread that holds it calls no code outside the worker. */
    private final Object lock = new Object();

    private final ActivityRows activities = new ActivityRows(lock);
    private final Finisher finisher;

    @GuardedBy("lock") private final WorkerStateMachine<JobRun<?>> machine;

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
        this.finisher = new Finisher(activities, instance);
        this.runner = new JobRunner(instance, settings.middleware(), settings.longTriesMax());
        this.machine = new WorkerStateMachine<>(settings.concurrency(), HeldBytes.ofHeap());
        this.registration = new WorkerRegistration(instance, settings, new OrderedWorker());
        registrations.forEach(this::join);
    }

    // The state machine

    /** An event. Its effects are performed before this returns. */
    void tell(Consumer<WorkerStateMachine<JobRun<?>>> event) {
        List<Consumer<WorkerEffects<JobRun<?>>>> due;
        synchronized (lock) {
            event.accept(machine);
            due = afterEvent();
        }
        perform(due, true);
    }

    /** {@return what the state machine answers to an event} Its effects are performed before this returns. */
    <T> T answer(Function<WorkerStateMachine<JobRun<?>>, T> event) {
        return answer(event, true);
    }

    /**
     * {@return what the state machine answers to an event}
     *
     * @param isLast whether no other event follows at once, which may let a type claim with the ends of this one
     */
    <T> T answer(Function<WorkerStateMachine<JobRun<?>>, T> event, boolean isLast) {
        T answer;
        List<Consumer<WorkerEffects<JobRun<?>>>> due;
        synchronized (lock) {
            answer = event.apply(machine);
            due = afterEvent();
        }
        perform(due, isLast);
        return answer;
    }

    /** The worker or the finisher has a run, at any time: otherwise the worker might end before its end is written. */
    @GuardedBy("lock") private List<Consumer<WorkerEffects<JobRun<?>>>> afterEvent() {
        for (JobRun<?> run : machine.takeEnds()) {
            finisher.add(run);
        }
        return machine.takeEffects();
    }

    private void perform(List<Consumer<WorkerEffects<JobRun<?>>>> due, boolean isLast) {
        if (due.isEmpty()) {
            if (isLast) {
                finisher.write(List.of());
            }
            return;
        }
        Effects effects = new Effects();
        for (Consumer<WorkerEffects<JobRun<?>>> effect : due) {
            effect.accept(effects);
        }
        if (isLast || !effects.claiming.isEmpty()) {
            finisher.write(effects.claiming);
        }
    }

    Object lock() {
        return lock;
    }

    ActivityRows activities() {
        return activities;
    }

    Instant now() {
        return environment.clock().instant();
    }

    Future<?> schedule(Runnable action, Duration in) {
        return environment.scheduler().schedule(action, TimerDelays.nanos(in), TimeUnit.NANOSECONDS);
    }

    private final class Effects implements WorkerEffects<JobRun<?>> {
        /** The types that are to claim, with the ends that are written. */
        private Set<HandledType<?>> claiming = Set.of();

        private HandledType<?> handled(TypeState<JobRun<?>> type) {
            HandledType<?> handled = types.get(type.name());
            if (handled == null) {
                throw new IllegalStateException("The worker has no type " + type.name());
            }
            return handled;
        }

        @Override
        public void letClaim(TypeState<JobRun<?>> type) {
            if (claiming.isEmpty()) {
                claiming = new LinkedHashSet<>();
            }
            claiming.add(handled(type));
        }

        @Override
        public void startThread() {
            try {
                settings.executor().execute(WorkerLifecycle.this::runJobs);
            } catch (Throwable e) { // also an error: there may be no more threads at present
                executorRefused(e);
            }
        }

        @Override
        public void stop(JobRun<?> run) {
            run.interrupt().ifPresent(this::cancel);
        }

        /** A stage may call users' code, which must not delay the timer or the heartbeats of other jobs. */
        private void cancel(CompletableFuture<?> stage) {
            try {
                callers.execute(() -> stage.cancel(true));
            } catch (Throwable e) { // the database is closed, or there is no thread; the caller stops other runs too
                stage.cancel(true);
            }
        }

        @Override
        public void resumeHeartbeats(TypeState<JobRun<?>> type) {
            handled(type).resumeLoops();
        }

        @Override
        public void lastClaimEnded() {
            registration.wakeUp();
        }

        @Override
        public void close() {
            var unused = closeAsync();
        }

        @Override
        public void handlersDone() {
            handlersDone.complete(null);
        }

        @Override
        public void checkStarvationIn(Duration time) {
            var unused = schedule(WorkerLifecycle.this::checkStarvation, time);
        }

        @Override
        public void checkStuckIn(JobRun<?> run, Duration time) {
            var unused = schedule(() -> callers.execute(() -> checkStuck(run)), time);
        }

        @Override
        public void suspectHasRunIn(JobRun<?> run, Duration time) {
            var unused = schedule(() -> tell(machine -> machine.suspectHasRun(run)), time);
        }

        @Override
        public void confirmStartsIn(TypeState<JobRun<?>> type, Duration time) {
            var unused = schedule(handled(type)::confirmStarts, time);
        }
    }

    // Threads. They are not kept: a thread begins jobs as long as any can begin, and ends.

    private void runJobs() {
        tell(WorkerStateMachine::threadStarted);
        WorkerLifecycle outer = AT_WORK.get();
        AT_WORK.set(this);
        try {
            for (Optional<JobRun<?>> next = begin(); next.isPresent(); next = begin()) {
                runner.run(next.get());
            }
        } finally {
            finisher.write(List.of()); // in case that the handler's error has ended the thread
            AT_WORK.set(outer);
        }
    }

    private Optional<JobRun<?>> begin() {
        return answer(machine -> {
            Optional<JobRun<?>> next = machine.begin();
            next.ifPresent(JobRun::attachThread);
            return next;
        });
    }

    private void executorRefused(Throwable error) {
        Duration pause = answer(WorkerStateMachine::executorRefused);
        LOG.warn(
                "The executor of a worker refuses its jobs: {}. It is asked again in {}",
                RootCauses.text(error),
                DurationText.of(pause));
        var unused = schedule(() -> tell(WorkerStateMachine::askExecutorAgain), pause);
    }

    private void checkStarvation() {
        if (answer(WorkerStateMachine::checkThread)) {
            executorRefused(new RejectedExecutionException(
                    "It has not begun a task for " + DurationText.of(WorkerStateMachine.BEGINS_WITHIN)));
        }
        tell(WorkerStateMachine::checkStarvation);
    }

    private void checkStuck(JobRun<?> run) {
        Throwable stack = new Throwable("the stack of its thread");
        int stuck = answer(machine -> {
            if (!machine.checkStuck(run)) {
                return 0;
            }
            stack.setStackTrace(run.thread().map(Thread::getStackTrace).orElse(new StackTraceElement[0]));
            return machine.stuck();
        });
        if (stuck > 0) {
            LOG.warn(
                    "The handler of {} still runs {} s after it was told to stop. Its slot is stuck until it returns;"
                            + " {} of {} slots are stuck. A handler must return when it is interrupted, or when its"
                            + " stage is cancelled.",
                    run,
                    WorkerStateMachine.STOP_GRACE_PERIOD.toSeconds(),
                    stuck,
                    concurrency(),
                    stack);
        }
    }

    // Types and limits

    /** Begins to claim, once the orders for the worker are known. */
    public void start() {
        try {
            types.values().forEach(type -> type.serve(acceptors, settings.acceptOptions()));
        } catch (RuntimeException e) { // the instance has been closed meanwhile
            var unused = types.values().stream().map(HandledType::endClaims).toList();
            stop();
            throw e;
        }
        tell(machine -> types.values().forEach(type -> machine.open(type.state())));
        registration.wakeUp(); // the orders let the worker claim
    }

    /** Takes up a further type. */
    public void add(BoundHandler<?, ?> handler) {
        HandledType<?> type = join(new HandlerRegistration<>(handler, OptionalInt.empty(), Optional.empty()));
        try {
            type.serve(acceptors, settings.acceptOptions());
        } catch (RuntimeException e) { // the instance has been closed meanwhile
            tell(machine -> machine.remove(type.state()));
            types.remove(type.type().name());
            throw e;
        }
        boolean isOpen = answer(machine -> {
            machine.open(type.state());
            return !machine.phase().isClosing();
        });
        if (!isOpen) { // a concurrent close has not seen the subscription
            var unused = type.endClaims();
            type.close();
            throw closed();
        }
        type.letClaim();
    }

    private <D> HandledType<D> join(HandlerRegistration<D, ?> handled) {
        String name = handled.handler().type().name();
        synchronized (lock) {
            if (machine.phase().isClosing()) {
                throw closed();
            }
            if (types.containsKey(name)) {
                throw handled.handler().duplicateHandlerError();
            }
            HandledType<D> type = new HandledType<>(this, handled, machine.add(name, handled.limit()), instance);
            types.put(name, type);
            return type;
        }
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("The worker is closed: start another one.");
    }

    /** {@return how many jobs may run at once} */
    public int concurrency() {
        return answer(WorkerStateMachine::slots);
    }

    /** Sets how many jobs may run at once. */
    public void setConcurrency(int jobs) {
        tell(machine -> machine.setSlots(jobs));
        registration.wakeUp(); // the row says how many
    }

    /** Sets how many jobs of a type may run at once. */
    public void setConcurrency(String type, int jobs) {
        HandledType<?> handled = types.get(type);
        if (handled == null) {
            throw new IllegalStateException(
                    "The worker has no handler for type " + type + "; it has handlers for " + typeNames() + ".");
        }
        tell(machine -> machine.setLimit(handled.state(), jobs));
        registration.wakeUp();
    }

    private List<String> typeNames() {
        return List.copyOf(types.keySet());
    }

    /** Runs an action when the worker has ended. */
    public void whenEnded(Runnable action) {
        var unused = ended.whenComplete((done, error) -> action.run());
    }

    /** {@return how many slots handlers occupy that run on long after they were told to stop} */
    public int stuckSlots() {
        return answer(WorkerStateMachine::stuck);
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
            List<String> names = typeNames().stream().limit(REPORTED_TYPES_MAX).toList();
            return answer(machine ->
                    new WorkerRegistration.Report(reported(machine), machine.slots(), machine.running(), names));
        }

        @Override
        public WorkerState state() {
            return answer(OrderedWorker::reported);
        }

        /** A worker runs until its last claim has ended. */
        private static WorkerState reported(WorkerStateMachine<?> machine) {
            return switch (machine.phase()) {
                case STARTING, RUNNING -> WorkerState.RUNNING;
                case PAUSED -> machine.isClaiming() ? WorkerState.RUNNING : WorkerState.PAUSED;
                case DRAINING, CLOSING, STOPPING, DONE ->
                    machine.isClaiming() ? WorkerState.RUNNING : WorkerState.DRAINING;
            };
        }

        @Override
        public void isInLargeFleet(boolean isLarge) {
            types.keySet().forEach(type -> acceptors.inLargeFleet(type, isLarge));
        }

        @Override
        public void obey(boolean isPaused, boolean isDrained) {
            Phase next = isPaused ? Phase.PAUSED : Phase.RUNNING;
            Phase ordered = isDrained ? Phase.DRAINING : next;
            if (answer(machine -> machine.ordered(ordered))) {
                LOG.info("Worker {} obeys an order: {}", settings.identity().name(), ordered);
            }
        }
    }

    // Closing

    /**
     * Ends the worker, and waits for its end unless the current thread runs one of its handlers. Its threads have ended
     * then, except those of handlers that did not end in time.
     */
    public void close() {
        CompletableFuture<Void> ending = closeAsync();
        if (AT_WORK.get() != this) {
            ending.join();
            settings.executorToClose().ifPresent(this::awaitThreads);
        }
    }

    private void awaitThreads(ExecutorService threads) {
        if (answer(WorkerStateMachine::running) > 0) {
            return;
        }
        try {
            threads.awaitTermination(THREAD_END_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the worker; completes when it has ended. */
    public CompletableFuture<Void> closeAsync() {
        if (!answer(WorkerStateMachine::close)) {
            return ended.copy();
        }
        Future<?> timer = schedule(this::releaseAll, settings.shutdownTimeout());
        CompletableFuture<?> claimed = CompletableFuture.allOf(
                types.values().stream().map(HandledType::endClaims).toArray(CompletableFuture<?>[]::new));
        Duration handlersTimeout = Duration.ofNanos(TimerDelays.nanos(settings.shutdownTimeout())); // may be endless
        var unused = within(
                        handlersTimeout.plus(FINAL_WRITE_TIMEOUT), claimed, "A claim is not answered; " + LEASES_LEFT)
                .thenCompose(closed -> handlersDone)
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
        record Left(int unfinished, int others) {}
        Left left = answer(machine -> {
            int held = machine.held();
            Left before = new Left(held, machine.running() - machine.stuck() - held);
            machine.timeIsUp();
            return before;
        });
        if (left.others() > 0) {
            LOG.warn(
                    "Handlers that still run at the end of their worker's shutdown timeout although their jobs have"
                            + " ended or are lost: {}",
                    left.others());
        }
        if (left.unfinished() > 0) {
            LOG.warn(
                    "Unfinished jobs at the end of their worker's shutdown timeout: {}; they are released",
                    left.unfinished());
        }
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
        Future<?> timer = schedule(() -> giveUp(tooLate), timeout);
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
        types.values().forEach(HandledType::close);
        finisher.close();
        settings.executorToClose().ifPresent(ExecutorService::shutdown);
        ended.complete(null);
    }
}
