package dev.couchjobs.server.internal.cli;

import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows and changes the rows that cannot be read. */
@Command(
        name = "quarantine",
        description = "Lists the rows of a type that cannot be read; with ids, restores or removes them.")
final class QuarantineCommand extends ApiCommand {
    @Parameters(index = "0", paramLabel = "TYPE", description = "The type.")
    private String type = "";

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "ID", description = "The ids of rows.")
    private List<String> ids = List.of();

    @ArgGroup(exclusive = true, multiplicity = "0..1")
    private Action action = new Action();

    private static final class Action {
        @Option(names = "--restore", description = "Puts each back where it was.")
        private boolean isRestore;

        @Option(names = "--remove", description = "Removes each for good.")
        private boolean isRemoval;
    }

    @Mixin
    private final PageOptions page = new PageOptions();

    @Mixin
    private final YesOption yes = new YesOption();

    @Override
    int run(Session session) {
        if (ids.isEmpty() != !(action.isRestore || action.isRemoval)) {
            throw new Failure(Failure.USAGE, "What is to be done?", "Give ids with --restore or --remove, or neither.");
        }
        if (action.isRestore) {
            return each(
                    session,
                    ids,
                    id -> session.api().post(Address.of("/v1/types/{}/quarantine/{}/restore", type, id)),
                    "restored");
        }
        if (action.isRemoval) {
            confirm(session, yes, "Remove " + ids.size() + " rows for good?");
            return each(
                    session,
                    ids,
                    id -> session.api().delete(Address.of("/v1/types/{}/quarantine/{}", type, id)),
                    "removed");
        }
        return page.print(session, Address.of("/v1/types/{}/quarantine", type), "id", "row", "reason");
    }
}
