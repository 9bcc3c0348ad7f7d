package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.http.PayloadPlaces;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows and changes batches. */
@Command(name = "batches", description = "Shows or changes batches. `cancel --batch NAME` cancels the jobs of one.")
final class BatchesCommand extends ApiCommand {
    @Parameters(arity = "1..*", paramLabel = "NAME", description = "The names of batches.")
    private List<String> names = List.of();

    @ArgGroup(exclusive = true, multiplicity = "0..1")
    private Action action = new Action();

    private static final class Action {
        @Option(
                names = "--open",
                paramLabel = "JSON",
                arity = "0..1",
                fallbackValue = "{}",
                description =
                        "Opens it, as PUT /v1/batches/{name} does: '{\"closing\": {\"type\": \"mail\", \"data\": 1}}'.")
        private @Nullable String open;

        @Option(names = "--seal", description = "Says that no more jobs are added to each.")
        private boolean isSeal;

        @Option(names = "--remove", description = "Removes each, if it is closed.")
        private boolean isRemoval;
    }

    @Mixin
    private final YesOption yes = new YesOption();

    @Override
    int run(Session session) {
        if (action.open != null) {
            JsonNode body = Arguments.json("--open", action.open, PayloadPlaces.WHOLE);
            return each(session, names, name -> session.api().put(address(name, ""), body), "opened");
        }
        if (action.isSeal) {
            return each(session, names, name -> session.api().post(address(name, "/seal")), "sealed");
        }
        if (action.isRemoval) {
            confirm(session, yes, "Remove " + String.join(", ", names) + "?");
            return each(session, names, name -> session.api().delete(address(name, "")), "removed");
        }
        List<JsonNode> batches = new ArrayList<>();
        for (String name : names) {
            ApiReply reply = session.api().get(address(name, ""));
            if (session.output().isJson()) {
                session.output().json(reply.text());
            }
            batches.add(reply.json());
        }
        if (!session.output().isJson()) {
            session.output()
                    .table(
                            List.of(
                                    "name",
                                    "state",
                                    "total",
                                    "outstanding",
                                    "succeeded",
                                    "failed",
                                    "cancelled",
                                    "expired",
                                    "removed",
                                    "closingJob"),
                            batches);
        }
        return DONE;
    }

    private static Address address(String name, String verb) {
        return Address.of("/v1/batches/{}" + verb, name);
    }
}
