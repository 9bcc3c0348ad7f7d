package dev.couchjobs.server.internal.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Says why a job does not run. */
@Command(name = "why", description = "Says why a job does not run now, or that it runs or has ended.")
final class WhyCommand extends ApiCommand {
    @Parameters(index = "0", paramLabel = "TYPE", description = "The type.")
    private String type = "";

    @Parameters(index = "1", paramLabel = "ID", description = "The id of the job.")
    private String id = "";

    @Override
    int run(Session session) {
        JsonNode reason = session.api()
                .get(Address.of("/v1/types/{}/jobs/{}/why", type, id))
                .json();
        session.output().change(reason, reason.path("text").asString());
        return DONE;
    }
}
