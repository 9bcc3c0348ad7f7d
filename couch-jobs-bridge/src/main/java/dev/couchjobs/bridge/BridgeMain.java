package dev.couchjobs.bridge;

import dev.couchjobs.bridge.internal.Signals;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The command line: {@code java -jar couch-jobs-bridge.jar [--check] [--take-over] bridge.toml...}. Each file
 * configures a bridge. All bridges run in this process until it receives SIGTERM or SIGINT, and then close gracefully.
 * A second signal ends the process at once. The process also ends when all of its bridges have stopped by themselves.
 * With {@code --take-over} the bridges take their databases over from others of the same names.
 *
 * <p>{@code java -jar couch-jobs-bridge.jar --why DOCUMENT bridge.toml...} asks the bridges of these files that run on
 * this machine why a document is not being worked on, and prints their answers.
 *
 * <p>The exit status is 0 after a graceful end or a successful check, 2 if a configuration or an argument is invalid,
 * and 1 after any other failure, or if a bridge has stopped by itself.
 */
public final class BridgeMain {
    private static final BridgeStarter STARTER = Bridge::start;

    /** One line for each event. Programs that embed a bridge have their own log. */
    private static final Map<String, String> LOG_FORMAT = Map.of(
            "showDateTime", "true",
            "dateTimeFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSZ",
            "showThreadName", "false",
            "showShortLogName", "true");

    private static final String LOG = "org.slf4j.simpleLogger.";

    private BridgeMain() {}

    /**
     * Runs bridges until the process receives a signal.
     *
     * @param arguments options and configuration files
     */
    public static void main(String[] arguments) {
        LOG_FORMAT.forEach((name, value) -> {
            if (System.getProperty(LOG + name) == null) {
                System.setProperty(LOG + name, value);
            }
        });
        System.exit(run(arguments, STARTER));
    }

    static int run(String[] arguments, BridgeStarter starter) {
        CompletableFuture<Void> stop = new CompletableFuture<>();
        Signals.onFirst(() -> stop.complete(null));
        return new BridgeProgram(System.getenv(), System.out, System.err, starter, stop).run(List.of(arguments));
    }
}
