package dev.couchjobs;

import dev.couchjobs.internal.accept.Acceptors;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.observe.MiddlewareChain;
import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.schedules.ScheduleRequest;
import dev.couchjobs.internal.worker.BoundHandler;
import dev.couchjobs.internal.worker.HandlerRegistration;
import dev.couchjobs.internal.worker.ScheduleDeclarations;
import dev.couchjobs.internal.worker.WorkerLifecycle;
import dev.couchjobs.internal.worker.WorkerSettings;
import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Which jobs a worker runs, and how; made by {@link CouchJobs#worker}. */
public final class WorkerBuilder {
    private static final int CONCURRENCY = 16;
    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(30);
    private static final int LONG_TRANSACTION_TRIES = 3;

    private static final String LIBRARY_VERSION = Optional.ofNullable(
                    WorkerBuilder.class.getPackage().getImplementationVersion())
            .orElse("unknown");

    private final Instance instance;
    private final String host;
    private final Acceptors acceptors;
    private final Consumer<WorkerLifecycle> started;
    private final Map<String, BoundHandler<?, ?>> handlers = new LinkedHashMap<>();
    private final Map<String, Integer> limits = new LinkedHashMap<>();
    private final Map<String, Duration> timeLimits = new LinkedHashMap<>();
    private final Map<String, ScheduleRequest> schedules = new LinkedHashMap<>();
    private int concurrency = CONCURRENCY;
    private AcceptOptions acceptOptions = AcceptOptions.defaults();
    private Duration shutdownTimeout = SHUTDOWN_TIMEOUT;
    private int longTransactionTries = LONG_TRANSACTION_TRIES;
    private final List<JobMiddleware> middleware = new ArrayList<>();
    private @Nullable Executor executor;
    private String name;

    WorkerBuilder(Instance instance, String host, Acceptors acceptors, Consumer<WorkerLifecycle> started) {
        this.instance = instance;
        this.host = host;
        this.name = instance.name();
        this.acceptors = acceptors;
        this.started = started;
    }

    /**
     * The name by which {@link Workers} lists and steers the worker; by default that of the instance, which the history
     * of its jobs shows. All workers of a deployment may have one name.
     *
     * @param name a name of 1 to 200 characters, well-formed
     * @return this builder
     * @throws IllegalArgumentException if it is empty, longer or no well-formed text, or has a control character
     */
    public WorkerBuilder name(String name) {
        this.name = Name.WORKER.checked(name);
        return this;
    }

    /**
     * Runs the jobs of a type by a handler that returns their result.
     *
     * @param type the type
     * @param handler may block; called by several threads at once
     * @param <D> the type of the jobs' data
     * @param <R> the type of their results
     * @return this builder
     * @throws IllegalArgumentException if the type has a handler already
     */
    public <D, R> WorkerBuilder handle(JobType<D, R> type, JobHandler<D, R> handler) {
        return add(BoundHandler.blocking(type, handler));
    }

    /**
     * Runs the jobs of a type that have no result.
     *
     * @param type the type
     * @param processor may block; called by several threads at once
     * @param <D> the type of the jobs' data
     * @return this builder
     * @throws IllegalArgumentException if the type has a handler already
     */
    public <D> WorkerBuilder process(JobType<D, Void> type, JobProcessor<D> processor) {
        return add(BoundHandler.processing(type, processor));
    }

    /**
     * Runs the jobs of a type by a handler that does not block.
     *
     * @param type the type
     * @param handler begins to work on a job; its stage ends the job
     * @param <D> the type of the jobs' data
     * @param <R> the type of their results
     * @return this builder
     * @throws IllegalArgumentException if the type has a handler already
     */
    public <D, R> WorkerBuilder handleAsync(JobType<D, R> type, AsyncJobHandler<D, R> handler) {
        return add(BoundHandler.async(type, handler));
    }

    private WorkerBuilder add(BoundHandler<?, ?> boundHandler) {
        if (handlers.putIfAbsent(boundHandler.type().name(), boundHandler) != null) {
            throw boundHandler.duplicateHandlerError();
        }
        return this;
    }

    /**
     * How many jobs may run at once in this worker, of all types together; by default {@value #CONCURRENCY}. Fewer run
     * while their data takes more than an eighth of the heap.
     *
     * @param jobs at least one
     * @return this builder
     * @throws IllegalArgumentException if it is less
     */
    public WorkerBuilder concurrency(int jobs) {
        concurrency = atLeastOne(jobs);
        return this;
    }

    /**
     * How many jobs of one type may run at once in this worker; by default as many as may run at all.
     *
     * @param type the type
     * @param jobs at least one
     * @return this builder
     * @throws IllegalArgumentException if it is less
     */
    public WorkerBuilder concurrency(JobType<?, ?> type, int jobs) {
        limits.put(type.name(), atLeastOne(jobs));
        return this;
    }

    /**
     * Keeps a part of what this worker claims for jobs of lower priorities, so that a stream of high ones does not let
     * them wait forever; by default nothing, and the order of priorities is strict. See
     * {@link AcceptOptions#lowPriorityShare}.
     *
     * @param share from 0 to 1
     * @return this builder
     * @throws IllegalArgumentException if it is anything else
     */
    public WorkerBuilder lowPriorityShare(double share) {
        acceptOptions = acceptOptions.lowPriorityShare(share);
        return this;
    }

    static int atLeastOne(int jobs) {
        if (jobs < 1) {
            throw new IllegalArgumentException("A worker runs at least one job at once; the limit is " + jobs + ".");
        }
        return jobs;
    }

    /**
     * How long a handler of one type may take; by default without limit. When the time is up, a blocking handler is
     * interrupted, and the attempt has failed.
     *
     * @param type the type
     * @param limit more than zero, at most 36,500 days
     * @return this builder
     * @throws IllegalArgumentException if it is not
     */
    public WorkerBuilder timeLimit(JobType<?, ?> type, Duration limit) {
        timeLimits.put(type.name(), Durations.positive("timeLimit", limit));
        return this;
    }

    /**
     * How long the jobs that run when the worker is closed may take to come to their end; by default 30 seconds.
     *
     * @param time zero or more
     * @return this builder
     * @throws IllegalArgumentException if it is negative
     */
    public WorkerBuilder shutdownTimeout(Duration time) {
        shutdownTimeout = Durations.limit("shutdownTimeout", time);
        return this;
    }

    /**
     * How many tries of one transaction of a handler ({@link JobContext#run} or {@link JobContext#finish}) may take
     * longer than FoundationDB's five seconds allow, before it fails with {@link TransactionTooLongException}; by
     * default {@value #LONG_TRANSACTION_TRIES}. Tries that fail of anything else, such as conflicts, are not counted.
     *
     * @param tries at least one
     * @return this builder
     * @throws IllegalArgumentException if it is less
     */
    public WorkerBuilder longTransactionTries(int tries) {
        if (tries < 1) {
            throw new IllegalArgumentException("longTransactionTries must be at least 1; it is " + tries + ".");
        }
        longTransactionTries = tries;
        return this;
    }

    /**
     * What runs the handlers; by default threads of the worker's own, virtual ones where the Java runtime has them.
     *
     * @param executor is handed no more tasks at once than jobs may run, and asked again in a second if it refuses one;
     *     not shut down by the worker
     * @return this builder
     */
    public WorkerBuilder executor(Executor executor) {
        this.executor = Objects.requireNonNull(executor, "executor");
        return this;
    }

    /**
     * Adds middleware around the attempts of this worker, within that of the instance. Its {@link JobMiddleware#add} is
     * not called.
     *
     * @param middleware the middleware; the first that is added is the outermost
     * @return this builder
     */
    public WorkerBuilder middleware(JobMiddleware middleware) {
        this.middleware.add(Objects.requireNonNull(middleware, "middleware"));
        return this;
    }

    /**
     * Declares a schedule of jobs that this worker runs. The worker puts it when it starts, as {@link Schedules#put}
     * does, and tries again until that succeeds. So a deploy puts new schedules and replaces changed ones. While old
     * and new processes run side by side, the declaration of the process that has started last counts. A schedule that
     * is no longer declared stays: remove it by {@link Schedules#remove}.
     *
     * @param schedule the schedule
     * @return this builder
     * @throws IllegalArgumentException if this worker declares a schedule with the name already
     */
    public WorkerBuilder schedule(Schedule schedule) {
        if (schedules.putIfAbsent(schedule.name(), schedule.request()) != null) {
            throw new IllegalArgumentException(
                    "This worker declares schedule " + schedule.name() + " twice: give one of them another name.");
        }
        return this;
    }

    /**
     * Starts the worker, which claims nothing while its name is paused ({@link Workers#pause}). None of its threads
     * keeps the Java runtime from ending: a program that has nothing else to do waits for what is to end it, and then
     * closes the worker.
     *
     * @return the worker, to be closed when it is to end
     * @throws IllegalArgumentException if another worker of the same CouchJobs runs jobs of one of the types by another
     *     retry policy or retention
     * @throws IllegalStateException if there is no handler, or a limit or a schedule for a type without one
     * @throws CouchJobsClosedException if the instance is closed
     */
    public Worker start() {
        checkLimited(limits, "concurrency");
        checkLimited(timeLimits, "timeLimit");
        schedules.forEach((name, schedule) -> checkLimited(Map.of(schedule.typeName(), name), "schedule"));
        if (handlers.isEmpty()) {
            throw new IllegalStateException("A worker needs a handler: call handle, process or handleAsync.");
        }
        List<? extends HandlerRegistration<?, ?>> registrations =
                handlers.values().stream().map(this::assignment).toList();
        WorkerLifecycle lifecycle = new WorkerLifecycle(instance, acceptors, settings(), registrations);
        started.accept(lifecycle);
        lifecycle.start();
        if (!schedules.isEmpty()) {
            ScheduleDeclarations declarations = new ScheduleDeclarations(instance, schedules.values());
            lifecycle.whenEnded(declarations::close);
            declarations.put();
        }
        return new Worker(lifecycle);
    }

    private WorkerSettings settings() {
        WorkerSettings.Identity identity = new WorkerSettings.Identity(name, host, LIBRARY_VERSION);
        MiddlewareChain chain = instance.middleware().with(middleware);
        Optional<ExecutorService> own = executor == null ? Optional.of(Environment.handlerThreads()) : Optional.empty();
        Executor threads = executor == null ? own.orElseThrow() : executor;
        return new WorkerSettings(
                identity, concurrency, acceptOptions, shutdownTimeout, longTransactionTries, chain, threads, own);
    }

    private <D, R> HandlerRegistration<D, R> assignment(BoundHandler<D, R> boundHandler) {
        String name = boundHandler.type().name();
        return new HandlerRegistration<>(
                boundHandler,
                limits.containsKey(name) ? OptionalInt.of(limits.get(name)) : OptionalInt.empty(),
                Optional.ofNullable(timeLimits.get(name)));
    }

    private void checkLimited(Map<String, ?> limited, String setting) {
        for (String name : limited.keySet()) {
            if (!handlers.containsKey(name)) {
                throw new IllegalStateException("There is a " + setting + " for type " + name
                        + ", but no handler; this worker has handlers for " + handlers.keySet() + ".");
            }
        }
    }
}
