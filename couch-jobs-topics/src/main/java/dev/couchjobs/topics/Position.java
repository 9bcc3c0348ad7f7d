package dev.couchjobs.topics;

import java.time.Instant;

/** Where reading begins in a partition. Immutable. */
public sealed interface Position {

    /** {@return before the oldest message that is kept} */
    static Position earliest() {
        return Earliest.INSTANCE;
    }

    /** {@return after the newest message that is committed} */
    static Position latest() {
        return Latest.INSTANCE;
    }

    /**
     * Behind a message.
     *
     * @param offset of the message, which need not be kept
     * @return the position
     */
    static Position after(Offset offset) {
        return new After(offset);
    }

    /**
     * Before all messages that were appended at a time or later, by the clocks of the processes that appended them. It
     * may be before messages of the minute that ended then, too.
     *
     * @param time a time
     * @return the position
     */
    static Position at(Instant time) {
        return new At(time);
    }

    /** Before the oldest message. */
    enum Earliest implements Position {
        /** The only one. */
        INSTANCE
    }

    /** Behind the newest message. */
    enum Latest implements Position {
        /** The only one. */
        INSTANCE
    }

    /**
     * Behind a message.
     *
     * @param offset of the message
     */
    record After(Offset offset) implements Position {}

    /**
     * At a time.
     *
     * @param time the time
     */
    record At(Instant time) implements Position {}
}
