package dev.couchjobs.fdb;

/**
 * A FoundationDB cluster cannot be opened, or does not answer. Its message says why, where was looked, and what to do.
 */
public final class ClusterUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ClusterUnavailableException(String message) {
        super(message);
    }

    ClusterUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
