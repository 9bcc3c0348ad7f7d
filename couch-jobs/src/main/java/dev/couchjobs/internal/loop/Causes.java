package dev.couchjobs.internal.loop;

import java.util.concurrent.CompletionException;

/** What futures fail of, without what they wrap it in. */
public final class Causes {
    private Causes() {}

    /** {@return what was wrapped, or the error itself} */
    public static Throwable of(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    /** {@return the same, to be thrown: wrapped again if it is checked, or an error} */
    public static RuntimeException thrown(Throwable error) {
        Throwable cause = of(error);
        return cause instanceof RuntimeException known ? known : new CompletionException(cause);
    }
}
