package dev.couchjobs.server.internal.cli;

import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the jobs that have failed for good. */
@Command(name = "dead", description = "Lists the jobs of a type that have failed for good. `retry` runs them again.")
final class DeadCommand extends ApiCommand {
    @Parameters(index = "0", paramLabel = "TYPE", description = "The type.")
    private String type = "";

    @Option(names = "--newest-first", description = "The last failures first.")
    private boolean isNewestFirst;

    @Mixin
    private final PageOptions page = new PageOptions();

    @Override
    int run(Session session) {
        return page.print(
                session,
                Address.of("/v1/types/{}/dead-letters", type)
                        .with("newestFirst", isNewestFirst ? Optional.of(true) : Optional.empty()),
                "id",
                "failedAt",
                "failures",
                "claims",
                "error");
    }
}
