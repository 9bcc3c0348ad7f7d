package dev.couchjobs.bridge.internal.action;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Something that a step does, ready to be done. */
@FunctionalInterface
public interface Action {
    /** Within this an action that is asked to end has ended, if it can be ended at all. */
    Duration STOPS_WITHIN = ShellSettings.GRACE_MAX.plusSeconds(3);

    /**
     * Does it, without blocking. Whatever goes wrong with it is an {@link ActionResult}; the stage fails only for what
     * is wrong with the bridge.
     *
     * @param context for which job
     * @return what came of it. To cancel it asks what runs to end, all of it; it is complete, as a failure, when that
     *     has ended, or cannot be ended within {@link #STOPS_WITHIN}
     */
    CompletableFuture<ActionResult> run(ActionContext context);
}
