package dev.couchjobs.server.internal.cli;

import picocli.CommandLine.Option;

/** The confirmation of what cannot be undone, or concerns many jobs. */
final class YesOption {
    @Option(
            names = {"-y", "--yes"},
            description = "Does not ask. Needed if there is no terminal.")
    private boolean isGiven;

    boolean isGiven() {
        return isGiven;
    }
}
