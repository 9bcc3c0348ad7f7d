package dev.couchjobs.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.accept.Acceptors;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.TimerDelays;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lifecycle of one worker: it starts, takes up further types, closes, and ends when it holds no job.
 *
 * <p>Calls go one way: from here to {@link SlotScheduler}, which claims jobs and gives them slots, and from there to
 * {@link TypeRuns}, which hold them until they end. Where a call must go back, the caller below knows a callback alone.
 *
 * <p>Claiming, running and finishing overlap: while handlers run, the next jobs are being claimed and the ends of the
 * last ones written.
 */
public final class JobPool {
    private static final Logger LOG = LoggerFactory.getLogger(JobPool.class);

    /** How long the ends of the last jobs may take to be written. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(10);

    private final Environment environment;
    private final Instance instance;
    private final Acceptors acceptors;
    private final WorkerSettings settings;
    /** Runs the callbacks of users, which may block. */
    private final Executor callers;

    /** Grows while the lock is held. */
    private final List<TypeQueue<?>> queues = new CopyOnWriteArrayList<>();

    private final SlotScheduler scheduler;
    private final CompletableFuture<Void> nothingHeld = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** The lock of this worker, its scheduler and its runs. With it held, no code outside is called. */
    private final Object lock = new Object();

    private final ActivityRows activities = new ActivityRows(lock);
    private final LostSlots lostSlots;

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
        this.scheduler = new SlotScheduler(lock, instance, settings);
        registrations.forEach(assignment -> queues.add(queueOf(assignment)));
    }

    private <D> TypeQueue<D> queueOf(HandlerRegistration<D, ?> registration) {
        TypeRuns<D> runs = new TypeRuns<>(
                lock, registration.handler().type(), activities, lostSlots, instance, this::checkNothingHeld);
        return scheduler.queue(registration, runs);
    }

    /** Begins to claim. */
    public void start() {
        try {
            queues.forEach(queue -> scheduler.serve(queue, acceptors, settings.wanted()));
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
            scheduler.serve(queue, acceptors, settings.wanted());
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

    /** Has something done when this has ended. */
    public void whenEnded(Runnable action) {
        var unused = ended.whenComplete((done, error) -> action.run());
    }

    /** {@return how many slots are taken by handlers that go on long after they were told to stop} */
    public int lostSlots() {
        return lostSlots.count();
    }

    // Closing

    /** Ends it, and waits for that unless a handler of its own calls. */
    public void close() {
        CompletableFuture<Void> ending = closeAsync();
        if (!scheduler.isCalledByHandler()) {
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
            scheduler.close();
            lostSlots.close();
        }
        queues.forEach(scheduler::releaseWaiting);
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
}
