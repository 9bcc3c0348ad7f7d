package dev.couchjobs.bench.jobs;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.Durability;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import java.nio.file.Path;

/** The embedded engines. */
enum EngineKind {
    /** Nothing is written to a disk. */
    MEMORY("in memory"),
    /** Every commit is synced. */
    DIRECTORY("in a directory");

    private final String label;

    EngineKind(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    Database open(EngineEnvironment environment, Path directory) {
        return switch (this) {
            case MEMORY -> EmbeddedDatabase.openInMemory(environment);
            case DIRECTORY -> EmbeddedDatabase.open(directory, Durability.SYNCED, environment);
        };
    }
}
