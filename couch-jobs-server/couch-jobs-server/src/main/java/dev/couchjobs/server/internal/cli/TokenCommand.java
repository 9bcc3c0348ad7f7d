package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.json.Fields;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Access tokens. With {@code --directory} or {@code --cluster-file} the first one is created. */
@Command(
        name = "token",
        mixinStandardHelpOptions = true,
        description = "Creates, lists, rotates and revokes access tokens.",
        footer = "The first token: add it with --directory or --cluster-file before the server starts. A server takes"
                + " the commands with --url and a token of the role admin.",
        subcommands = {
            TokenCommand.Add.class,
            TokenCommand.Tokens.class,
            TokenCommand.Rotate.class,
            TokenCommand.Revoke.class
        })
final class TokenCommand extends CommandGroup {

    /** Prints a token, which is not shown again. */
    private static int secret(Session session, ApiReply reply) {
        if (session.output().isJson()) {
            session.output().json(reply.text());
        } else {
            session.output().line(reply.json().path("token").asString());
        }
        return ApiCommand.DONE;
    }

    /** Creates a token. */
    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = "Creates a token, and prints it. It is shown only now.")
    static final class Add extends ApiCommand {
        @Option(names = "--name", required = true, description = "Who has it; no two tokens have the same.")
        private String name = "";

        @Option(
                names = "--role",
                required = true,
                split = ",",
                description = "What it may do: ${COMPLETION-CANDIDATES}.")
        private List<Role> roles = List.of();

        @Option(names = "--type", split = ",", description = "Only these types.")
        private @Nullable List<String> types;

        @Option(names = "--expires-in", paramLabel = "DURATION", description = "As 90d.")
        private @Nullable Duration expiresIn;

        @Override
        boolean makesDirectory() {
            return true;
        }

        @Override
        int run(Session session) {
            Fields body = new Fields()
                    .put("name", name)
                    .put(
                            "roles",
                            roles.stream().map(Fields::constant).distinct().toList())
                    .time(
                            "expiresAt",
                            Optional.ofNullable(expiresIn)
                                    .map(time -> ServerEnvironment.now().plus(time)));
            if (types != null) {
                body.put("types", types);
            }
            return secret(session, session.api().post(Address.of("/v1/tokens"), body.node()));
        }
    }

    /** Lists tokens. */
    @Command(name = "list", mixinStandardHelpOptions = true, description = "Lists the tokens, without their secrets.")
    static final class Tokens extends ApiCommand {
        @Override
        int run(Session session) {
            ApiReply reply = session.api().get(Address.of("/v1/tokens"));
            items(session, reply, "id", "name", "roles", "types", "createdAt", "expiresAt");
            if (!session.output().isJson()) {
                reply.json().path("unreadable").forEach(row -> session.output().note(unreadable(row)));
            }
            return DONE;
        }

        private static String unreadable(JsonNode row) {
            String id = row.path("id").asString();
            return "The row of the token " + id + " cannot be read, and admits nobody. "
                    + row.path("problem").asString() + " couch-jobs token revoke " + id + " removes it.";
        }
    }

    /** Gives a token a new secret. */
    @Command(
            name = "rotate",
            mixinStandardHelpOptions = true,
            description = "Gives a token a new secret, and prints it. The present one holds for a time.")
    static final class Rotate extends ApiCommand {
        @Parameters(paramLabel = "ID", description = "The id of the token, as list shows it.")
        private String id = "";

        @Option(names = "--overlap", paramLabel = "DURATION", description = "Default: 1h.")
        private Duration overlap = Duration.ofHours(1);

        @Override
        int run(Session session) {
            var body = new Fields().put("overlap", overlap).node();
            return secret(session, session.api().post(Address.of("/v1/tokens/{}/rotate", id), body));
        }
    }

    /** Revokes a token. */
    @Command(
            name = "revoke",
            mixinStandardHelpOptions = true,
            description = "Revokes a token. Servers refuse it within two seconds.")
    static final class Revoke extends ApiCommand {
        @Parameters(paramLabel = "ID", description = "The id of the token, as list shows it.")
        private String id = "";

        @Override
        int run(Session session) {
            return done(session, session.api().delete(Address.of("/v1/tokens/{}", id)), "revoked the token " + id);
        }
    }
}
