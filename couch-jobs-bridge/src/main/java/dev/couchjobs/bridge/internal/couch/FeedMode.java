package dev.couchjobs.bridge.internal.couch;

/**
 * Chooses between streaming and polling. A stream that falls silent before its first heartbeat may be held back by a
 * proxy, or may be cut; after two in a row the feed polls. After a failed poll it tries the stream again.
 */
final class FeedMode {
    private static final int HELD_BACK_AT_MOST = 2;

    private boolean isPolling;
    private int heldBack;

    boolean isPolling() {
        return isPolling;
    }

    /** {@return whether the mode has changed} */
    boolean update(FeedSource.End end) {
        boolean before = isPolling;
        if (isPolling) {
            isPolling = end.fault().isEmpty();
            heldBack = HELD_BACK_AT_MOST - 1;
        } else {
            heldBack = switch (end.streaming()) {
                case SEEN -> 0;
                case HELD_BACK -> heldBack + 1;
                case IMPOSSIBLE -> HELD_BACK_AT_MOST;
                case UNKNOWN -> heldBack;
            };
            isPolling = heldBack >= HELD_BACK_AT_MOST;
        }
        return isPolling != before;
    }
}
