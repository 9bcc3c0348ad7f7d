package dev.couchjobs.bridge.simulation;

import dev.couchjobs.fdb.simulation.SimulatedProcess;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One attempt at an action. */
final class ActionAttempt {
    /** How the attempt has ended. */
    enum End {
        OPEN,
        SUCCESS,
        FAILURE,
        /** The bridge has cancelled it. */
        STOPPED
    }

    final String document;
    final int step;
    final String node;
    final SimulatedProcess process;
    final boolean isAlternative;
    /** The number of the try, from 1. */
    final int number;

    final Duration begin;
    End end = End.OPEN;
    boolean isAskedToStop;

    @Nullable Duration endTime;

    ActionAttempt(
            String document,
            int step,
            String node,
            SimulatedProcess process,
            boolean isAlternative,
            int number,
            Duration begin) {
        this.document = document;
        this.step = step;
        this.node = node;
        this.process = process;
        this.isAlternative = isAlternative;
        this.number = number;
        this.begin = begin;
    }

    boolean isOpen() {
        return end == End.OPEN && process.isAlive();
    }

    Duration endTime() {
        if (endTime == null) {
            throw new IllegalStateException(this + " has not ended");
        }
        return endTime;
    }

    @Override
    public String toString() {
        return begin + " " + process.name() + " " + document + "[" + step + "] "
                + (isAlternative ? "otherwise " : "try ") + number + ": " + end
                + (endTime == null ? "" : " " + endTime);
    }
}
