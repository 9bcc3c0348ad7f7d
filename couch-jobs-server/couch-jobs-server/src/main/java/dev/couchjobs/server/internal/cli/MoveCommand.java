package dev.couchjobs.server.internal.cli;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.JobsMove;
import dev.couchjobs.MoveTotals;
import dev.couchjobs.fdb.DatabaseLocation;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Moves all jobs from one database to another, both opened by this process. */
@Command(
        name = "move",
        description = "Moves all jobs to another database: copies them,"
                + " and with --finish switches over. If it is interrupted, repeat it.")
final class MoveCommand implements Callable<Integer> {
    private static final long VERSIONS_OF_A_DAY = Duration.ofDays(1).toSeconds() * 1_000_000;

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(index = "0", paramLabel = "FROM", description = "A directory, or a cluster file.")
    private String from = "";

    @Parameters(
            index = "1",
            paramLabel = "TO",
            description = "Another one, without jobs. A new directory is written ./NAME.")
    private String to = "";

    @ArgGroup(exclusive = true, multiplicity = "0..1")
    private Action action = new Action();

    private static final class Action {
        @Option(names = "--finish", description = "Copies the rest, compares both sides, and puts TO into service.")
        private boolean isFinish;

        @Option(names = "--abort", description = "Puts FROM into service again, and clears TO.")
        private boolean isAbort;
    }

    @Mixin
    private final YesOption yes = new YesOption();

    @Override
    public Integer call() {
        Shell shell = ((RootCommand) Objects.requireNonNull(spec, "spec").root().userObject()).shell();
        Output output = new Output(shell, false);
        DatabaseLocation source = place(from);
        DatabaseLocation target = place(to);
        if (source instanceof DatabaseLocation.Directory directory && !Files.isDirectory(directory.path())) {
            throw new Failure(Failure.NOTHING, "There is no directory " + directory.path() + ".", "Check the path.");
        }
        Progress progress = new Progress(shell);
        try (Stop stop = new Stop()) {
            if (action.isFinish || action.isAbort) {
                Confirmation.ask(
                        shell,
                        stop,
                        yes.isGiven(),
                        action.isFinish
                                ? "Take " + from + " out of service?"
                                : "Clear the jobs that were copied to " + to + "?");
            }
            move(output, stop, progress, source, target);
        }
        return ApiCommand.DONE;
    }

    /** {@return what a path names; a word alone names what is there} */
    static DatabaseLocation place(String text) {
        boolean isWord = !text.isEmpty() && text.chars().noneMatch(letter -> "/\\:~".indexOf(letter) >= 0);
        if (!isWord || text.endsWith(".cluster")) {
            return DatabaseLocation.of(text);
        }
        if (!Files.exists(Path.of(text))) {
            throw new Failure(
                    Failure.NOTHING,
                    "There is no directory " + text + ".",
                    "Check the path. A new directory is written ./" + text + ".");
        }
        return DatabaseLocation.of("./" + text);
    }

    private void move(Output output, Stop stop, Progress progress, DatabaseLocation source, DatabaseLocation target) {
        try (Database old = LocalServer.database(source);
                Database next = openAfter(old, target)) {
            JobsMove move = JobsMove.of(old, next, to, new Subspace(), step -> {
                if (stop.isRequested()) {
                    throw new Failure(Failure.FAILED, "Interrupted.", "Repeat the command to go on.");
                }
                progress.tell(step.phase() + ": " + step.rows() + " rows read, " + step.changed() + " written");
            });
            progress.end(run(move));
            output.line("The jobs are in service in " + (action.isFinish ? to : from) + ".");
        }
    }

    /** Rows keep their versions, so those of the target begin behind all that the source has while it is moved. */
    private static Database openAfter(Database source, DatabaseLocation target) {
        if (target instanceof DatabaseLocation.Directory directory) {
            long version = source.read(tx -> tx.getReadVersion().join());
            return LocalServer.held(() -> EmbeddedDatabase.openAfter(directory.path(), version + VERSIONS_OF_A_DAY));
        }
        return LocalServer.database(target);
    }

    private String run(JobsMove move) {
        if (action.isAbort) {
            move.abort().join();
            return "aborted";
        }
        if (action.isFinish) {
            MoveTotals totals = move.finish().join();
            return "both sides have " + totals.rows() + " rows, " + totals.bytes() + " bytes, SHA-256 "
                    + totals.sha256();
        }
        return "the last pass has written " + move.copy().join() + " rows; --finish switches over";
    }
}
