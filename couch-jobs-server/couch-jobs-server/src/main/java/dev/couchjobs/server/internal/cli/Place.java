package dev.couchjobs.server.internal.cli;

import dev.couchjobs.fdb.DatabaseLocation;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the jobs are: one of both options. */
final class Place {
    @Option(
            names = "--directory",
            paramLabel = "DIRECTORY",
            description = "Keeps the jobs in this directory, on the embedded engine. It is created if needed.")
    private @Nullable Path directory;

    @Option(
            names = "--cluster-file",
            paramLabel = "FILE",
            description = "Keeps the jobs in the FoundationDB cluster of this file. Needs its native client.")
    private @Nullable Path clusterFile;

    DatabaseLocation location() {
        if (directory != null) {
            return new DatabaseLocation.Directory(directory);
        }
        if (clusterFile != null) {
            return new DatabaseLocation.ClusterFile(clusterFile);
        }
        throw new IllegalStateException("picocli requires one of both.");
    }

    /** {@return the place as options of a command} */
    static String options(DatabaseLocation location) {
        if (location instanceof DatabaseLocation.Directory directory) {
            return "--directory " + directory.path();
        }
        return location instanceof DatabaseLocation.ClusterFile cluster ? "--cluster-file " + cluster.path() : "";
    }
}
