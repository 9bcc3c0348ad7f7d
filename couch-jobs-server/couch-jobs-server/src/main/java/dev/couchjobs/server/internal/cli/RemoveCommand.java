package dev.couchjobs.server.internal.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Removes jobs. */
@Command(name = "remove", description = "Removes jobs with all that is kept of them. A worker that runs one loses it.")
final class RemoveCommand extends ApiCommand {
    @Mixin
    private final JobArguments jobs = new JobArguments();

    @Mixin
    private final FilterOptions filter = new FilterOptions();

    @Mixin
    private final YesOption yes = new YesOption();

    @Override
    int run(Session session) {
        if (jobs.areChosenBy(filter)) {
            return filter.run(this, session, yes, jobs.type(), "remove", "removed", "");
        }
        int count = jobs.ids().size();
        confirm(
                session,
                yes,
                "Remove " + (count == 1 ? "the job " + jobs.ids().get(0) : count + " jobs") + " for good?");
        return each(
                session,
                jobs.ids(),
                id -> session.api().delete(Address.of("/v1/types/{}/jobs/{}", jobs.type(), id)),
                "removed " + jobs.type());
    }
}
