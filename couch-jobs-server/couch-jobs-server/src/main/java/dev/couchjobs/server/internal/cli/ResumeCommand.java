package dev.couchjobs.server.internal.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Ends a pause. */
@Command(name = "resume", description = "Ends the pause of a type, a limit key, workers or a schedule.")
final class ResumeCommand extends ApiCommand {
    @Mixin
    private final PausableArguments what = new PausableArguments();

    @Override
    int run(Session session) {
        return done(session, session.api().post(what.address("resume")), "resumed " + what);
    }
}
