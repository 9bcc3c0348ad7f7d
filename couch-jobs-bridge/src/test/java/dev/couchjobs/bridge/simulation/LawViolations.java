package dev.couchjobs.bridge.simulation;

import org.jspecify.annotations.Nullable;

/** What was found to be wrong where nobody would hear of it, such as in the middle of an action. */
final class LawViolations {
    private @Nullable String first;

    void add(String complaint) {
        first = first == null ? complaint : first;
    }

    /** Fails if anything was found out. */
    void check() {
        if (first != null) {
            throw new AssertionError(first);
        }
    }
}
