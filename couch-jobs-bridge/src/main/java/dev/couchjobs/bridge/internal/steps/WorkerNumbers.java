package dev.couchjobs.bridge.internal.steps;

import java.util.BitSet;

/** The numbers of the workers of a process, from 1: each step that runs has the lowest that was free. Thread-safe. */
final class WorkerNumbers {
    private final BitSet taken = new BitSet();

    synchronized int take() {
        int lowest = taken.nextClearBit(1);
        taken.set(lowest);
        return lowest;
    }

    synchronized void free(int number) {
        taken.clear(number);
    }
}
