package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.json.Fields;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Copies an embedded database that is open. */
@Command(
        name = "backup",
        description =
                "Writes a copy of a database that is kept in a directory, while jobs go on. A server writes it into"
                        + " its own directory for backups (serve --backups); --to is the one for --directory.")
final class BackupCommand extends ApiCommand {
    @Parameters(
            arity = "0..1",
            paramLabel = "NAME",
            description = "The directory of the copy. Default: the time, in UTC.")
    private @Nullable String name;

    @Option(names = "--to", paramLabel = "DIRECTORY", description = "Where the directory of the copy is made.")
    private @Nullable Path to;

    @Override
    Optional<Path> backups() {
        return Optional.ofNullable(to);
    }

    @Override
    int run(Session session) {
        if (session.local().isPresent() != (to != null)) {
            throw new Failure(
                    Failure.USAGE,
                    to == null ? "It is not known where to write the copy." : "A server has a directory for backups.",
                    to == null ? "Give --to DIRECTORY." : "Leave --to out; serve --backups says where.");
        }
        Fields body = new Fields();
        if (name != null) {
            body.put("name", name);
        }
        ApiReply reply = session.api().post(Address.of("/v1/backups"), body.node());
        if (session.output().isJson()) {
            session.output().json(reply.text());
        } else {
            session.output().line(reply.json().get("directory").asString());
        }
        return DONE;
    }
}
