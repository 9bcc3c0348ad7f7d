package dev.couchjobs.spring;

import dev.couchjobs.fdb.ClusterUnavailableException;
import dev.couchjobs.fdb.embedded.DirectoryInUseException;
import dev.couchjobs.fdb.embedded.StorageException;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/** Shows why the database of the jobs cannot be opened, in place of the failures of the beans that need it. */
final class DatabaseFailureAnalyzer implements FailureAnalyzer {
    private static final String ACTION = "Set couch-jobs.database to a database that can be opened.";
    private static final String ACTION_IF_IN_USE = "Stop the other process, or set couch-jobs.database to a directory"
            + " that no other process uses, or to a cluster. Spring keeps contexts of tests open: set it to memory"
            + " there.";

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        Optional<Throwable> reason = Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .filter(cause -> cause instanceof StorageException || cause instanceof ClusterUnavailableException)
                .findFirst();
        return reason.map(cause -> new FailureAnalysis(
                        cause.getMessage(),
                        cause instanceof DirectoryInUseException ? ACTION_IF_IN_USE : ACTION,
                        cause))
                .orElse(null);
    }
}
