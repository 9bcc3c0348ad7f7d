package dev.couchjobs.topics.internal.transactions;

import java.util.concurrent.CompletionException;

/** The causes of failed futures, without wrappers. */
public final class RootCauses {
    private RootCauses() {}

    /** {@return the wrapped cause, or the error itself} */
    public static Throwable of(Throwable error) {
        try {
            return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        } catch (Throwable e) { // the error is of a class of the user's
            return error;
        }
    }
}
