package dev.couchjobs.bridge.internal.action;

import dev.couchjobs.Environment;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A command that has been started: reads its output, and ends it on a timeout or a cancellation. */
final class RunningCommand {
    private static final int BUFFER_BYTES = 8192;

    /** How long the output is read after the end of a command, if a process outside its group keeps it open. */
    private static final Duration DRAIN = Duration.ofSeconds(1);

    /** How long a killed group may take to end. */
    private static final Duration KILLED_WITHIN = Duration.ofSeconds(1);

    /** Exit statuses of a shell above this value stand for signals. */
    private static final int SIGNALS = 128;

    static final String CANCELLED = "cancelled";

    private final Process guard;
    private final ProcessTree tree;
    private final Duration grace;
    private final Environment environment;
    private final Executor threads;
    private final BoundedOutput output;
    private final CompletableFuture<Void> hasBegun = new CompletableFuture<>();
    private final CompletableFuture<Void> isRead = new CompletableFuture<>();
    private final CompletableFuture<Void> hasEnded = new CompletableFuture<>();
    /** Why the command is being ended, if it is. */
    private final AtomicReference<@Nullable String> ending = new AtomicReference<>();

    RunningCommand(Process guard, ProcessTree tree, ShellSettings settings, Environment environment, Executor threads) {
        this.guard = guard;
        this.tree = tree;
        this.grace = settings.grace();
        this.environment = environment;
        this.threads = threads;
        this.output = new BoundedOutput(settings.outputLimit());
    }

    /** {@return completes when the command runs, or has ended before} */
    CompletableFuture<Void> hasBegun() {
        return hasBegun;
    }

    /** Blocks until the output has ended, which may be after the result is complete. */
    void supervise(Optional<Duration> timeLimit, Stoppable<ActionResult> result) {
        try {
            watch(timeLimit, result);
            read();
        } catch (Throwable e) { // also an error, after which the command would run on
            tree.killEach();
            throw e;
        }
    }

    private void watch(Optional<Duration> timeLimit, Stoppable<ActionResult> result) {
        Optional<Future<?>> limit = timeLimit.map(
                time -> after(time, () -> end("it took longer than " + DurationText.text(time) + " and was ended")));
        FutureCallbacks.whenEnded(result, () -> limit.ifPresent(timer -> timer.cancel(false)));
        result.whenStopped(() -> end(CANCELLED));
        FutureCallbacks.whenEnded(hasEnded, () -> ended(result));
        threads.execute(this::awaitEnd);
    }

    /**
     * Waits for the end of the process. {@code Process.onExit} would use the common pool, which the whole process
     * shares.
     */
    private void awaitEnd() {
        boolean isInterrupted = false;
        while (guard.isAlive()) {
            try {
                guard.waitFor();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        hasEnded.complete(null);
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void ended(CompletableFuture<ActionResult> result) {
        if (ending.get() != null) {
            tree.killSeen();
        }
        Future<?> drained = after(DRAIN, () -> threads.execute(() -> isRead.complete(null)));
        FutureCallbacks.whenEnded(isRead, () -> {
            drained.cancel(false);
            result.complete(resultOf(guard.exitValue()));
        });
    }

    /** Continues to read when the limit of the output is reached, because the command would block otherwise. */
    private void read() {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream said = guard.getInputStream()) {
            said.read();
            hasBegun.complete(null);
            for (int length = said.read(buffer); length >= 0; length = said.read(buffer)) {
                output.write(buffer, length);
            }
        } catch (IOException e) {
            // The output cannot be read any further; the exit status still shows the result.
        } finally {
            hasBegun.complete(null);
            isRead.complete(null);
        }
    }

    private void end(String why) {
        if (guard.isAlive() && ending.compareAndSet(null, why)) {
            FutureCallbacks.whenEnded(hasBegun, () -> threads.execute(tree::terminate));
            Future<?> kill = after(grace, () -> threads.execute(tree::kill));
            Future<?> killEach = after(grace.plus(KILLED_WITHIN), () -> threads.execute(tree::killEach));
            FutureCallbacks.whenEnded(hasEnded, () -> {
                kill.cancel(false);
                killEach.cancel(false);
            });
        }
    }

    private ActionResult resultOf(int status) {
        ActionResult result = Optional.ofNullable(ending.get())
                .map(ActionResult::failed)
                .orElseGet(() -> status == 0 ? ActionResult.succeeded() : ActionResult.failed(reasonOf(status)));
        return result.withStatus(status).withOutput(output.text(), output.isCut());
    }

    private static String reasonOf(int status) {
        return "exit status " + status + (status > SIGNALS ? " (ended by signal " + (status - SIGNALS) + ")" : "");
    }

    private Future<?> after(Duration delay, Runnable task) {
        return environment.scheduler().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }
}
