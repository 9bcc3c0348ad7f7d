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

/**
 * A command that has been started: reads what it says, and ends it when its time is over or it is not wanted any more.
 */
final class RunningCommand {
    private static final int BUFFER_BYTES = 8192;

    /** How long after a command's end its output may come, if a process that has left its group keeps that open. */
    private static final Duration DRAIN = Duration.ofSeconds(1);

    /** How long a group may take that is killed. */
    private static final Duration KILLED_WITHIN = Duration.ofSeconds(1);

    /** Above this, a shell's exit status is the number of a signal. */
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
    /** Why it is being ended, once it is. */
    private final AtomicReference<@Nullable String> ending = new AtomicReference<>();

    RunningCommand(Process guard, ProcessTree tree, ShellSettings settings, Environment environment, Executor threads) {
        this.guard = guard;
        this.tree = tree;
        this.grace = settings.grace();
        this.environment = environment;
        this.threads = threads;
        this.output = new BoundedOutput(settings.outputLimit());
    }

    /** {@return when it runs, or has ended before that} */
    CompletableFuture<Void> hasBegun() {
        return hasBegun;
    }

    /** Sees it through: blocks until it has said all, which may be after the result is there. */
    void supervise(Optional<Duration> timeLimit, Stoppable<ActionResult> result) {
        try {
            watch(timeLimit, result);
            read();
        } catch (Throwable e) { // also an error: nothing else ends it
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

    /** {@code Process.onExit} would say so in the common pool, which belongs to everything in the process. */
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

    /** Goes on when nothing more is kept: a command that is not read would be blocked. */
    private void read() {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream said = guard.getInputStream()) {
            said.read();
            hasBegun.complete(null);
            for (int length = said.read(buffer); length >= 0; length = said.read(buffer)) {
                output.write(buffer, length);
            }
        } catch (IOException e) {
            // What it says cannot be read on; its exit status tells how it went.
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
