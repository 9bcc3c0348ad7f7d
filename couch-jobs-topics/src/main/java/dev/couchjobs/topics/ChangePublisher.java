package dev.couchjobs.topics;

import dev.couchjobs.Environment;
import dev.couchjobs.topics.internal.changes.Publisher;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Appends the changes of a type's jobs to a topic ({@link Topics#publishChanges}). Any number of processes may run one:
 * each change is appended once. One of them is active, and appends a change at once; after its death another one does
 * with the next change, within three seconds.
 */
public final class ChangePublisher implements AutoCloseable {
    private final Publisher publisher;
    private final Optional<Environment> ownEnvironment;

    ChangePublisher(Publisher publisher, Optional<Environment> ownEnvironment) {
        this.publisher = publisher;
        this.ownEnvironment = ownEnvironment;
    }

    /**
     * Begins no further append.
     *
     * @return completes when the present one has ended
     */
    public CompletableFuture<Void> stop() {
        return publisher.stop().whenComplete((stopped, error) -> ownEnvironment.ifPresent(Environment::close));
    }

    /** Stops, and waits for the present append. */
    @Override
    public void close() {
        stop().join();
    }
}
