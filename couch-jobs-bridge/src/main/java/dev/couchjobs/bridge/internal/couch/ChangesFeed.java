package dev.couchjobs.bridge.internal.couch;

/** A feed that is being followed. */
public interface ChangesFeed extends AutoCloseable {

    /** Ends it; its listener is not called again once this has returned, but a call under way may still run. */
    @Override
    void close();
}
