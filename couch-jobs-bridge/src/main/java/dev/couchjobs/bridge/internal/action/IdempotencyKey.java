package dev.couchjobs.bridge.internal.action;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The key by which a server recognizes a repeated request. All tries of a step have the same key, also after a crash
 * and on other nodes. Nodes that run the same step each have another key, and so has another request of the step, such
 * as that of {@code alt_do}.
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
