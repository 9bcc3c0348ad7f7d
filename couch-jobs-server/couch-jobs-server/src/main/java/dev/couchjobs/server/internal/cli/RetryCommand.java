package dev.couchjobs.server.internal.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs jobs again that have failed for good. */
@Command(name = "retry", description = "Runs jobs again that have failed for good.")
final class RetryCommand extends ApiCommand {
    @Mixin
    private final JobArguments jobs = new JobArguments();

    @Mixin
    private final FilterOptions filter = new FilterOptions();

    @Mixin
    private final YesOption yes = new YesOption();

    @Override
    int run(Session session) {
        if (jobs.areChosenBy(filter)) {
            return filter.run(this, session, yes, jobs.type(), "retry", "retried", "");
        }
        return each(
                session,
                jobs.ids(),
                id -> session.api().post(Address.of("/v1/types/{}/dead-letters/{}/retry", jobs.type(), id)),
                "retried " + jobs.type());
    }
}
