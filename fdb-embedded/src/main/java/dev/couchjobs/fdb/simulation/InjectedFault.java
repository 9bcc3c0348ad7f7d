package dev.couchjobs.fdb.simulation;

import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A fault of one step of a transaction: what happens to the step, and what its caller receives.
 *
 * @param name for people
 * @param takesEffect whether the step happens nevertheless
 * @param failure makes the error for the caller, or is null if the caller receives success
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
