package dev.couchjobs.bridge.internal.couch;

/**
 * Whether to stream or to poll. A stream on which never a heartbeat came by itself before it fell silent may have been
 * held back by a proxy, or may have been cut; after two in a row it is polled instead. A poll that fails brings the
 * stream back, on trial.
 */
final class FeedMode {
    private static final int HELD_BACK_AT_MOST = 2;

    private boolean isPolling;
    private int heldBack;

    boolean isPolling() {
        return isPolling;
    }

    /** {@return whether the mode is another one now} */
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
