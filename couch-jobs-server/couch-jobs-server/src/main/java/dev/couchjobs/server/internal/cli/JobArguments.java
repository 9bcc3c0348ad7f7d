package dev.couchjobs.server.internal.cli;

import java.util.List;
import picocli.CommandLine.Parameters;

/** The jobs of one type that a command changes. */
final class JobArguments {
    @Parameters(index = "0", paramLabel = "TYPE", description = "The type of the jobs.")
    private String type = "";

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "ID", description = "Their ids.")
    private List<String> ids = List.of();

    String type() {
        return type;
    }

    /** {@return the ids, of which there are some} */
    List<String> ids() {
        if (ids.isEmpty()) {
            throw new Failure(
                    Failure.USAGE,
                    "The id of a job is missing.",
                    "`couch-jobs list " + type + "` shows them; --all is all of them.");
        }
        return ids;
    }

    /** {@return whether a condition names the jobs, and no ids do} */
    boolean areChosenBy(FilterOptions filter) {
        if (filter.isGiven() && !ids.isEmpty()) {
            throw new Failure(Failure.USAGE, "Ids and a condition do not go together.", "Leave one of them out.");
        }
        return filter.isGiven();
    }
}
