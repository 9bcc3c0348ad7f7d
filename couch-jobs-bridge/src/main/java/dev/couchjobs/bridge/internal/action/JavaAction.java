package dev.couchjobs.bridge.internal.action;

import dev.couchjobs.Environment;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.bridge.StepContext;
import dev.couchjobs.bridge.StepHandler;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;

/** Calls a handler on a thread of its own. */
final class JavaAction implements Action {
    /** How long a handler may take to end once it was interrupted. */
    static final Duration GRACE = Duration.ofSeconds(10);

    private final StepHandler handler;
    private final JsonNode data;
    private final Environment environment;
    private final Executor threads;

    JavaAction(StepHandler handler, JsonNode data, Environment environment, Executor threads) {
        this.handler = handler;
        this.data = data;
        this.environment = environment;
        this.threads = threads;
    }

    @Override
    public CompletableFuture<ActionResult> run(Occasion occasion) {
        CompletableFuture<ActionResult> outcome = new CompletableFuture<>();
        CompletableFuture<Void> hasBegun = new CompletableFuture<>();
        FutureTask<Void> call = new FutureTask<>(
                () -> {
                    hasBegun.complete(null);
                    outcome.complete(call(occasion));
                },
                null);
        // A call that is cancelled before it has begun never would, and nobody would learn of it.
        Runnable interrupt = () -> Futures.whenEnded(hasBegun, () -> call.cancel(true));
        CompletableFuture<ActionResult> result = occasion.timeout()
                .map(limit -> within(limit, outcome, interrupt))
                .orElseGet(outcome::copy);
        Futures.whenEnded(result, () -> {
            if (result.isCancelled()) {
                interrupt.run();
            }
        });
        threads.execute(call);
        return result;
    }

    /**
     * A handler whose time is over has failed, whatever it still returns. As long as it may be running, nobody is to try
     * again.
     */
    private CompletableFuture<ActionResult> within(
            Duration limit, CompletableFuture<ActionResult> outcome, Runnable interrupt) {
        CompletableFuture<ActionResult> result = new CompletableFuture<>();
        String late = "it took longer than " + Durations.text(limit);
        CompletableFuture<Void> isLate = new CompletableFuture<>();
        Future<?> limitTimer = after(limit, () -> {
            isLate.complete(null);
            interrupt.run();
        });
        Future<?> graceTimer = after(
                limit.plus(GRACE),
                () -> result.complete(
                        ActionResult.refused(
                                late
                                        + ", was interrupted and still did not end; it is not tried again, since it may be running yet")));
        Futures.whenEnded(result, () -> {
            limitTimer.cancel(false);
            graceTimer.cancel(false);
        });
        var unused = outcome.thenAccept(
                ended -> result.complete(isLate.isDone() ? ActionResult.failed(late + " and was interrupted") : ended));
        return result;
    }

    private ActionResult call(Occasion occasion) {
        try {
            Optional<String> said = handler.run(
                    new StepContext(occasion.documentId(), occasion.step(), occasion.node(), occasion.attempt(), data));
            BoundedOutput output = new BoundedOutput(ShellSettings.DEFAULT_OUTPUT_LIMIT);
            byte[] bytes = said.orElse("").getBytes(StandardCharsets.UTF_8);
            output.write(bytes, bytes.length);
            return ActionResult.succeeded().withOutput(output.text(), output.isCut());
        } catch (PermanentFailureException e) {
            return ActionResult.refused(reasonOf(e));
        } catch (Throwable e) {
            return ActionResult.failed(reasonOf(e));
        }
    }

    private static String reasonOf(Throwable error) {
        return Optional.ofNullable(error.getMessage())
                .filter(message -> !message.isBlank())
                .orElseGet(() -> error.getClass().getName());
    }

    private Future<?> after(Duration delay, Runnable task) {
        return environment.scheduler().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }
}
