package dev.couchjobs.server.internal.latencies;

import java.time.Duration;
import java.time.Instant;

/**
 * A time that one job took.
 *
 * @param number its place among all samples of this server, from 1
 * @param at when it was taken
 * @param type the name of the job's type
 * @param kind what the job did in the time
 * @param time the time
 */
record Latency(long number, Instant at, String type, Kind kind, Duration time) {
    /** What a job does in a time. */
    enum Kind {
        /** From when it was added, or due, to its first claim. */
        WAIT,
        /** From a claim to its end. */
        RUN
    }
}
