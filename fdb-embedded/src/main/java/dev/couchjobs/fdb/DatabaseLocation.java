package dev.couchjobs.fdb;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Where a database is. */
public sealed interface DatabaseLocation {
    /**
     * {@value}: names the cluster file that {@link #ofEnvironment()} takes, as it does for FoundationDB's own tools.
     */
    String CLUSTER_FILE_VARIABLE = "FDB_CLUSTER_FILE";

    /** In this process, empty at first and gone when it is closed. */
    record InMemory() implements DatabaseLocation {
        @Override
        public String toString() {
            return "a database in memory";
        }
    }

    /**
     * In a directory of this machine, by the embedded engine.
     *
     * @param path the directory, which is made if it is not there
     */
    record Directory(Path path) implements DatabaseLocation {
        @Override
        public String toString() {
            return "the database in " + path.toAbsolutePath();
        }
    }

    /**
     * A FoundationDB cluster, found by its file.
     *
     * @param path the file, in which the client notes when coordinators change
     */
    record ClusterFile(Path path) implements DatabaseLocation {
        @Override
        public String toString() {
            return "the FoundationDB cluster of " + path.toAbsolutePath();
        }
    }

    /**
     * A FoundationDB cluster, found by what its file says.
     *
     * @param connection {@code description:id@address:port,…}; forgotten when the process ends, so that a change of all
     *     coordinators since has to be given by the caller
     */
    record Connection(String connection) implements DatabaseLocation {
        private static final Pattern FORM = Pattern.compile("\\w+:\\w+@[^@\\s]+:\\d+[^@\\s]*");

        /**
         * Checks it.
         *
         * @param connection see above
         * @throws IllegalArgumentException if it has not that form
         */
        public Connection {
            if (!FORM.matcher(connection).matches()) {
                throw new IllegalArgumentException(
                        "This is not a connection string of FoundationDB, as cluster files have them"
                                + " (description:id@127.0.0.1:4500,…): " + connection);
            }
        }

        @Override
        public String toString() {
            return "the FoundationDB cluster " + connection;
        }
    }

    /**
     * {@return the place that a configuration or an argument names}
     *
     * <ul>
     *   <li>{@code memory}: in memory;
     *   <li>{@code description:id@127.0.0.1:4500}: that cluster;
     *   <li>a path that ends with {@code .cluster}, or a path of a file: the cluster of that file;
     *   <li>any other path with a separator in it, such as {@code ./data}: that directory.
     * </ul>
     *
     * @param text the name
     * @throws IllegalArgumentException if it is none of these, and so may be a mistake: nothing, a word without a
     *     separator, a URL, a path that begins with {@code ~}, or an address without a description
     */
    static DatabaseLocation of(String text) {
        String name = text.strip();
        if (name.equals("memory")) {
            return new InMemory();
        }
        if (Connection.FORM.matcher(name).matches()) {
            return new Connection(name);
        }
        LocationNameCheck.check(name);
        Path path = Path.of(name);
        return name.endsWith(".cluster") || Files.isRegularFile(path) ? new ClusterFile(path) : new Directory(path);
    }

    /**
     * {@return the cluster that the environment's {@value #CLUSTER_FILE_VARIABLE} names, or in memory if it names none}
     */
    static DatabaseLocation ofEnvironment() {
        return of(System.getenv());
    }

    /**
     * {@return as {@link #ofEnvironment()}}
     *
     * @param environment its variables
     */
    static DatabaseLocation of(Map<String, String> environment) {
        return Optional.ofNullable(environment.get(CLUSTER_FILE_VARIABLE))
                .filter(file -> !file.isBlank())
                .<DatabaseLocation>map(file -> new ClusterFile(Path.of(file)))
                .orElseGet(InMemory::new);
    }
}
