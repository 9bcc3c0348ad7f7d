package dev.couchjobs.bridge.internal.action;

import dev.couchjobs.Environment;
import dev.couchjobs.PermanentFailureException;
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
import tools.jackson.databind.ObjectMapper;

/** Calls a handler on its own thread. */
final class JavaAction implements Action {
    /** The time within which an interrupted handler should return. */
    static final Duration GRACE = Duration.ofSeconds(10);

    private final StepHandler handler;
    private final JsonNode data;
    private final ObjectMapper mapper;
    private final Environment environment;
    private final Executor threads;

    JavaAction(StepHandler handler, JsonNode data, ObjectMapper mapper, Environment environment, Executor threads) {
        this.handler = handler;
        this.data = data;
        this.mapper = mapper;
        this.environment = environment;
        this.threads = threads;
    }

    @Override
    public CompletableFuture<ActionResult> run(ActionContext context) {
        Call call = new Call(context);
        call.start();
        return call.result;
    }

    /** One call of the handler. It completes when the handler has returned, or ignores its interrupt. */
    private final class Call {
        private final ActionContext context;
        private final Stoppable<ActionResult> result = new Stoppable<>();
        private final CompletableFuture<Void> hasBegun = new CompletableFuture<>();
        private final FutureTask<Void> task = new FutureTask<>(this::run, null);
        /** Why the handler was interrupted, if it was. */
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

        /** A handler that was interrupted has failed, whatever it returns. */
        private void run() {
            hasBegun.complete(null);
            ActionResult said = call(context);
            String why = ending.get();
            result.complete(why == null ? said : ActionResult.failed(why + " and was interrupted"));
        }

        /** Ends the call after the handler has ended, so that no node tries again before. */
        private void end(String why) {
            if (!ending.compareAndSet(null, why)) {
                return;
            }
            // A task that is cancelled before it runs would never complete the call.
            FutureCallbacks.whenEnded(hasBegun, () -> task.cancel(true));
            Future<?> grace = after(
                    GRACE,
                    () -> threads.execute(() -> result.complete(ActionResult.refused(why
                            + ", was interrupted and has not ended; it is not tried again, because it may still"
                            + " be running"))));
            FutureCallbacks.whenEnded(result, () -> grace.cancel(false));
        }
    }

    private ActionResult call(ActionContext context) {
        try {
            Optional<String> said = handler.run(new HandledStep(
                    context.documentId(), context.step(), context.node(), context.attempt(), data, mapper));
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

    /** The error may be of a class of the user's, whose message cannot be had. */
    private static String reasonOf(Throwable error) {
        try {
            return Optional.ofNullable(error.getMessage())
                    .filter(message -> !message.isBlank())
                    .orElseGet(() -> error.getClass().getName());
        } catch (Throwable e) {
            return error.getClass().getName();
        }
    }

    private Future<?> after(Duration delay, Runnable task) {
        return environment.scheduler().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }
}
