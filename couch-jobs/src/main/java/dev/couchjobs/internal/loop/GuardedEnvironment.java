package dev.couchjobs.internal.loop;

import dev.couchjobs.Environment;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An environment that never throws, around one whose clock, timers and randomness may throw anything. Each of them has
 * a substitute, so that no caller needs to expect a failure in the middle of its work. A failure is logged once a
 * minute for each callback.
 */
public final class GuardedEnvironment {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedEnvironment.class);
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");
    private static final String EXECUTOR = "executor of the database";

    private final GuardedClock clock;
    private final Environment guarded;

    private GuardedEnvironment(Environment given) {
        clock = new GuardedClock(given.clock());
        guarded = new Environment(clock, new GuardedScheduler(given.scheduler()), new GuardedRandom(given.random()));
    }

    /** {@return an environment that never throws} */
    public static Environment around(Environment given) {
        return given.scheduler() instanceof GuardedScheduler ? given : new GuardedEnvironment(given).guarded;
    }

    /** {@return whether time passes only while a thread runs scheduled tasks: the clock is the scheduler, too} */
    public static boolean isTimeVirtual(Environment environment) {
        if (environment.scheduler() instanceof GuardedScheduler scheduler
                && environment.clock() instanceof GuardedClock clock) {
            return scheduler.given == (Object) clock.given;
        }
        return environment.scheduler() == (Object) environment.clock();
    }

    /**
     * {@return an executor that refuses nothing: what another one refuses runs on the timers of the environment}
     *
     * @param environment a guarded one
     */
    public static Executor around(Supplier<Executor> given, Environment environment) {
        return task -> {
            Once once = new Once(task);
            try {
                given.get().execute(once);
            } catch (Throwable e) {
                Instant now = environment.clock().instant();
                CallbackLog.warn(LOG, environment, now, EXECUTOR, "the timers of the environment run the task", e);
                environment.scheduler().execute(once);
            }
        };
    }

    /** {@return an executor that refuses nothing: what another one refuses runs on timers of the library} */
    public static Executor around(Supplier<Executor> given) {
        return around(given, Own.GUARDED);
    }

    private void failed(String callback, String substitute, Throwable error) {
        CallbackLog.warn(LOG, guarded, clock.lastTold(), callback, substitute, error);
    }

    /** A task that runs once, although an executor may take it, and then throw. */
    private static final class Once implements Runnable {
        private final AtomicBoolean hasRun = new AtomicBoolean();
        private final Runnable task;

        Once(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            if (!hasRun.getAndSet(true)) {
                task.run();
            }
        }
    }

    /** Stands still while the given clock fails. Before that has told a time, the system's clock does. */
    private final class GuardedClock implements InstantSource {
        private final InstantSource given;
        private volatile @Nullable Instant last;

        GuardedClock(InstantSource given) {
            this.given = given;
        }

        @Override
        public Instant instant() {
            try {
                Instant now = inRange(Objects.requireNonNull(given.instant(), "instant"));
                last = now;
                return now;
            } catch (Throwable e) {
                failed("clock of the environment", "stands still", e);
                return lastTold();
            }
        }

        /** Rows have times from 1970 on, in milliseconds. */
        private Instant inRange(Instant shown) {
            if (!shown.isBefore(Instant.EPOCH) && !shown.isAfter(LATEST)) {
                return shown;
            }
            failed(
                    "clock of the environment",
                    "counts as one that shows the nearest time from 1970 to 9999",
                    new IllegalStateException("It shows " + shown + "."));
            return shown.isBefore(Instant.EPOCH) ? Instant.EPOCH : LATEST;
        }

        Instant lastTold() {
            Instant told = last;
            return told == null ? Own.SYSTEM.clock().instant() : told;
        }
    }

    /** Draws from a secure generator of the library's while the given one fails. */
    private final class GuardedRandom implements RandomGenerator {
        private final RandomGenerator given;

        GuardedRandom(RandomGenerator given) {
            this.given = given;
        }

        private <T> T draw(Function<RandomGenerator, T> number) {
            try {
                return number.apply(given);
            } catch (Throwable e) {
                failed("random generator of the environment", "the library draws from one of its own", e);
                return number.apply(Own.SYSTEM.random());
            }
        }

        @Override
        public long nextLong() {
            return draw(RandomGenerator::nextLong);
        }

        @Override
        public long nextLong(long bound) {
            return draw(generator -> generator.nextLong(bound));
        }

        @Override
        public long nextLong(long origin, long bound) {
            return draw(generator -> generator.nextLong(origin, bound));
        }

        @Override
        public int nextInt() {
            return draw(RandomGenerator::nextInt);
        }

        @Override
        public int nextInt(int bound) {
            return draw(generator -> generator.nextInt(bound));
        }

        @Override
        public int nextInt(int origin, int bound) {
            return draw(generator -> generator.nextInt(origin, bound));
        }

        @Override
        public double nextDouble() {
            return draw(RandomGenerator::nextDouble);
        }

        @Override
        public boolean nextBoolean() {
            return draw(RandomGenerator::nextBoolean);
        }

        @Override
        public void nextBytes(byte[] bytes) {
            draw(generator -> {
                generator.nextBytes(bytes);
                return bytes;
            });
        }
    }

    /** The substitutes, made when the first of them is needed. The timers have a thread only while there are some. */
    private static final class Own {
        static final Environment SYSTEM = Environment.system();
        static final Environment GUARDED = SYSTEM.guarded();

        private Own() {}
    }

    /** Uses timers of the library's while the given ones refuse, unless they were shut down. */
    private final class GuardedScheduler extends AbstractExecutorService implements ScheduledExecutorService {
        private final ScheduledExecutorService given;

        GuardedScheduler(ScheduledExecutorService given) {
            this.given = given;
        }

        private <T> T schedule(Function<ScheduledExecutorService, T> task) {
            try {
                return task.apply(given);
            } catch (RejectedExecutionException e) {
                if (given.isShutdown()) {
                    throw e; // its owner has shut it down, and ends what needs it
                }
                failed("scheduler of the environment", "timers of the library take its place", e);
                return task.apply(Own.SYSTEM.scheduler());
            } catch (Throwable e) {
                failed("scheduler of the environment", "timers of the library take its place", e);
                return task.apply(Own.SYSTEM.scheduler());
            }
        }

        private <V> ScheduledFuture<V> timer(Function<ScheduledExecutorService, ScheduledFuture<V>> task) {
            return schedule(timers -> new GuardedTimer<>(Objects.requireNonNull(task.apply(timers), "timer")));
        }

        @Override
        public void execute(Runnable task) {
            Once once = new Once(task);
            schedule(timers -> {
                timers.execute(once);
                return once;
            });
        }

        @Override
        @SuppressWarnings("unchecked") // a timer of a task without a value
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            Once once = new Once(task);
            return timer(timers -> (ScheduledFuture<Object>) timers.schedule(once, delay, unit));
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
            return timer(timers -> timers.schedule(task, delay, unit));
        }

        @Override
        @SuppressWarnings("unchecked") // a timer of a task without a value
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long first, long period, TimeUnit unit) {
            return timer(timers -> (ScheduledFuture<Object>) timers.scheduleAtFixedRate(task, first, period, unit));
        }

        @Override
        @SuppressWarnings("unchecked") // a timer of a task without a value
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long delay, TimeUnit unit) {
            return timer(timers -> (ScheduledFuture<Object>) timers.scheduleWithFixedDelay(task, first, delay, unit));
        }

        @Override
        public void shutdown() {
            given.shutdown();
        }

        @Override
        public List<Runnable> shutdownNow() {
            return given.shutdownNow();
        }

        @Override
        public boolean isShutdown() {
            return given.isShutdown();
        }

        @Override
        public boolean isTerminated() {
            return given.isTerminated();
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
            return given.awaitTermination(timeout, unit);
        }
    }

    /** A timer whose cancellation may throw. The timer goes off then, and its owner ignores that. */
    private final class GuardedTimer<V> implements ScheduledFuture<V> {
        private final ScheduledFuture<V> given;

        GuardedTimer(ScheduledFuture<V> given) {
            this.given = given;
        }

        @Override
        public boolean cancel(boolean mayInterrupt) {
            try {
                return given.cancel(mayInterrupt);
            } catch (Throwable e) {
                failed("timer of the environment", "goes off although it was cancelled", e);
                return false;
            }
        }

        @Override
        public boolean isCancelled() {
            return given.isCancelled();
        }

        @Override
        public boolean isDone() {
            return given.isDone();
        }

        @Override
        public V get() throws InterruptedException, ExecutionException {
            return given.get();
        }

        @Override
        public V get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
            return given.get(timeout, unit);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return given.getDelay(unit);
        }

        @Override
        public int compareTo(Delayed other) {
            return given.compareTo(other);
        }
    }
}
