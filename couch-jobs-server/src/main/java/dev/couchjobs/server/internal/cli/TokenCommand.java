package dev.couchjobs.server.internal.cli;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.fdb.embedded.DirectoryInUseException;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.access.AccessToken;
import dev.couchjobs.server.internal.access.AccessTokens;
import dev.couchjobs.server.internal.config.ConfigDuration;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Access tokens, in the database itself: how the first one is created. */
@Command(
        name = "token",
        mixinStandardHelpOptions = true,
        description = "Creates, lists, rotates and revokes access tokens in a database.",
        footer = "A server that has a directory open is asked itself: POST /v1/tokens, with an administrator's token.")
final class TokenCommand implements Runnable {
    private static final InstantSource CLOCK = ServerEnvironment.clock();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec().commandLine(), "One of add, list, rotate and revoke is missing.");
    }

    private CommandSpec spec() {
        if (spec == null) {
            throw new IllegalStateException("picocli sets it.");
        }
        return spec;
    }

    @Command(mixinStandardHelpOptions = true, description = "Creates a token, and prints it. It is shown only now.")
    int add(
            @ArgGroup(exclusive = true, multiplicity = "1") Place place,
            @Option(names = "--name", required = true, description = "Who has it; no two tokens have the same.")
                    String name,
            @Option(
                            names = "--role",
                            required = true,
                            split = ",",
                            description = "What it may do: ${COMPLETION-CANDIDATES}.")
                    List<Role> roles,
            @Option(names = "--type", split = ",", description = "Only these types.") @Nullable List<String> types,
            @Option(names = "--expires-in", paramLabel = "TIME", description = "As 90d.") @Nullable String expiresIn) {
        Optional<Instant> expiresAt =
                Optional.ofNullable(expiresIn).map(text -> CLOCK.instant().plus(duration("--expires-in", text)));
        Optional<Set<String>> only = Optional.ofNullable(types).map(Set::copyOf);
        AccessToken.Wanted wanted = new AccessToken.Wanted(name, EnumSet.copyOf(roles), only, expiresAt);
        AccessToken.Issued issued = with(place, tokens -> tokens.create(wanted).join());
        out().println(issued.text());
        return 0;
    }

    @Command(mixinStandardHelpOptions = true, description = "Lists the tokens, without their secrets.")
    int list(@ArgGroup(exclusive = true, multiplicity = "1") Place place) {
        for (AccessToken token : with(place, tokens -> tokens.list().join())) {
            List<String> line = new ArrayList<>(List.of(token.id(), token.name()));
            line.add(token.roles().stream()
                    .map(role -> role.name().toLowerCase(Locale.ROOT))
                    .sorted()
                    .collect(Collectors.joining(",")));
            token.types().ifPresent(types -> line.add("types " + String.join(",", types)));
            token.expiresAt().ifPresent(time -> line.add("expires " + time));
            out().println(String.join("  ", line));
        }
        return 0;
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Gives a token a new secret, and prints it. The present one holds for a time.")
    int rotate(
            @ArgGroup(exclusive = true, multiplicity = "1") Place place,
            @Parameters(paramLabel = "ID", description = "The id of the token, as list shows it.") String id,
            @Option(names = "--overlap", paramLabel = "TIME", defaultValue = "1h", description = "Default: 1h.")
                    String overlap) {
        Duration time = duration("--overlap", overlap);
        AccessToken.Issued issued = with(
                        place, tokens -> tokens.rotate(id, time).join())
                .orElseThrow(() -> new IllegalArgumentException("There is no token " + id + "."));
        out().println(issued.text());
        return 0;
    }

    @Command(mixinStandardHelpOptions = true, description = "Revokes a token. Servers refuse it within two seconds.")
    int revoke(
            @ArgGroup(exclusive = true, multiplicity = "1") Place place,
            @Parameters(paramLabel = "ID", description = "The id of the token, as list shows it.") String id) {
        if (!with(place, tokens -> tokens.revoke(id).join())) {
            throw new IllegalArgumentException("There is no token " + id + ".");
        }
        return 0;
    }

    private PrintWriter out() {
        return spec().commandLine().getOut();
    }

    private Duration duration(String option, String text) {
        return ConfigDuration.parse(text)
                .orElseThrow(() -> new ParameterException(
                        spec().commandLine(), option + ": '" + text + "' is not a time; write 30s, 5m, 2h or 90d."));
    }

    private static <T> T with(Place place, Function<AccessTokens, T> action) {
        try (Database database = Databases.open(place.location())) {
            return action.apply(new AccessTokens(database, ServeCommand.ROWS, CLOCK));
        } catch (DirectoryInUseException e) {
            throw new IllegalStateException(
                    e.getMessage() + " If that is a server, ask it: /v1/tokens, with the token of an administrator.",
                    e);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
