package dev.couchjobs.bridge.internal.action;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The standard input of a command: a file that only its user can read, and that exists until the command has opened it.
 * A pipe would have to be written for as long as the command reads, and the only one is used for signals.
 */
final class CommandInput {
    private static final Path NOTHING = Path.of("/dev/null");

    private final Path file;

    private CommandInput(Path file) {
        this.file = file;
    }

    static CommandInput of(Optional<String> text) throws IOException {
        if (text.isEmpty()) {
            return new CommandInput(NOTHING);
        }
        CommandInput input = new CommandInput(Files.createTempFile("couch-jobs-input-", ".json"));
        try {
            Files.write(input.file, text.get().getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            input.delete();
            throw e;
        }
        return input;
    }

    Path file() {
        return file;
    }

    /** A process that has opened the file can still read it. */
    void delete() {
        if (!file.equals(NOTHING)) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                // The file remains in the directory for temporary files.
            }
        }
    }
}
