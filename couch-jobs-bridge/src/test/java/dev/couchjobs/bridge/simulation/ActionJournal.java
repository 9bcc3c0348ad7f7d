package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.action.Action;
import dev.couchjobs.bridge.internal.action.ActionContext;
import dev.couchjobs.bridge.internal.action.ActionResult;
import dev.couchjobs.bridge.internal.action.Stoppable;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Records the attempts at actions and their ends. */
final class ActionJournal {
    /** The longest time to stop an action, like that of a command that handles TERM. */
    private static final int STOP_MILLIS_MAX = 12_000;

    private final List<ActionAttempt> attempts = new ArrayList<>();
    private final Supplier<Duration> time;
    private final BiConsumer<ActionAttempt, List<ActionAttempt>> onBegin;

    /** @param onBegin receives each attempt at its beginning, with those before it */
    ActionJournal(Supplier<Duration> time, BiConsumer<ActionAttempt, List<ActionAttempt>> onBegin) {
        this.time = time;
        this.onBegin = onBegin;
    }

    List<ActionAttempt> attempts() {
        return attempts;
    }

    List<ActionAttempt> of(String document, int step) {
        return attempts.stream()
                .filter(each -> each.step == step && each.document.equals(document))
                .toList();
    }

    /** {@return an action of a process} */
    Action action(SimulatedProcess process, Effect effect) {
        return context -> begin(process, effect, context);
    }

    private CompletableFuture<ActionResult> begin(SimulatedProcess process, Effect effect, ActionContext context) {
        ActionAttempt attempt = new ActionAttempt(
                context.documentId(),
                context.step(),
                context.node(),
                process,
                effect.isAlternative(),
                context.attempt(),
                time.get());
        process.log("begins " + attempt);
        onBegin.accept(attempt, List.copyOf(attempts));
        attempts.add(attempt);
        Stoppable<ActionResult> result = new Stoppable<>();
        boolean succeeds = effect.succeedsAt(context.attempt());
        ActionAttempt.End end = succeeds ? ActionAttempt.End.SUCCESS : ActionAttempt.End.FAILURE;
        endAfter(attempt, effect.length().toMillis(), end, result);
        result.whenStopped(() -> {
            attempt.isAskedToStop = true;
            endAfter(attempt, process.random().nextInt(STOP_MILLIS_MAX), ActionAttempt.End.STOPPED, result);
        });
        return result;
    }

    private void endAfter(
            ActionAttempt attempt, long millis, ActionAttempt.End end, CompletableFuture<ActionResult> result) {
        Runnable task = () -> {
            if (!result.isDone()) { // recorded before any node can continue
                end(attempt, end);
                result.complete(result(end == ActionAttempt.End.SUCCESS));
            }
        };
        var unused = attempt.process.scheduler().schedule(task, millis, TimeUnit.MILLISECONDS);
    }

    private void end(ActionAttempt attempt, ActionAttempt.End end) {
        // The failure may be due to the stop.
        attempt.end = attempt.isAskedToStop && end == ActionAttempt.End.FAILURE ? ActionAttempt.End.STOPPED : end;
        attempt.endTime = time.get();
        attempt.process.log("ends " + attempt);
    }

    private static ActionResult result(boolean success) {
        return new ActionResult(
                success,
                false,
                OptionalInt.of(success ? 0 : 1),
                "",
                false,
                success ? Optional.empty() : Optional.of("exit status 1"),
                Optional.empty());
    }
}
