package dev.couchjobs.bridge.simulation;

import org.jspecify.annotations.Nullable;

/** The violations that were found where an exception would be lost, such as within an action. */
final class LawViolations {
    private @Nullable String first;

    void add(String complaint) {
        first = first == null ? complaint : first;
    }

    /** Fails if there is a violation. */
    void check() {
        if (first != null) {
            throw new AssertionError(first);
        }
    }
}
