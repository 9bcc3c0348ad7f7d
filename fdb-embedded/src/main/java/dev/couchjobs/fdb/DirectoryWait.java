package dev.couchjobs.fdb;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.DirectoryInUseException;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens a directory as soon as its holder has closed it. */
final class DirectoryWait {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryWait.class);

    /** The system offers no wait for a file lock that has a time limit, so the lock is tried repeatedly. */
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(100);

    private DirectoryWait() {}

    static Database open(Path path, Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException(
                    "The wait for a directory cannot be negative: " + wait.toMillis() + " ms");
        }
        EngineEnvironment environment = EngineEnvironment.system();
        try {
            return open(path, wait, environment);
        } finally {
            environment.scheduler().shutdownNow();
        }
    }

    private static Database open(Path path, Duration wait, EngineEnvironment environment) {
        long begun = environment.nanoTime().getAsLong();
        boolean isLogged = false;
        while (true) {
            try {
                return Databases.directory(path);
            } catch (DirectoryInUseException e) {
                Duration remaining =
                        wait.minus(Duration.ofNanos(environment.nanoTime().getAsLong() - begun));
                if (remaining.isNegative() || remaining.isZero()) {
                    throw e;
                }
                if (!isLogged) {
                    LOG.info("Waiting up to {} until the directory is free: {}", wait, e.getMessage());
                    isLogged = true;
                }
                pause(environment.scheduler(), remaining.compareTo(BETWEEN_TRIES) < 0 ? remaining : BETWEEN_TRIES, e);
            }
        }
    }

    private static void pause(ScheduledExecutorService scheduler, Duration time, DirectoryInUseException inUse) {
        try {
            scheduler.schedule(() -> {}, time.toNanos(), TimeUnit.NANOSECONDS).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw inUse;
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }
}
