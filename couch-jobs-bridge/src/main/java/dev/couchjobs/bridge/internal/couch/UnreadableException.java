package dev.couchjobs.bridge.internal.couch;

/** An answer is larger than this bridge holds at once, or has something in it that this bridge does not read. */
final class UnreadableException extends CouchException {
    UnreadableException(String message) {
        super(0, message);
    }
}
