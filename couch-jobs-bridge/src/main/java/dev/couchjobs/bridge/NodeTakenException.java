package dev.couchjobs.bridge;

/**
 * A bridge does not run, or runs no longer, because another one with its node's name and with a directory, or a cluster, of its
 * own has marked the database. The message names the document with the mark and says what to do.
 */
public final class NodeTakenException extends RuntimeException {
    /**
     * Says which bridge it is.
     *
     * @param message what was found, and what to do
     */
    public NodeTakenException(String message) {
        super(message);
    }
}
