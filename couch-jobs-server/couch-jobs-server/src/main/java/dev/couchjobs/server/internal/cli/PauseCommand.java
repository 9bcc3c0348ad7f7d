package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.json.Fields;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Stops claims, or a schedule. */
@Command(
        name = "pause",
        description = "Stops claims of a type, a limit key or workers, or a schedule. Jobs that run go on.")
final class PauseCommand extends ApiCommand {
    private static final JsonNode NONE = MissingNode.getInstance();

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
        int exitCode = done(session, reply, "paused " + what);
        if (what.isType() && !what.isAmong(session.api().send("GET", Address.of("/v1/types"), NONE))) {
            session.output().note("No job of the type " + what + " was added yet: `list` does not show it.");
        }
        return exitCode;
    }
}
