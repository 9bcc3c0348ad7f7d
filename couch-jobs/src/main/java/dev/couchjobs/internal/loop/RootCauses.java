package dev.couchjobs.internal.loop;

import com.apple.foundationdb.FDBException;
import java.util.Set;
import java.util.concurrent.CompletionException;

/** The causes of failed futures, without wrappers. */
public final class RootCauses {
    private static final Set<String> CLOSED = Set.of("Cannot access closed object", "The database is closed");

    private RootCauses() {}

    /** {@return the wrapped cause, or the error itself} */
    public static Throwable of(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    /** {@return whether the cause is FoundationDB's error with a code} */
    public static boolean hasCode(Throwable error, int code) {
        return of(error) instanceof FDBException failure && failure.getCode() == code;
    }

    /**
     * {@return whether a transaction could not begin because its database is closed} FoundationDB's client and the
     * embedded engine have no type for this; their messages identify it.
     */
    public static boolean isOfClosedDatabase(Throwable error) {
        return of(error) instanceof IllegalStateException closed
                && closed.getMessage() != null
                && CLOSED.contains(closed.getMessage());
    }

    /** {@return the text of an error, for the log, also if the error's class, which may be a user's, throws} */
    public static String text(Throwable error) {
        try {
            return LogText.of(String.valueOf(error));
        } catch (Throwable e) {
            return error.getClass().getName();
        }
    }

    /** {@return the cause, to be thrown: wrapped again if it is checked or an error} */
    public static RuntimeException thrown(Throwable error) {
        Throwable cause = of(error);
        return cause instanceof RuntimeException unchecked ? unchecked : new CompletionException(cause);
    }
}
