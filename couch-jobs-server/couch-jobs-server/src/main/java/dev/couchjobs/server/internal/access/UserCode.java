package dev.couchjobs.server.internal.access;

import dev.couchjobs.server.Access;
import dev.couchjobs.server.Authenticator;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Code of users whose failure is to fail a request. The JDK's futures ask an error for its text when they pass it on,
 * and never end if that throws: such an error is replaced by one that names its class.
 */
public final class UserCode {
    private UserCode() {}

    /** {@return the authenticator, whose futures always end} */
    public static Authenticator authenticator(Authenticator given) {
        return request -> {
            CompletableFuture<Optional<Access>> result = new CompletableFuture<>();
            try {
                var unused = given.authenticate(request).whenComplete((access, error) -> {
                    if (error == null && access != null) {
                        result.complete(access);
                    } else {
                        result.completeExceptionally(
                                error == null
                                        ? new NullPointerException("The authenticator said null.")
                                        : printable(error));
                    }
                });
            } catch (Throwable e) { // also an error: a caller waits for the reply
                result.completeExceptionally(printable(e));
            }
            return result;
        };
    }

    /** {@return the predicate, whose failures futures can pass on} */
    public static <T> Predicate<T> predicate(Predicate<T> given) {
        return value -> {
            try {
                return given.test(value);
            } catch (Throwable e) { // also an error: a caller waits for the reply
                throw new IllegalStateException("A callback has failed", printable(e));
            }
        };
    }

    private static Throwable printable(Throwable error) {
        try {
            Objects.requireNonNull(error.toString());
            if (error.getCause() != error) { // a caller that follows such a cause would never reach the last one
                return error;
            }
            return new IllegalStateException(error.getClass().getName() + " was thrown, which is its own cause.");
        } catch (Throwable e) {
            return new IllegalStateException(error.getClass().getName() + " was thrown, whose text cannot be had.");
        }
    }
}
