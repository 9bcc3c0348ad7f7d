package dev.couchjobs.bridge.acceptance;

import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.bridge.Bridge;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A program that embeds a bridge with handlers. Each writes the document to a file when it is called: {@code note},
 * {@code refuse}, which fails finally, and {@code stumble}, which fails the first time. The program says
 * that it runs when its bridge has reached CouchDB, and ends with its standard input.
 */
public final class NotingMain {
    private NotingMain() {}

    /**
     * Runs the bridge.
     *
     * @param arguments its configuration
     */
    public static void main(String[] arguments) throws Exception {
        try (Bridge bridge = start(Path.of(arguments[0]))) {
            bridge.ready().join();
            System.out.println(bridge.getClass().getSimpleName() + " runs");
            while (System.in.read() >= 0) {
                // The parent process decides when it ends.
            }
        }
    }

    /** {@return the bridge, which has been started} */
    static Bridge start(Path configuration) {
        Path notes = configuration.resolveSibling("notes");
        return Bridge.of(configuration)
                .handler("note", step -> note(notes, step.documentId()))
                .handler("refuse", step -> {
                    note(notes, step.documentId());
                    throw new PermanentFailureException("never");
                })
                .handler("stumble", step -> {
                    note(notes, step.documentId());
                    if (step.attempt() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                    return Optional.empty();
                })
                .start();
    }

    /** Several processes write at once, so a line is one append to the file. */
    private static Optional<String> note(Path notes, String document) throws Exception {
        Files.writeString(notes, document + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return Optional.empty();
    }
}
