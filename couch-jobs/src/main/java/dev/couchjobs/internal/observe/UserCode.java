package dev.couchjobs.internal.observe;

import com.apple.foundationdb.FDBException;
import dev.couchjobs.internal.loop.RootCauses;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Code of users whose failure is to fail a future. The JDK's futures ask an error for its text when they pass it on,
 * and never end if that throws: such an error is replaced by one that names its class. FoundationDB tries a transaction
 * again after an error of its own, whoever threw it: so that of a callback that observes or decides is wrapped.
 */
public final class UserCode {
    private UserCode() {}

    /** {@return the callback, which throws only what ends a verb} */
    public static <T> Consumer<T> consumer(Consumer<? super T> callback) {
        return value -> {
            try {
                callback.accept(value);
            } catch (Throwable e) {
                throw thrown(ending(e));
            }
        };
    }

    /** {@return the callback, which throws only what ends a verb} */
    public static LongConsumer longConsumer(LongConsumer callback) {
        Consumer<Long> guarded = consumer(callback::accept);
        return guarded::accept;
    }

    /** {@return the callback, which throws only what ends a verb} */
    public static <T> Predicate<T> predicate(Predicate<? super T> callback) {
        return value -> {
            try {
                return callback.test(value);
            } catch (Throwable e) {
                throw thrown(ending(e));
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
     * {@return the callback, whose futures fail only with what ends a verb}
     *
     * @param name what an error calls the callback
     */
    public static <T, R extends @Nullable Object> Function<T, CompletableFuture<R>> async(
            String name, Function<? super T, ? extends @Nullable CompletionStage<? extends R>> callback) {
        return guarded(name, callback, UserCode::ending);
    }

    /**
     * {@return a transaction, whose futures fail only with what futures can pass on} After an error of FoundationDB it
     * is tried again.
     *
     * @param name what an error calls the callback
     */
    public static <T, R extends @Nullable Object> Function<T, CompletableFuture<R>> transaction(
            String name, Function<? super T, ? extends @Nullable CompletionStage<? extends R>> callback) {
        return guarded(name, callback, UserCode::passable);
    }

    private static <T, R extends @Nullable Object> Function<T, CompletableFuture<R>> guarded(
            String name,
            Function<? super T, ? extends @Nullable CompletionStage<? extends R>> callback,
            UnaryOperator<Throwable> errors) {
        return value -> {
            try {
                return copy(given(name, callback.apply(value)), errors);
            } catch (Throwable e) {
                return CompletableFuture.failedFuture(errors.apply(e));
            }
        };
    }

    /**
     * {@return a stage of a callback, as a future that fails only with what futures can pass on} Its cancellation
     * cancels the stage.
     *
     * @param name what an error calls the callback
     */
    public static <R extends @Nullable Object> CompletableFuture<R> stage(
            String name, @Nullable CompletionStage<? extends R> stage) {
        return copy(given(name, stage), UserCode::passable);
    }

    private static <R extends @Nullable Object> CompletableFuture<R> copy(
            CompletionStage<? extends R> stage, UnaryOperator<Throwable> errors) {
        CompletableFuture<R> copy = new CompletableFuture<>();
        try {
            var unused = stage.handle((result, error) ->
                    error == null ? copy.complete(result) : copy.completeExceptionally(errors.apply(error)));
        } catch (Throwable e) { // the stage is of a class of the user's
            copy.completeExceptionally(errors.apply(e));
        }
        if (stage instanceof CompletableFuture<? extends R> future && !copy.isDone()) {
            var unused = copy.whenComplete((result, error) -> {
                if (copy.isCancelled()) {
                    future.cancel(true);
                }
            });
        }
        return copy;
    }

    /** {@return an error that futures can pass on: this one, if it can be asked for its text} */
    public static Throwable passable(Throwable error) {
        try {
            Throwable cause = error.getCause();
            boolean isPassable = cause != error
                    && !error.toString().isEmpty()
                    && (cause == null || !cause.toString().isEmpty());
            return isPassable ? error : replaced(error);
        } catch (Throwable e) { // the error is of a class of the user's
            return replaced(error);
        }
    }

    private static IllegalStateException replaced(Throwable error) {
        return new IllegalStateException(
                error.getClass().getName() + " was thrown, whose text or cause cannot be had.");
    }

    /** {@return an error that can be passed on, and after which nothing is tried again} */
    private static Throwable ending(Throwable error) {
        Throwable passable = passable(error);
        return RootCauses.innermost(passable) instanceof FDBException
                ? new IllegalStateException(
                        "A callback has failed with an error of FoundationDB, " + RootCauses.text(passable)
                                + ", which is the callback's own: the transaction that has called it is not tried"
                                + " again.",
                        passable)
                : passable;
    }

    private static RuntimeException thrown(Throwable error) {
        if (error instanceof Error serious) {
            throw serious;
        }
        return error instanceof RuntimeException unchecked ? unchecked : new CompletionException(error);
    }
}
