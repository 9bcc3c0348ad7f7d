package dev.couchjobs.server.internal.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only has others, and does nothing without one of them. */
abstract class CommandGroup implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public final void run() {
        if (spec == null) {
            throw new IllegalStateException("picocli sets it.");
        }
        throw new ParameterException(
                spec.commandLine(),
                "One of " + String.join(", ", spec.subcommands().keySet()) + " is missing.");
    }
}
