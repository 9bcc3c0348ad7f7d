package dev.couchjobs.server.internal.cli;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints what completes commands in a shell. */
@Command(name = "completion", description = "Prints a script for bash and zsh: source <(couch-jobs completion)")
final class CompletionCommand implements Callable<Integer> {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        var root = Objects.requireNonNull(spec, "spec").root().commandLine();
        root.getOut().print(AutoComplete.bash("couch-jobs", root));
        root.getOut().println();
        return ApiCommand.DONE;
    }
}
