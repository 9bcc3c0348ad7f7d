package dev.couchjobs.bridge.internal.action;

import java.util.concurrent.CompletableFuture;

/** Something that a step does, ready to be done. */
@FunctionalInterface
public interface Action {

    /**
     * Does it, without blocking. Whatever goes wrong with it is an {@link ActionResult}; the stage fails only for what is
     * wrong with the bridge.
     *
     * @param occasion for which job
     * @return what came of it. To cancel it stops what runs, all of it
     */
    CompletableFuture<ActionResult> run(Occasion occasion);
}
