package dev.couchjobs.bridge.internal.config;

import java.nio.file.Path;

/** Where a node's jobs are. */
public sealed interface EngineConfig {

    /** {@return the directory or the cluster file} */
    Path path();

    /** {@return the first element of all keys} */
    String prefix();

    /** {@return where, in words} */
    String describe();

    /**
     * In a directory of this machine, by the embedded engine.
     *
     * @param path the directory, which is made if there is none
     * @param prefix the first element of all keys
     */
    record Directory(Path path, String prefix) implements EngineConfig {
        @Override
        public String describe() {
            return "embedded, in the directory " + path;
        }
    }

    /**
     * In a FoundationDB cluster.
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
