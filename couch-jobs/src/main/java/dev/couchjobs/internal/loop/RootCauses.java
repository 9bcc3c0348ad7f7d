package dev.couchjobs.internal.loop;

import java.util.Set;
import java.util.concurrent.CompletionException;

/** What futures fail of, without what they wrap it in. */
public final class RootCauses {
    private static final Set<String> CLOSED = Set.of("Cannot access closed object", "The database is closed");

    private RootCauses() {}

    /** {@return what was wrapped, or the error itself} */
    public static Throwable of(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    /**
     * {@return whether a transaction could not be begun because its database was closed} FoundationDB's client and the
     * embedded engine have no type for this, so it is known by their messages.
     */
    public static boolean isOfClosedDatabase(Throwable error) {
        return of(error) instanceof IllegalStateException closed
                && closed.getMessage() != null
                && CLOSED.contains(closed.getMessage());
    }

    /** {@return the same, to be thrown: wrapped again if it is checked, or an error} */
    public static RuntimeException thrown(Throwable error) {
        Throwable cause = of(error);
        return cause instanceof RuntimeException known ? known : new CompletionException(cause);
    }
}
