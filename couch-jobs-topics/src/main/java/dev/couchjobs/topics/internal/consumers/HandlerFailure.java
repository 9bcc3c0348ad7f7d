package dev.couchjobs.topics.internal.consumers;

import dev.couchjobs.topics.internal.groups.Source.Next;

/** The user's handler has failed. The database does not try its transaction again. */
final class HandlerFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Next next;
    private final Throwable reason;

    HandlerFailure(Next next, Throwable cause) {
        this(printable(cause), next);
    }

    private HandlerFailure(Throwable reason, Next next) {
        super(reason);
        this.next = next;
        this.reason = reason;
    }

    /** {@return an error of a class of the user's, in place of which another stands if its text throws} */
    static Throwable printable(Throwable cause) {
        try {
            var unused = cause.toString();
            return cause;
        } catch (Throwable e) {
            return new IllegalStateException(cause.getClass().getName() + " was thrown, whose text cannot be had.");
        }
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
