package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.json.Fields;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Cancels jobs. */
@Command(name = "cancel", description = "Cancels jobs that are pending or running: TYPE ID..., or the jobs of a batch.")
final class CancelCommand extends ApiCommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "TYPE", description = "The type of the jobs.")
    private @Nullable String type;

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "ID", description = "Their ids.")
    private List<String> ids = List.of();

    @Option(names = "--batch", paramLabel = "NAME", description = "Cancels the jobs of this batch.")
    private @Nullable String batch;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; the job shows it.")
    private String reason = "";

    @Mixin
    private final FilterOptions filter = new FilterOptions();

    @Mixin
    private final YesOption yes = new YesOption();

    @Override
    int run(Session session) {
        JsonNode body = new Fields().put("reason", reason).node();
        if (batch != null && type == null) {
            confirm(session, yes, "Cancel all jobs of the batch " + batch + "?");
            ApiReply reply = session.api().post(Address.of("/v1/batches/{}/cancel", batch), body);
            return done(
                    session, reply, "cancelled " + reply.json().path("count").asLong() + " jobs of " + batch);
        }
        if (batch != null || type == null || ids.isEmpty() != filter.isGiven()) {
            throw new Failure(Failure.USAGE, "Which jobs?", "Give a type and ids, a type and a condition, or --batch.");
        }
        if (filter.isGiven()) {
            return filter.run(this, session, yes, type, "cancel", "cancelled", reason);
        }
        String of = type;
        return each(
                session,
                ids,
                id -> session.api().post(Address.of("/v1/types/{}/jobs/{}/cancel", of, id), body),
                "cancelled " + of);
    }
}
