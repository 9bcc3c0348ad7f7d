package dev.couchjobs.simulation;

import org.jspecify.annotations.Nullable;

/** What was found to be wrong, first of all where nobody would hear of it. */
final class Complaints {
    private @Nullable String first;

    /** Fails the simulation, wherever it is found out. */
    void require(boolean held, String otherwise) {
        if (!held) {
            first = first == null ? otherwise : first;
            throw new AssertionError(otherwise);
        }
    }

    /** Fails if anything was found out. */
    void check() {
        if (first != null) {
            throw new AssertionError(first);
        }
    }
}
