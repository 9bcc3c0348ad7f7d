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
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
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
    public CompletableFuture<ActionResult> run(ActionContext context) {
        Call call = new Call(context);
        call.start();
        return call.result;
    }

    /** One call of the handler, which is complete when the handler has returned, or does not heed its interrupt. */
    private final class Call {
        private final ActionContext context;
        private final Stoppable<ActionResult> result = new Stoppable<>();
        private final CompletableFuture<Void> hasBegun = new CompletableFuture<>();
        private final FutureTask<Void> task = new FutureTask<>(this::run, null);
        /** Why it is being ended, once it is. */
        private final AtomicReference<@Nullable String> ending = new AtomicReference<>();

        Call(ActionContext context) {
            this.context = context;
        }

        void start() {
            context.timeout().ifPresent(limit -> {
                Future<?> timer = after(limit, () -> end("it took longer than " + DurationText.text(limit)));
                FutureCallbacks.whenEnded(result, () -> timer.cancel(false));
            });
            result.whenStopped(() -> end("it was cancelled"));
            threads.execute(task);
        }

        /** A handler that is being ended has failed, whatever it still returns. */
        private void run() {
            hasBegun.complete(null);
            ActionResult said = call(context);
            String why = ending.get();
            result.complete(why == null ? said : ActionResult.failed(why + " and was interrupted"));
        }

        /** While it may be running, no node may try again. */
        private void end(String why) {
            if (!ending.compareAndSet(null, why)) {
                return;
            }
            // A call that is cancelled before it has begun never would, and no caller would learn of it.
            FutureCallbacks.whenEnded(hasBegun, () -> task.cancel(true));
            Future<?> grace = after(
                    GRACE,
                    () -> threads.execute(() -> result.complete(ActionResult.refused(why
                            + ", was interrupted and still did not end; it is not tried"
                            + " again, since it may be running yet"))));
            FutureCallbacks.whenEnded(result, () -> grace.cancel(false));
        }
    }

    private ActionResult call(ActionContext context) {
        try {
            Optional<String> said = handler.run(
                    new StepContext(context.documentId(), context.step(), context.node(), context.attempt(), data));
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
