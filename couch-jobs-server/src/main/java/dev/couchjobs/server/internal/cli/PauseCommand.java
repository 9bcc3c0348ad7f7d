package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.json.Fields;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Stops claims, or a schedule. */
@Command(
        name = "pause",
        description = "Stops claims of a type, a limit key or workers, or a schedule. Jobs that run go on.")
final class PauseCommand extends ApiCommand {
    @Mixin
    private final PausableArguments what = new PausableArguments();

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why a type is paused.")
    private String reason = "";

    @Override
    int run(Session session) {
        Address address = what.address("pause");
        if (!what.isType() && !reason.isEmpty()) {
            throw new Failure(Failure.USAGE, "Only the pause of a type has a reason.", "Leave --reason out.");
        }
        ApiReply reply = what.isType()
                ? session.api().post(address, new Fields().put("reason", reason).node())
                : session.api().post(address);
        return done(session, reply, "paused " + what);
    }
}
