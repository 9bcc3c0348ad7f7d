package dev.couchjobs.examples;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Happens once, half-way: the processor that has the middle one of all files half done stops dead. */
final class Accident {
    private final int fatal;
    private final Set<String> halfDone = new HashSet<>();
    private @Nullable IndexProcessor victim;

    Accident(int files) {
        fatal = files / 2 + 1;
    }

    /** {@return whether the accident happened to this processor just now} */
    synchronized boolean strikes(IndexProcessor processor, String path) {
        if (victim == null && halfDone.add(path) && halfDone.size() == fatal) {
            victim = processor;
            return true;
        }
        return false;
    }

    synchronized Optional<IndexProcessor> victim() {
        return Optional.ofNullable(victim);
    }
}
