package dev.couchjobs;

import dev.couchjobs.internal.loop.DaemonThreads;
import dev.couchjobs.internal.loop.GuardedEnvironment;
import dev.couchjobs.internal.loop.SystemTimer;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
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
public record Environment(InstantSource clock, ScheduledExecutorService scheduler, RandomGenerator random)
        implements AutoCloseable {

    /**
     * {@return the system's clock, timers of its own, and secure randomness} The timers have one daemon thread, which
     * starts with the first of them, and ends a second after the last one or with {@link #close}.
     */
    public static Environment system() {
        return new Environment(Clock.systemUTC(), new SystemTimer(), new SecureRandom());
    }

    /**
     * {@return this environment, whose callbacks never throw} Each of them has a substitute while it fails, so that
     * nothing stops in the middle: the clock stands still, and timers and random numbers are the library's own.
     */
    public Environment guarded() {
        return GuardedEnvironment.around(this);
    }

    /**
     * Drops the timers: their thread has ended when this returns. The caller that made an environment closes it after
     * all that uses it. An instance closes only the environment that it made itself.
     */
    @Override
    public void close() {
        if (scheduler instanceof SystemTimer timer) {
            timer.close();
        } else {
            scheduler.shutdownNow();
        }
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
        return VirtualThreads.executor().orElseGet(() -> DaemonThreads.pool("couch-jobs-handler-"));
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
}
