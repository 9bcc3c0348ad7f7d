package dev.couchjobs.server.internal.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs jobs again that have failed for good. */
@Command(name = "retry", description = "Runs jobs again that have failed for good.")
final class RetryCommand extends ApiCommand {
    @Mixin
    private final JobArguments jobs = new JobArguments();

    @Option(names = "--all", description = "All of the type.")
    private boolean isAll;

    @Mixin
    private final YesOption yes = new YesOption();

    @Override
    int run(Session session) {
        if (!isAll) {
            return each(
                    session,
                    jobs.ids(),
                    id -> session.api().post(Address.of("/v1/types/{}/dead-letters/{}/retry", jobs.type(), id)),
                    "retries " + jobs.type());
        }
        if (jobs.hasIds()) {
            throw new Failure(Failure.USAGE, "Ids and --all do not go together.", "Leave one of them out.");
        }
        long failed = session.api()
                .get(Address.of("/v1/types/{}/counts", jobs.type()))
                .json()
                .path("failed")
                .asLong();
        confirm(session, yes, "Run " + failed + " failed jobs of " + jobs.type() + " again?");
        ApiReply reply = session.api().post(Address.of("/v1/types/{}/dead-letters/retry", jobs.type()));
        return done(session, reply, "retries " + reply.json().path("count").asLong() + " jobs of " + jobs.type());
    }
}
