package dev.couchjobs.server.internal.cli;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.JobsException;
import dev.couchjobs.bridge.BridgeConfigurationException;
import dev.couchjobs.fdb.ClusterUnavailableException;
import dev.couchjobs.fdb.embedded.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code couch-jobs}, of which all others are parts. */
@Command(
        name = "couch-jobs",
        description = "Sees, steers and serves background jobs.",
        mixinStandardHelpOptions = true,
        versionProvider = RootCommand.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {
            "0:done",
            "1:failed",
            "2:the command line is wrong",
            "3:there is no such thing, or nothing was changed",
            "4:the server does not let the caller do it",
            "130:it has ended by SIGINT, such as that of Ctrl-C",
            "143:it has ended by SIGTERM"
        })
public final class RootCommand {
    private static final List<Class<?>> COMMANDS = List.of(
            ServeCommand.class,
            AddCommand.class,
            ListCommand.class,
            ShowCommand.class,
            WhyCommand.class,
            WatchCommand.class,
            CancelCommand.class,
            RetryCommand.class,
            RunNowCommand.class,
            RemoveCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            SchedulesCommand.class,
            LimitsCommand.class,
            BatchesCommand.class,
            TopicsCommand.class,
            DeadCommand.class,
            QuarantineCommand.class,
            WorkersCommand.class,
            BridgeCommand.class,
            HealthCommand.class,
            DoctorCommand.class,
            ExportCommand.class,
            ImportCommand.class,
            MoveCommand.class,
            BackupCommand.class,
            BenchCommand.class,
            TokenCommand.class,
            CompletionCommand.class);

    private static final String LOG = "org.slf4j.simpleLogger.";

    /** What a server logs: lines with times, and of the HTTP library only what is wrong. */
    private static final Map<String, String> LOG_OF_SERVER = Map.of(
            "showDateTime", "true",
            "dateTimeFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSZ",
            "showThreadName", "false",
            "showShortLogName", "true",
            "log.org.eclipse.jetty", "warn");

    private static final Set<String> OWN_OPTIONS = Set.of("-h", "--help", "-V", "--version");

    /** Options of all commands that take a value: they may stand before the command. */
    private static final Set<String> OF_ALL = Set.of("--url", "--token", "--ca-file", "--directory", "--cluster-file");

    private final Shell shell;

    RootCommand(Shell shell) {
        this.shell = shell;
    }

    Shell shell() {
        return shell;
    }

    /** The version of the library. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            Optional<String> version =
                    Optional.ofNullable(RootCommand.class.getPackage().getImplementationVersion());
            return new String[] {"couch-jobs " + version.orElse("of this working copy")};
        }
    }

    /** {@return the exit status of the command that the arguments name} */
    public static int run(String... arguments) {
        List<String> all = withCommand(arguments);
        Map<String, String> log =
                !all.isEmpty() && all.get(0).equals("serve") ? LOG_OF_SERVER : Map.of("defaultLogLevel", "warn");
        log.forEach(RootCommand::setLog);
        return run(Shell.ofProcess(), arguments);
    }

    /** Sets an option of the log, unless the user has set it. A level counts for loggers that were not used yet. */
    static void setLog(String name, String value) {
        if (System.getProperty(LOG + name) == null) {
            System.setProperty(LOG + name, value);
        }
    }

    static int run(Shell shell, String... arguments) {
        List<String> all = withCommand(arguments);
        CommandLine line = commandLine(shell, needed(all));
        if (all.isEmpty()) {
            line.usage(shell.err(), colours(shell));
            return Failure.USAGE;
        }
        int exitCode = line.execute(all.toArray(new String[0]));
        shell.out().flush();
        shell.err().flush();
        return exitCode;
    }

    /** {@return the command line with all commands} */
    static CommandLine commandLine(Shell shell) {
        return commandLine(shell, COMMANDS);
    }

    /** {@return the command that is named, or all: to read the options of all takes longer than many a command} */
    private static List<Class<?>> needed(List<String> arguments) {
        List<Class<?>> named = COMMANDS.stream()
                .filter(command -> !arguments.isEmpty()
                        && command.getAnnotation(Command.class).name().equals(arguments.get(0)))
                .toList();
        return named.isEmpty() || named.contains(CompletionCommand.class) ? COMMANDS : named;
    }

