package dev.couchjobs.bridge.internal.couch;

/** A feed of the changes of a database. */
public interface ChangesFeed extends AutoCloseable {

    /** Closes the feed. No call of the listener begins after this method has returned; an earlier one may still run. */
    @Override
    void close();
}
