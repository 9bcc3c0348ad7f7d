package dev.couchjobs.bridge.internal.wiring;

import dev.couchjobs.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Detects that the directory of a running bridge's database was removed or replaced. */
final class DirectoryWatch implements AutoCloseable {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    private final Path directory;
    private final Consumer<String> whenGone;
    private final @Nullable Object identity;
    private final Future<?> timer;

    /**
     * Begins to watch.
     *
     * @param threads threads that may block
     * @param whenGone receives the reason, for people, at each detection
     */
    DirectoryWatch(Path directory, Environment environment, Executor threads, Consumer<String> whenGone) {
        this.directory = directory;
        this.whenGone = whenGone;
        this.identity = identity();
        this.timer = environment
                .scheduler()
                .scheduleWithFixedDelay(
                        () -> threads.execute(this::look),
                        LOOK_EVERY.toSeconds(),
                        LOOK_EVERY.toSeconds(),
                        TimeUnit.SECONDS);
    }

    private void look() {
        if (isGone()) {
            timer.cancel(false);
            whenGone.accept(
                    "the directory " + directory + " was removed or replaced while the bridge ran, so the bridge can"
                            + " store nothing. Put the directory back, as it was, and start the bridge again; without"
                            + " it the bridge begins the steps again that it has begun according to the documents");
        }
    }

    /** Some file systems cannot identify directories; these are not watched. */
    private boolean isGone() {
        try {
            Object now =
                    Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
            return identity != null && now != null && !identity.equals(now);
        } catch (NoSuchFileException gone) {
            return true;
        } catch (IOException unknown) {
            return false;
        }
    }

    private @Nullable Object identity() {
        try {
            return Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public void close() {
        timer.cancel(false);
    }
}
