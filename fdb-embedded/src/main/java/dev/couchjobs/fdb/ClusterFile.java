package dev.couchjobs.fdb;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file that says where a cluster is.
 *
 * @param path the file
 * @param coordinators their addresses, as {@code host:port} with what may follow
 */
record ClusterFile(Path path, List<String> coordinators) {

    static ClusterFile read(Path path) {
        try {
            List<String> lines = Files.readAllLines(path).stream()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .toList();
            if (lines.size() != 1) {
                throw unreadable(path, "It has " + lines.size() + " lines that are no comments", null);
            }
            return new ClusterFile(path, coordinators(new DatabaseLocation.Connection(lines.get(0))));
        } catch (NoSuchFileException e) {
            throw new ClusterUnavailableException(
                    "There is no cluster file " + path.toAbsolutePath()
                            + ". A FoundationDB server has it in /etc/foundationdb/fdb.cluster: copy it from one of its"
                            + " machines and name it here or in " + DatabaseLocation.CLUSTER_FILE_VARIABLE
                            + "; without a server, name a directory instead.",
                    e);
        } catch (IOException | IllegalArgumentException e) {
            throw unreadable(path, String.valueOf(e.getMessage()), e);
        }
    }

    /** The native client takes files only. */
    static ClusterFile written(DatabaseLocation.Connection connection) {
        try {
            Path path = Files.createTempFile("foundationdb-", ".cluster");
            path.toFile().deleteOnExit();
            Files.writeString(path, connection.connection() + "\n", StandardCharsets.UTF_8);
            return new ClusterFile(path, coordinators(connection));
        } catch (IOException e) {
            throw new ClusterUnavailableException(
                    "A connection string is given to the client in a temporary file, and none can be written in "
                            + System.getProperty("java.io.tmpdir") + ": " + e.getMessage(),
                    e);
        }
    }

    private static List<String> coordinators(DatabaseLocation.Connection connection) {
        String text = connection.connection();
        return List.of(text.substring(text.indexOf('@') + 1).split(",", -1));
    }

    private static ClusterUnavailableException unreadable(Path path, String why, @Nullable Throwable cause) {
        String message = "The cluster file " + path.toAbsolutePath() + " cannot be used: " + why
                + ". It has one line, such as docker:docker@127.0.0.1:4500, and has to be readable, and writable for"
                + " the"
                + " time when the coordinators are changed.";
        return cause == null
                ? new ClusterUnavailableException(message)
                : new ClusterUnavailableException(message, cause);
    }
}
