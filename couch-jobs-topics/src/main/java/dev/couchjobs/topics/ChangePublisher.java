package dev.couchjobs.topics;

import dev.couchjobs.topics.internal.changes.Publisher;
import java.util.concurrent.CompletableFuture;

/**
 * Appends the changes of a type's jobs to a topic ({@link Topics#publishChanges}). Any number of processes may run one:
 * each change is appended once. One of them is active, and appends a change at once; after its death another one does
 * with the next change, within three seconds.
 */
public final class ChangePublisher implements AutoCloseable {
    private final Publisher publisher;

    ChangePublisher(Publisher publisher) {
        this.publisher = publisher;
    }

    /**
     * Begins no further append.
     *
     * @return completes when the present one has ended
     */
    public CompletableFuture<Void> stop() {
        return publisher.stop();
    }

    /** Stops, and waits for the present append. */
    @Override
    public void close() {
        stop().join();
    }
}
