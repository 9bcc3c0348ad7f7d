package dev.couchjobs.internal.observe;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Code of users whose failure is to fail a future. The JDK's futures ask an error for its text when they pass it on,
 * and never end if that throws: such an error is replaced by one that names its class.
 */
public final class UserCode {
    private UserCode() {}

    /** {@return the callback, which throws only what futures can pass on} */
    public static <T> Consumer<T> consumer(Consumer<? super T> callback) {
        return value -> {
            try {
                callback.accept(value);
            } catch (Throwable e) {
                throw passedOn(e);
            }
        };
    }

    /** {@return the callback, which throws only what futures can pass on} */
    public static <T> Predicate<T> predicate(Predicate<? super T> callback) {
        return value -> {
            try {
                return callback.test(value);
            } catch (Throwable e) {
                throw passedOn(e);
            }
        };
    }

    /** {@return what a callback gave} Null is an error that names the callback. */
    static <T> T given(String callback, @Nullable T value) {
        if (value == null) {
            throw new IllegalStateException(callback + " returned null: return a stage, and a value for each job.");
        }
        return value;
    }

    /**
     * {@return the callback, whose futures fail only with what futures can pass on}
     *
     * @param name what an error calls the callback
     */
    public static <T, R extends @Nullable Object> Function<T, CompletableFuture<R>> async(
            String name, Function<? super T, ? extends @Nullable CompletionStage<? extends R>> callback) {
        return value -> {
            CompletionStage<? extends R> called;
            try {
                called = given(name, callback.apply(value));
            } catch (Throwable e) {
                throw passedOn(e);
            }
            CompletableFuture<R> passedOn = new CompletableFuture<>();
            var unused = called.handle((result, error) -> error == null
                    ? passedOn.complete(result)
                    : passedOn.completeExceptionally(canBePassedOn(error) ? error : replaced(error)));
            return passedOn;
        };
    }

    private static boolean canBePassedOn(Throwable error) {
        try {
            Throwable cause = error.getCause();
            return cause != error
                    && !error.toString().isEmpty()
                    && (cause == null || !cause.toString().isEmpty());
        } catch (Throwable e) { // the error is of a class of the user's
            return false;
        }
    }

    private static RuntimeException passedOn(Throwable error) {
        if (!canBePassedOn(error)) {
            return replaced(error);
        }
        if (error instanceof Error serious) {
            throw serious;
        }
        return error instanceof RuntimeException unchecked ? unchecked : new CompletionException(error);
    }

    private static IllegalStateException replaced(Throwable error) {
        return new IllegalStateException(
                error.getClass().getName() + " was thrown, whose text or cause cannot be had.");
    }
}
