package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.http.ServerEnvironment;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** Shows workers. */
@Command(name = "workers", description = "Lists the workers, wherever they run. See also: pause --worker.")
final class WorkersCommand extends ApiCommand {
    /** Workers are seen every 66 seconds, and remote ones more often. */
    private static final Duration SILENCE = Duration.ofSeconds(90);

    @ArgGroup(exclusive = true, multiplicity = "0..1")
    private Action action = new Action();

    private static final class Action {
        @Option(names = "--pauses", description = "Lists the names of workers that are paused.")
        private boolean isPauses;

        @Option(names = "--drain", paramLabel = "NAME", description = "Asks the workers of a name to end.")
        private @Nullable String drain;
    }

    @Mixin
    private final PageOptions page = new PageOptions();

    @Mixin
    private final YesOption yes = new YesOption();

    @Override
    int run(Session session) {
        if (action.drain != null) {
            confirm(session, yes, "Let all workers called " + action.drain + " end?");
            ApiReply reply = session.api().post(Address.of("/v1/workers/{}/drain", action.drain));
            long count = reply.json().path("count").asLong();
            int exitCode = done(session, reply, "asked " + count + " workers to end");
            return count == 0 ? Failure.NOTHING : exitCode;
        }
        if (action.isPauses) {
            return page.print(session, Address.of("/v1/worker-pauses"), "name", "since");
        }
        return page.print(
                session,
                Address.of("/v1/workers"),
                worker -> tellAge(worker, ServerEnvironment.now()),
                "name",
                "host",
                "state",
                "running",
                "concurrency",
                "types",
                "startedAt",
                "seen",
                "id");
    }

    /** A worker that was killed stays listed: what it does is not known once it is silent. */
    static void tellAge(ObjectNode worker, Instant now) {
        Duration age = Duration.between(Instant.parse(worker.path("lastSeen").asString()), now);
        long seconds = Math.max(0, age.toSeconds());
        worker.put("seen", seconds + "s ago");
        if (age.compareTo(SILENCE) > 0) {
            worker.put("state", "lost?");
        }
    }
}
