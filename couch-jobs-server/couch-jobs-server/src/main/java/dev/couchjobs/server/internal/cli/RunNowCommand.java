package dev.couchjobs.server.internal.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Makes pending jobs due. */
@Command(name = "run-now", description = "Makes pending jobs due now, whatever their scheduled time.")
final class RunNowCommand extends ApiCommand {
    @Mixin
    private final JobArguments jobs = new JobArguments();

    @Mixin
    private final FilterOptions filter = new FilterOptions();

    @Mixin
    private final YesOption yes = new YesOption();

    @Override
    int run(Session session) {
        if (jobs.areChosenBy(filter)) {
            return filter.run(this, session, yes, jobs.type(), "run_now", "due now", "");
        }
        return each(
                session,
                jobs.ids(),
                id -> session.api().post(Address.of("/v1/types/{}/jobs/{}/run-now", jobs.type(), id)),
                "due now: " + jobs.type());
    }
}
