package dev.couchjobs.bridge.internal.config;

import java.nio.file.Path;

/** The database of a node's jobs. */
public sealed interface EngineConfig {

    /** {@return the directory or the cluster file} */
    Path path();

    /** {@return the first element of all keys} */
    String prefix();

    /** {@return a description} */
    String describe();

    /**
     * The embedded engine, in a directory of this machine.
     *
     * @param path the directory, which is created if it does not exist
     * @param prefix the first element of all keys
     */
    record Directory(Path path, String prefix) implements EngineConfig {
        @Override
        public String describe() {
            return "embedded, in the directory " + path;
        }
    }

    /**
     * A FoundationDB cluster.
     *
     * @param path its cluster file
     * @param prefix the first element of all keys
     */
    record ClusterFile(Path path, String prefix) implements EngineConfig {
        @Override
        public String describe() {
            return "in the FoundationDB cluster of " + path;
        }
    }
}
