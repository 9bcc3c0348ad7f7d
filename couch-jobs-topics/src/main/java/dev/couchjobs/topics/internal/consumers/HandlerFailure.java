package dev.couchjobs.topics.internal.consumers;

import dev.couchjobs.topics.internal.groups.Source.Next;

/** The user's handler has failed. The database does not try its transaction again. */
final class HandlerFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Next next;
    private final Throwable reason;

    HandlerFailure(Next next, Throwable cause) {
        super(cause);
        this.next = next;
        reason = cause;
    }

    /** {@return what the handler has thrown} */
    Throwable reason() {
        return reason;
    }

    /** {@return the messages that it was given} */
    Next next() {
        return next;
    }
}
