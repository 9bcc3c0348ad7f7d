package dev.couchjobs.simulation;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What was found to be wrong, first of all where nobody would hear of it. */
final class Violations {
    private @Nullable String first;

    /** Fails the simulation, wherever it is found out. */
    void require(boolean held, Object otherwise) {
        if (!held) {
            String complaint = otherwise.toString();
            first = first == null ? complaint : first;
            throw new AssertionError(complaint);
        }
    }

    /** Fails the simulation, wherever it is found out; for what is often asked and takes long to tell. */
    void require(boolean held, Supplier<String> otherwise) {
        if (!held) {
            require(false, otherwise.get());
        }
    }

    /** Fails if anything was found out. */
    void check() {
        if (first != null) {
            throw new AssertionError(first);
        }
    }
}
