package dev.couchjobs.bridge;

import dev.couchjobs.bridge.internal.BridgeThreads;
import dev.couchjobs.bridge.internal.config.BridgeConfig;
import dev.couchjobs.bridge.internal.config.ConfigException;
import dev.couchjobs.bridge.internal.config.ConfigReader;
import dev.couchjobs.bridge.internal.document.NameSuggestion;
import dev.couchjobs.bridge.internal.wiring.RunningBridge;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** One run of the command line. */
final class BridgeProgram {
    static final int SUCCESS = 0;
    static final int FAILURE = 1;
    static final int MISTAKE = 2;
    private static final String WHY = "--why";
    private static final List<String> OPTIONS = List.of("--check", "--take-over", WHY, "--help");
    private static final String USAGE = """
            usage: java -jar couch-jobs-bridge.jar [--check] [--take-over] bridge.toml...
                   java -jar couch-jobs-bridge.jar --why DOCUMENT bridge.toml...""";

    private final Map<String, String> variables;
    private final PrintStream out;
    private final PrintStream err;
    private final BridgeStarter starter;
    private final CompletableFuture<Void> stop;

    /**
     * Creates a run.
     *
     * @param variables the variables of the process
     * @param out receives messages
     * @param err receives errors
     * @param starter starts the bridges
     * @param stop completes when the bridges have to close
     */
    BridgeProgram(
            Map<String, String> variables,
            PrintStream out,
            PrintStream err,
            BridgeStarter starter,
            CompletableFuture<Void> stop) {
        this.variables = variables;
        this.out = out;
        this.err = err;
        this.starter = starter;
        this.stop = stop;
    }

    /** {@return the exit status} Blocks until the bridges have closed. */
    int run(List<String> arguments) {
        boolean isQuestion = arguments.size() > 2 && arguments.get(0).equals(WHY);
        return isQuestion ? why(arguments.get(1), arguments.subList(2, arguments.size())) : checkOrRun(arguments);
    }

    /** Asks the bridges of these files, which run in other processes, about a document. */
    private int why(String document, List<String> files) {
        List<BridgeConfig> configs =
                files.stream().map(this::read).flatMap(Optional::stream).toList();
        boolean haveAllAnswered = true;
        for (BridgeConfig config : configs) {
            Optional<List<String>> answer = RunningBridge.ask(config, document);
            answer.ifPresent(lines -> lines.forEach(line -> out.println("node " + config.node() + ": " + line)));
            if (answer.isEmpty()) {
                haveAllAnswered = false;
                err.println("node " + config.node()
                        + ": no bridge answers; ask on the machine of the bridge, and as the user that it runs as");
            }
        }
        if (configs.size() < files.size()) {
            return MISTAKE;
        }
        return haveAllAnswered ? SUCCESS : FAILURE;
    }

    private int checkOrRun(List<String> arguments) {
        List<String> options =
                arguments.stream().filter(word -> word.startsWith("-")).toList();
        List<String> files =
                arguments.stream().filter(word -> !word.startsWith("-")).toList();
        if (options.contains("--help")) {
            out.println(USAGE);
            return SUCCESS;
        }
        if (files.isEmpty() || options.contains(WHY) || !OPTIONS.containsAll(options)) {
            options.stream()
                    .filter(option -> !OPTIONS.contains(option))
                    .forEach(option ->
                            err.println(option + ": there is no such option" + NameSuggestion.hint(option, OPTIONS)));
            err.println(USAGE);
            return MISTAKE;
        }
        List<BridgeConfig> configs = readAll(files);
        if (configs.size() < files.size()) {
            return MISTAKE;
        }
        return options.contains("--check") ? SUCCESS : runBridges(configs, options.contains("--take-over"));
    }

    /** Prints a description of each valid configuration. {@return the valid ones} */
    private List<BridgeConfig> readAll(List<String> files) {
        List<BridgeConfig> configs = new ArrayList<>();
        for (String file : files) {
            read(file).ifPresent(config -> {
                out.println(file + ":");
                config.describe().forEach(line -> out.println("  " + line));
                configs.add(config);
            });
        }
        return configs;
    }

    /** {@return the configuration in a file; empty if it is invalid, which is printed} */
    private Optional<BridgeConfig> read(String file) {
        try {
            return Optional.of(ConfigReader.read(Path.of(file), variables, Optional.of(Set.of())));
        } catch (ConfigException e) {
            e.mistakes().forEach(mistake -> err.println(file + ": " + mistake));
        } catch (InvalidPathException e) {
            err.println(file + ": is not the name of a file");
        }
        return Optional.empty();
    }

    private int runBridges(List<BridgeConfig> configs, boolean takesOver) {
        List<Running> running = new ArrayList<>();
        List<CompletableFuture<Void>> ready = new ArrayList<>();
        int status = SUCCESS;
        for (BridgeConfig config : configs) {
            try {
                Running started = new Running(config.node(), starter.start(config, takesOver, stop));
                running.add(started);
                ready.add(sayWhenReady(config, started.bridge()));
            } catch (CancellationException e) {
                out.println("node " + config.node() + " was not started: " + e.getMessage());
                break;
            } catch (Exception e) {
                err.println("node " + config.node() + " could not be started: " + e);
                status = FAILURE;
                break;
            }
        }
        if (status == SUCCESS) {
            var unused = CompletableFuture.allOf(ready.toArray(CompletableFuture[]::new))
                    .thenRun(() -> out.println("ready"));
            CompletableFuture<?> allStopped = CompletableFuture.allOf(
                    running.stream().map(this::sayWhenStopped).toArray(CompletableFuture[]::new));
            CompletableFuture.anyOf(stop, allStopped).join();
            out.println("ending; another signal ends at once");
            status = running.stream().anyMatch(each -> each.bridge().stopped().isDone()) ? FAILURE : SUCCESS;
        }
        return close(running) ? status : FAILURE;
    }

    /** Prints when the CouchDB of a node has answered. */
    private CompletableFuture<Void> sayWhenReady(BridgeConfig config, BridgeStarter.Started bridge) {
        CompletableFuture<Void> ready = bridge.ready();
        if (!ready.isDone()) {
            out.println(
                    "node " + config.node() + " waits for " + config.couchdb().url());
        }
        return ready.thenRun(() -> out.println("node " + config.node() + " runs"));
    }

    private CompletableFuture<Void> sayWhenStopped(Running running) {
        return running.bridge()
                .stopped()
                .thenAccept(reason -> err.println("node " + running.node() + " has stopped: " + reason));
    }

    private record Running(String node, BridgeStarter.Started bridge) {}

    /**
     * Closes the bridges at the same time, because one may take more than a minute. {@return whether all have closed}
     */
    private boolean close(List<Running> running) {
        try (BridgeThreads threads = new BridgeThreads()) {
            List<CompletableFuture<Boolean>> all =
                    running.stream().map(each -> close(each, threads)).toList();
            return all.stream().map(CompletableFuture::join).reduce(true, Boolean::logicalAnd);
        }
    }

    private CompletableFuture<Boolean> close(Running running, Executor threads) {
        CompletableFuture<Boolean> isClean = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                running.bridge().close();
                out.println("node " + running.node() + " has ended");
                isClean.complete(true);
            } catch (Throwable e) { // also an error, because a caller waits
                err.println("node " + running.node() + " could not be ended: " + e);
                isClean.complete(false);
            }
        });
        return isClean;
    }
}
