package dev.couchjobs.bench.profile;

import java.time.Instant;

/**
 * A time to profile.
 *
 * @param begin its begin
 * @param end its end
 */
public record Interval(Instant begin, Instant end) {
    boolean contains(Instant time) {
        return !time.isBefore(begin) && time.isBefore(end);
    }
}
