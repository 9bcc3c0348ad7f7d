package dev.couchjobs.bridge.internal;

import java.util.concurrent.CompletionException;

/** The causes of failed futures, without wrappers. */
public final class RootCauses {

    private RootCauses() {}

    /**
     * {@return the cause without wrappers}
     *
     * @param error the exception of a failed future
     */
    public static Throwable of(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }
}
