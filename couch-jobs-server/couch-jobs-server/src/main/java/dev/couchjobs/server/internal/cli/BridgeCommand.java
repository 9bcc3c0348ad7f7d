package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.json.Fields;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Shows the nodes of a bridge to CouchDB, and changes their settings. */
@Command(
        name = "bridge",
        description = "Shows the nodes of the bridge to CouchDB, or changes the settings of one while it runs.")
final class BridgeCommand extends ApiCommand {
    private static final String STEPS_END = "Its steps end, and begin again afterwards.";

    @Parameters(index = "0", arity = "0..1", paramLabel = "NODE", description = "The node; all if it is left out.")
    private @Nullable String node;

    @ArgGroup(exclusive = false, multiplicity = "0..1", heading = "Settings:%n")
    private @Nullable Change change;

    @Option(names = "--documents", description = "Lists the job documents in the store of the node.")
    private boolean isDocuments;

    @Option(names = "--document", paramLabel = "ID", description = "Shows a document, and what it waits for.")
    private @Nullable String document;

    @Option(names = "--remove", description = "Forgets a node that is gone for good, and its settings.")
    private boolean isRemove;

    @Mixin
    private final PageOptions page = new PageOptions();

    @Mixin
    private final YesOption yes = new YesOption();

    private static final class Change {
        @Option(names = "--workers", paramLabel = "N", description = "How many steps run at once.")
        private @Nullable Integer workers;

        @Option(names = "--concurrency", paramLabel = "KIND=N", description = "How many work items of a kind do.")
        private Map<String, Integer> concurrency = new TreeMap<>();

        @Option(names = "--claim-timeout", paramLabel = "DURATION", description = "The same on all nodes.")
        private @Nullable Duration claimTimeout;

        @Option(names = "--heartbeat", paramLabel = "DURATION", description = "Of a silent feed.")
        private @Nullable Duration heartbeat;

        @Option(names = "--server", paramLabel = "NAME", description = "One of couchdb.others in the node's file.")
        private @Nullable String server;

        @Option(names = "--database", paramLabel = "NAME", description = "Another database of the server.")
        private @Nullable String database;

        @Option(names = "--memory-limit", paramLabel = "BYTES", description = "Of each process of a command.")
        private @Nullable Long memoryLimit;

        @Option(names = "--processor-limit", paramLabel = "DURATION", description = "Of each process of a command.")
        private @Nullable Duration processorLimit;

        @Option(
                names = "--reset",
                paramLabel = "NAME",
                split = ",",
                description = "Takes a change back, such as workers: the value of the node's file returns.")
        private List<String> reset = List.of();

        ObjectNode body() {
            Fields fields = new Fields()
                    .duration("claimTimeout", Optional.ofNullable(claimTimeout))
                    .duration("heartbeat", Optional.ofNullable(heartbeat))
                    .text("server", Optional.ofNullable(server))
                    .text("database", Optional.ofNullable(database))
                    .duration("processorLimit", Optional.ofNullable(processorLimit));
            if (workers != null) {
                fields.put("workers", workers);
            }
            if (memoryLimit != null) {
                fields.put("memoryLimit", memoryLimit);
            }
            if (!concurrency.isEmpty()) {
                Fields kinds = new Fields();
                concurrency.forEach((kind, number) -> kinds.put(kind, number));
                fields.put("concurrency", kinds.node());
            }
            ObjectNode body = fields.node();
            reset.forEach(body::putNull);
            return body;
        }

        boolean endsSteps() {
            ObjectNode body = body();
            return List.of("claimTimeout", "heartbeat", "server", "database").stream()
                    .anyMatch(body::has);
        }
    }

    @Override
    int run(Session session) {
        int wishes = (change != null ? 1 : 0) + (isDocuments ? 1 : 0) + (document != null ? 1 : 0) + (isRemove ? 1 : 0);
        if (wishes > 1 || (node == null && wishes > 0)) {
            throw new Failure(
                    Failure.USAGE,
                    "These options do not go together.",
                    "Settings, --documents, --document and --remove are each for one NODE.");
        }
        if (node == null) {
            items(
                    session,
                    session.api().get(new Address("/v1/bridge/nodes")),
                    "name",
                    "state",
                    "connected",
                    "running",
                    "settings",
                    "faults",
                    "process",
                    "reportedAt");
            return DONE;
        }
        return ofNode(session, node);
    }

    private int ofNode(Session session, String name) {
        Address address = Address.of("/v1/bridge/nodes/{}", name);
        if (change != null) {
            return change(session, name, change);
        }
        if (isDocuments) {
            return page.print(
                    session,
                    Address.of("/v1/bridge/nodes/{}/documents", name),
                    "id",
                    "creator",
                    "state",
                    "step",
                    "reason");
        }
        if (document != null) {
            fields(session, session.api().get(Address.of("/v1/bridge/nodes/{}/documents/{}", name, document)));
            return DONE;
        }
        if (isRemove) {
            confirm(session, yes, "Forget the node " + name + " and its settings?");
            return done(session, session.api().delete(address), "forgot " + name);
        }
        fields(session, session.api().get(address));
        return DONE;
    }

    private int change(Session session, String name, Change wanted) {
        if (wanted.endsSteps()) {
            confirm(session, yes, "Change the settings of " + name + "? " + STEPS_END);
        }
        ApiReply reply = session.api().patch(Address.of("/v1/bridge/nodes/{}/settings", name), wanted.body());
        return done(
                session,
                reply,
                "wanted for " + name + " as revision "
                        + reply.json().path("revision").asLong());
    }
}
