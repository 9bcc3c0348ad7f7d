package dev.couchjobs.fdb.simulation;

import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong with one step of a transaction: what happens to it, and what its caller is told.
 *
 * @param name for people
 * @param takesEffect whether the step happens nevertheless
 * @param failure makes what the caller is told, or is null if it is told that all is well
 */
public record InjectedFault(
        String name, boolean takesEffect, @Nullable Supplier<RuntimeException> failure) {

    /**
     * A step that does not happen and fails with an error of FoundationDB's.
     *
     * @param name for people
     * @param code FoundationDB's number of the error
     * @return the mishap
     */
    public static InjectedFault error(String name, int code) {
        return new InjectedFault(name, false, () -> new InjectedException(name, code));
    }

    /**
     * A commit that happens and nevertheless fails with an error of FoundationDB's.
     *
     * @param name for people
     * @param code FoundationDB's number of the error
     * @return the mishap
     */
    public static InjectedFault errorAfterwards(String name, int code) {
        return new InjectedFault(name, true, () -> new InjectedException(name, code));
    }

    /**
     * A watch that fires although nothing has changed.
     *
     * @param name for people
     * @return the mishap
     */
    public static InjectedFault firing(String name) {
        return new InjectedFault(name, false, null);
    }

    Optional<RuntimeException> error() {
        return failure == null ? Optional.empty() : Optional.of(failure.get());
    }
}
