package dev.couchjobs.server.internal.cli;

import java.util.List;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** Says how the jobs are. */
@Command(
        name = "health",
        description =
                "Says whether the database answers and jobs are run. The status is 1 if it is down; degraded is 0, with"
                        + " reasons.")
final class HealthCommand extends ApiCommand {
    @Override
    int run(Session session) {
        ApiReply reply = session.api().send("GET", Address.of("/v1/health"), MissingNode.getInstance());
        if (!reply.json().has("reasons")) {
            throw session.api().failure(reply);
        }
        String status = reply.json().path("status").asString();
        if (session.output().isJson()) {
            session.output().json(reply.text());
        } else {
            session.output().fields(((ObjectNode) reply.json().deepCopy()).without(List.of("due", "reasons")));
            for (JsonNode reason : reply.json().path("reasons")) {
                session.output().line("- " + reason.asString());
            }
            if (!reply.json().path("due").isEmpty()) {
                session.output().line("");
                session.output()
                        .table(List.of("type", "id", "dueFor"), reply.json().path("due"));
            }
        }
        return status.equals("down") ? Failure.FAILED : DONE;
    }
}
