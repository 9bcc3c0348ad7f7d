package dev.couchjobs.internal.loop;

import com.apple.foundationdb.FDBException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * What errors say and what has caused them. An error may be of a class of the user's, which throws when it is asked:
 * so nothing else asks one for its cause, its message or its frames.
 */
public final class RootCauses {
    /** How many wrappers of futures an error may have: one of a user's class may be its own cause. */
    private static final int WRAPPERS_MAX = 10;

    private static final Set<String> CLOSED = Set.of("Cannot access closed object", "The database is closed");

    private RootCauses() {}

    /** {@return the wrapped cause, or the error itself} */
    public static Throwable of(Throwable error) {
        Throwable cause = error instanceof CompletionException ? cause(error) : null;
        return cause == null ? error : cause;
    }

    /** {@return the cause in all wrappers of futures, or the error itself} */
    public static Throwable innermost(Throwable error) {
        Throwable each = error;
        for (int depth = 0; depth < WRAPPERS_MAX; depth++) {
            boolean isWrapper = each instanceof CompletionException || each instanceof ExecutionException;
            Throwable cause = isWrapper ? cause(each) : null;
            if (cause == null) {
                return each;
            }
            each = cause;
        }
        return each;
    }

    /** {@return the cause of an error; null if there is none, or it cannot be had} */
    public static @Nullable Throwable cause(Throwable error) {
        try {
            return error.getCause();
        } catch (Throwable e) {
            return null;
        }
    }

    /** {@return the message of an error, or why it cannot be had; null if there is none} */
    public static @Nullable String message(Throwable error) {
        try {
            return error.getMessage();
        } catch (Throwable e) {
            return "(its message cannot be had: " + e.getClass().getName() + ")";
        }
    }

    /** {@return where an error was made; nowhere if that cannot be had} */
    public static StackTraceElement[] frames(Throwable error) {
        try {
            return error.getStackTrace();
        } catch (Throwable e) {
            return new StackTraceElement[0];
        }
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
        return of(error) instanceof IllegalStateException closed && CLOSED.contains(String.valueOf(message(closed)));
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
