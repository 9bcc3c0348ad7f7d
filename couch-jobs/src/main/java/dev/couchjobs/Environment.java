package dev.couchjobs;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/**
 * The one gate through which couch-jobs meets the outside world, apart from the database itself: nothing else in the
 * library reads a clock, sets a timer, starts a thread or draws a random number. Tests put virtual time here.
 *
 * @param clock decides when a scheduled job is due, and nothing else: leases do not depend on it
 * @param scheduler runs timers and the first step of background work; it is never blocked, one thread is enough
 * @param random draws job locks, jitter and places in the queue; must be safe for use by several threads, and hard to
 *     guess wherever locks are to be
 */
public record Environment(InstantSource clock, ScheduledExecutorService scheduler, RandomGenerator random) {

    /** {@return the system's clock, a daemon thread for timers that all instances share, and secure randomness} */
    public static Environment system() {
        return new Environment(Clock.systemUTC(), SystemTimer.SHARED, new SecureRandom());
    }

    /** What this process is called where its jobs are looked at: its host, as the system names it, and its number. */
    static String processName() {
        return hostName() + "-" + ProcessHandle.current().pid();
    }

    /** {@return the host of this process, as the system names it} */
    static String hostName() {
        return Optional.ofNullable(System.getenv("HOSTNAME")).orElse("localhost");
    }

    /** {@return threads for handlers, which may block: virtual ones where the running Java has them} */
    public static ExecutorService handlerThreads() {
        return VirtualThreads.executor().orElseGet(() -> {
            AtomicInteger started = new AtomicInteger();
            return Executors.newCachedThreadPool(task -> {
                Thread thread = new Thread(task, "couch-jobs-handler-" + started.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            });
        });
    }

    /** Found by their names: this is compiled for a Java that does not have them. */
    private static final class VirtualThreads {
        static Optional<ExecutorService> executor() {
            try {
                Object made = Executors.class
                        .getMethod("newVirtualThreadPerTaskExecutor")
                        .invoke(null);
                return Optional.of((ExecutorService) made);
            } catch (ReflectiveOperationException e) {
                return Optional.empty();
            }
        }
    }

    /** Starts its thread with the first timer. */
    private static final class SystemTimer {
        static final ScheduledExecutorService SHARED = create();

        private static ScheduledExecutorService create() {
            ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
                Thread thread = new Thread(task, "couch-jobs-timer");
                thread.setDaemon(true);
                return thread;
            });
            timer.setRemoveOnCancelPolicy(true);
            return timer;
        }
    }
}
