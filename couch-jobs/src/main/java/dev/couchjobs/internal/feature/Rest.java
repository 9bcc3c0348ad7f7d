package dev.couchjobs.internal.feature;

import dev.couchjobs.loop.ArmedWatch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * When the next claim of a type may find jobs, as far as one source of jobs or one limit knows.
 *
 * @param isAtOnce whether it may find some now
 * @param watches the first of them fires when there may be jobs
 * @param nextDue when a job is due by the clock, in seconds since the epoch
 * @param pauseMax the longest time to wait
 */
public record Rest(boolean isAtOnce, List<ArmedWatch> watches, OptionalLong nextDue, Optional<Duration> pauseMax) {
    /** No time and no watch: jobs come from elsewhere. */
    public static final Rest NONE = new Rest(false, List.of(), OptionalLong.empty(), Optional.empty());

    /** The next claim may find jobs now. */
    public static final Rest AT_ONCE = new Rest(true, List.of(), OptionalLong.empty(), Optional.empty());

    private static final Duration VERSION_STEP = Duration.ofMillis(2);

    /** {@return a rest until one of some watches fires} */
    public static Rest on(List<ArmedWatch> watches) {
        return new Rest(false, watches, OptionalLong.empty(), Optional.empty());
    }

    /** {@return a rest until a job is due, if there is one} */
    public static Rest until(OptionalLong due) {
        return new Rest(false, List.of(), due, Optional.empty());
    }

    /** {@return a rest of a duration} A database without commits advances its version in steps. */
    public static Rest atMost(Duration duration) {
        Duration pause = duration.compareTo(VERSION_STEP) < 0 ? VERSION_STEP : duration;
        return new Rest(false, List.of(), OptionalLong.empty(), Optional.of(pause));
    }

    /** {@return the rest that ends with the first of two} */
    public Rest and(Rest other) {
        return isAtOnce || other.isAtOnce
                ? AT_ONCE
                : new Rest(
                        false,
                        Stream.concat(watches.stream(), other.watches.stream()).toList(),
                        Stream.of(nextDue, other.nextDue)
                                .flatMapToLong(OptionalLong::stream)
                                .min(),
                        Stream.of(pauseMax, other.pauseMax)
                                .flatMap(Optional::stream)
                                .min(Duration::compareTo));
    }
}
