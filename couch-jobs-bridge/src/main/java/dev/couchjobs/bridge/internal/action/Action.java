package dev.couchjobs.bridge.internal.action;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The action of a step, ready to run. */
@FunctionalInterface
public interface Action {
    /** The time within which a cancelled action ends, if it can be ended. */
    Duration STOPS_WITHIN = ShellSettings.GRACE_MAX.plusSeconds(3);

    /**
     * Runs the action without blocking. Its failure is an {@link ActionResult}; the future fails only for faults of the
     * bridge.
     *
     * @param context the step for which it runs
     * @return its result. Cancelling the future stops the action; it then completes with a failure when the action has
     *     ended, or cannot be ended within {@link #STOPS_WITHIN}
     */
    CompletableFuture<ActionResult> run(ActionContext context);
}