    private static CommandLine commandLine(Shell shell, List<Class<?>> commands) {
        CommandLine line = new CommandLine(new RootCommand(shell));
        commands.forEach(line::addSubcommand);
        line.registerConverter(Duration.class, new Arguments.DurationConverter());
        line.setOut(shell.out());
        line.setErr(shell.err());
        line.setColorScheme(colours(shell));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExpandAtFiles(false); // an id that begins with @ is no file with arguments
        line.setParameterExceptionHandler((error, given) -> wrongUsage(shell, error));
        line.setExecutionExceptionHandler((error, command, parsed) -> report(shell, failure(error)));
        line.getSubcommands().values().forEach(RootCommand::describe);
        return line;
    }

    /** All commands explain themselves in the same way. */
    private static void describe(CommandLine command) {
        command.getCommandSpec().mixinStandardHelpOptions(true);
        command.getCommandSpec().versionProvider(new Version());
        command.getCommandSpec().usageMessage().abbreviateSynopsis(true);
    }

    private static Help.ColorScheme colours(Shell shell) {
        return CommandLine.Help.defaultColorScheme(shell.isColoured() ? Help.Ansi.ON : Help.Ansi.OFF);
    }

    /** Options alone are those of {@code serve}; before a command they are those of the command. */
    private static List<String> withCommand(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        int options = optionsBefore(all);
        if (options > 0 && options < all.size() && !all.get(options).startsWith("-")) {
            List<String> moved = new ArrayList<>(all.subList(options, all.size()));
            int end = moved.contains("--") ? moved.indexOf("--") : moved.size();
            moved.addAll(end, all.subList(0, options));
            return moved;
        }
        if (!all.isEmpty() && all.get(0).startsWith("-") && !OWN_OPTIONS.contains(all.get(0))) {
            all.add(0, "serve");
        }
        return all;
    }

    /** {@return how many arguments at the begin are options of all commands, with their values} */
    private static int optionsBefore(List<String> arguments) {
        int i = 0;
        while (i < arguments.size()) {
            String name = arguments.get(i).replaceFirst("=.*", "");
            if (name.equals("--json")
                    || (OF_ALL.contains(name) && arguments.get(i).length() > name.length())) {
                i++;
            } else if (OF_ALL.contains(name)) {
                i += 2;
            } else {
                return i;
            }
        }
        return i;
    }

    private static int wrongUsage(Shell shell, ParameterException error) {
        CommandLine command = error.getCommandLine();
        return report(
                shell,
                new Failure(
                        Failure.USAGE,
                        error instanceof UnmatchedArgumentException unmatched
                                ? unmatched(unmatched)
                                : String.valueOf(error.getMessage()),
                        "`" + command.getCommandSpec().qualifiedName() + " --help` says what it takes."));
    }

    private static String unmatched(UnmatchedArgumentException error) {
        CommandSpec command = error.getCommandLine().getCommandSpec();
        String first = error.getUnmatched().get(0);
        if (error.isUnknownOption()) {
            return command.qualifiedName() + " has no option " + first + ".";
        }
        if (!command.subcommands().isEmpty()) {
            List<String> near = error.getSuggestions();
            return "There is no command " + first + "." + (near.isEmpty() ? "" : " Did you mean " + near.get(0) + "?");
        }
        return command.qualifiedName() + " takes no further argument: " + String.join(" ", error.getUnmatched());
    }

    /** Says on standard error what was wrong, and what to do. */
    static int report(Shell shell, Failure failure) {
        shell.err().println("couch-jobs: " + Text.plain(failure.title()));
        failure.details().forEach(detail -> shell.err().println("  " + Text.plain(detail)));
        return failure.exitCode();
    }

    private static Failure failure(Exception error) {
        Throwable cause = error;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof Failure known) {
            return known;
        }
        if (cause instanceof FDBException database) {
            return new Failure(Failure.FAILED, "The database does not answer as it should: " + database.getMessage());
        }
        if (cause instanceof StorageException
                || cause instanceof ClusterUnavailableException
                || cause instanceof JobsException
                || cause instanceof BridgeConfigurationException
                || cause instanceof IllegalArgumentException
                || cause instanceof IllegalStateException) {
            return new Failure(Failure.FAILED, String.valueOf(cause.getMessage()));
        }
        return new Failure(Failure.FAILED, "This should not have happened: " + cause, "Please report it.");
    }
}
