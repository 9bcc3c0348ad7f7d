package dev.couchjobs.server.internal.queue;

import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import tools.jackson.databind.node.ObjectNode;

/** Replies with a status in words. */
public final class QueueReplies {
    private static final String PREFIX = "/queue/";

    private QueueReplies() {}

    /** {@return whether the replies of a path have a status in words} */
    public static boolean isFor(String path) {
        return path.startsWith(PREFIX);
    }

    static Fields success() {
        return new Fields().put("status", "success");
    }

    /** {@return what a problem looks like here: its HTTP status is the same} */
    public static Reply failure(Problem problem) {
        ObjectNode body = problem.body();
        body.put("status", "failure");
        body.put("message", problem.detail() == null ? problem.title() : problem.detail());
        return problem.reply(Reply.JSON, body);
    }
}
