package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.json.Fields;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Changes all jobs of a type that meet a condition, in place of those of some ids. */
final class FilterOptions {
    private static final Duration LOOK = Duration.ofMillis(250);

    @Option(names = "--all", description = "All jobs of the type that this can be done to.")
    private boolean isAll;

    @Option(names = "--tag", paramLabel = "TAG", description = "Those with this tag.")
    private @Nullable String tag;

    @Option(names = "--state", paramLabel = "STATE", description = "Those that are pending, running or finished.")
    private @Nullable String state;

    @Option(names = "--outcome", paramLabel = "OUTCOME", description = "Those that succeeded, failed and so on.")
    private @Nullable String outcome;

    @Option(names = "--limit-key", paramLabel = "KEY", description = "Those with this limit key.")
    private @Nullable String limitKey;

    @Option(names = "--error", paramLabel = "TEXT", description = "Those with this text in their error.")
    private @Nullable String error;

    @Option(names = "--id-prefix", paramLabel = "TEXT", description = "Those whose id begins so.")
    private @Nullable String idPrefix;

    @Option(
            names = "--due-after",
            paramLabel = "TIME",
            description = "Pending jobs that are not due before this time, such as 2027-01-31T08:00:00Z.")
    private @Nullable String dueAfter;

    /** {@return whether jobs are named by a condition} */
    boolean isGiven() {
        return isAll || !where().isEmpty();
    }

    /** What the action can be done to, if nothing else is said. */
    private ObjectNode where(String action) {
        ObjectNode where = where();
        if (action.equals("retry") && outcome == null && state == null) {
            where.put("outcome", "failed");
        }
        if (action.equals("run_now") && state == null) {
            where.put("state", "pending");
        }
        return where;
    }

    private ObjectNode where() {
        return new Fields()
                .text("tag", Optional.ofNullable(tag))
                .text("state", Optional.ofNullable(state))
                .text("outcome", Optional.ofNullable(outcome))
                .text("limitKey", Optional.ofNullable(limitKey))
                .text("errorContains", Optional.ofNullable(error))
                .text("idPrefix", Optional.ofNullable(idPrefix))
                .text("dueAfter", Optional.ofNullable(dueAfter))
                .node();
    }

    /**
     * Counts the jobs, asks, and changes them. A signal ends the change behind the jobs that it has reached.
     *
     * @param action as the API calls it
     * @param verb what the action is called in a question and in the result
     */
    int run(
            ApiCommand command,
            Session session,
            YesOption yes,
            String type,
            String action,
            String verb,
            String reason) {
        if (isAll && !where().isEmpty()) {
            throw new Failure(Failure.USAGE, "--all and a condition do not go together.", "Leave one of them out.");
        }
        if (!yes.isGiven()) {
            String count = session.output().shell().isTerminal()
                    ? ended(session, type, "count", where(action), "")
                            .path("applied")
                            .asString()
                    : "all such";
            command.confirm(session, yes, "Change " + count + " jobs of " + type + ": " + verb + "?");
        }
        JsonNode done = ended(session, type, action, where(action), reason);
        long applied = done.path("applied").asLong();
        if (session.output().isJson()) {
            session.output().json(done.toString());
        } else {
            session.output().line(verb + ": " + applied + " jobs of " + type);
        }
        return applied == 0 ? Failure.NOTHING : ApiCommand.DONE;
    }

    private JsonNode ended(Session session, String type, String action, ObjectNode where, String reason) {
        Fields body = new Fields().put("action", action).put("where", where);
        if (!reason.isEmpty()) {
            body.put("reason", reason);
        }
        String id = session.api()
                .post(Address.of("/v1/types/{}/selections", type), body.node())
                .json()
                .path("id")
                .asString();
        Address selection = Address.of("/v1/types/{}/selections/{}", type, id);
        Progress progress = new Progress(session.output().shell());
        while (true) {
            JsonNode now = session.api().get(selection).json();
            if (now.has("outcome")) {
                if (!now.path("outcome").asString().equals("succeeded")) {
                    throw new Failure(
                            Failure.FAILED,
                            "It has not succeeded: " + now.path("error").asString(""),
                            "What was changed stays changed. Repeat the command to go on.");
                }
                return now;
            }
            progress.tell(now.path("read").asLong() + " jobs of " + type + " are read");
            if (session.stop().await(LOOK)) {
                session.api().post(Address.of("/v1/types/{}/selections/{}/cancel", type, id));
                throw new Failure(
                        Failure.FAILED, "Interrupted.", "What was changed stays changed. Repeat the command to go on.");
            }
        }
    }
}
