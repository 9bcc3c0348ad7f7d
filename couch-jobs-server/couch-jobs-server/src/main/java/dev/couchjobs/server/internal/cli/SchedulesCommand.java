package dev.couchjobs.server.internal.cli;

import dev.couchjobs.server.internal.http.PayloadPlaces;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows and changes schedules. */
@Command(
        name = "schedules",
        description = "Lists schedules; with names, shows or changes them. See also: pause, resume.")
final class SchedulesCommand extends ApiCommand {
    @Parameters(arity = "0..*", paramLabel = "NAME", description = "The names of schedules.")
    private List<String> names = List.of();

    @ArgGroup(exclusive = true, multiplicity = "0..1")
    private Action action = new Action();

    private static final class Action {
        @Option(names = "--run-now", description = "Runs the job of each now.")
        private boolean isRunNow;

        @Option(names = "--remove", description = "Removes each. Its jobs stay.")
        private boolean isRemoval;

        @Option(
                names = "--put",
                paramLabel = "JSON",
                description = "Adds or replaces it, as PUT /v1/schedules/{name} does:"
                        + " '{\"cron\": \"0 8 * * *\", \"job\": {\"type\": \"mail\", \"data\": 1}}'.")
        private @Nullable String put;
    }

    @Mixin
    private final PageOptions page = new PageOptions();

    @Mixin
    private final YesOption yes = new YesOption();

    @Override
    int run(Session session) {
        boolean isChange = action.isRunNow || action.isRemoval || action.put != null;
        if (names.isEmpty() && isChange) {
            throw new Failure(
                    Failure.USAGE, "The name of a schedule is missing.", "`couch-jobs schedules` lists them.");
        }
        if (names.isEmpty()) {
            return page.print(
                    session,
                    Address.of("/v1/schedules"),
                    "name",
                    "type",
                    "times",
                    "paused",
                    "firingTime",
                    "currentJob");
        }
        if (action.isRunNow) {
            return each(session, names, name -> session.api().post(address(name, "/run-now")), "runs now:");
        }
        if (action.isRemoval) {
            confirm(session, yes, "Remove " + String.join(", ", names) + "?");
            return each(session, names, name -> session.api().delete(address(name, "")), "removed");
        }
        if (action.put != null) {
            var body = Arguments.json("--put", action.put, PayloadPlaces.WHOLE);
            return each(session, names, name -> session.api().put(address(name, ""), body), "stored");
        }
        names.forEach(name -> fields(session, session.api().get(address(name, ""))));
        return DONE;
    }

    private static Address address(String name, String verb) {
        return Address.of("/v1/schedules/{}" + verb, name);
    }
}
