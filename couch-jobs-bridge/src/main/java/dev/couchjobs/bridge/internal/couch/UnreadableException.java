package dev.couchjobs.bridge.internal.couch;

/** An answer exceeds a limit of this bridge. */
final class UnreadableException extends CouchException {
    UnreadableException(String message) {
        super(0, message);
    }
}
