package dev.couchjobs.fdb.simulation;

import java.time.Duration;

/**
 * How long the store takes to answer, without any fault.
 *
 * @param read until a read is answered, or a watch fires
 * @param commit until a commit is answered
 */
record Latency(Duration read, Duration commit) {
    static final Latency NONE = new Latency(Duration.ZERO, Duration.ZERO);

    Latency {
        if (read.isNegative() || commit.isNegative()) {
            throw new IllegalArgumentException(
                    "The latency of an answer must not be negative: " + read + ", " + commit);
        }
    }

    /** {@return the same for a process that is that far from the store, there and back} */
    Latency from(Duration distance) {
        return new Latency(read.plus(distance), commit.plus(distance));
    }

    /** {@return how long a step takes on its way to the store, where it is done} */
    long sendingNanos(FaultPoint point) {
        return isSent(point) ? commit.toNanos() / 2 : 0;
    }

    /** {@return how long the answer takes} */
    long answerNanos(FaultPoint point) {
        if (point.kind() != FaultPoint.Kind.COMMIT) {
            return read.toNanos();
        }
        return isSent(point) ? commit.toNanos() - sendingNanos(point) : 0;
    }

    /** Reads are done at once and answered late. A commit that writes nothing needs no store. */
    private static boolean isSent(FaultPoint point) {
        return point.kind() == FaultPoint.Kind.COMMIT && point.writes();
    }
}
