package dev.couchjobs.bridge.internal.action;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * By what a server can tell that a request is one that it has had before: the same for all tries of a step and for its
 * runs after a crash, wherever these are; another for each node where every node has a run of its own, and for another
 * request, as that of {@code alt_do} is.
 */
final class IdempotencyKey {
    private IdempotencyKey() {}

    static String of(ActionContext context, HttpCall call) {
        String parts = String.join(
                "\n",
                context.documentId(),
                Integer.toString(context.step()),
                context.isOnEveryNode() ? context.node() : "",
                call.method(),
                call.url().toString());
        return UUID.nameUUIDFromBytes(parts.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
