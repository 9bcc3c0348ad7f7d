package dev.couchjobs.internal.sweep;

import dev.couchjobs.Environment;
import dev.couchjobs.Outcome;
import dev.couchjobs.Retention;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.internal.rows.Feature;
import dev.couchjobs.internal.rows.Layout;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.OptionalLong;

/**
 * The pause between two sweeps. The next sweep starts when the next job is due, but after at most a tenth of the
 * retention, so no removal is later than that, or after 15 seconds if jobs may have deadlines. The minimum is some
 * seconds, so that one sweep removes many jobs.
 */
final class SweepInterval {
    private static final Duration SHORTEST = Duration.ofSeconds(5);
    private static final Duration LONGEST_AT_LEAST = Duration.ofMinutes(1);
    static final Duration LONGEST_AT_MOST = Duration.ofMinutes(10);
    /** The longest pause of an instance whose jobs may have deadlines: it delays the expiry of jobs. */
    private static final Duration LONGEST_WITH_DEADLINES = Duration.ofSeconds(15);

    private static final Duration CLOCKS_COMPARED_AFTER = Duration.ofMinutes(1);
    private static final int JITTER_PERCENT = 20;

    private final Environment environment;
    private volatile Duration longestByRetention;
    private volatile Duration longestByLayout = LONGEST_AT_MOST;

    SweepInterval(Environment environment, Retention retention) {
        this.environment = environment;
        this.longestByRetention = longest(retention);
    }

    /** {@return the longest pause in a layout, whatever the retention} */
    static Duration longest(Layout layout) {
        return layout.mayUse(Feature.DEADLINES) ? LONGEST_WITH_DEADLINES : LONGEST_AT_MOST;
    }

    private static Duration longest(Retention retention) {
        Duration tenth = Arrays.stream(Outcome.values())
                .flatMap(outcome -> retention.after(outcome).stream())
                .min(Duration::compareTo)
                .orElse(LONGEST_AT_MOST)
                .dividedBy(10);
        return between(LONGEST_AT_LEAST, tenth, LONGEST_AT_MOST);
    }

    /** Sets the retention of the jobs that end from now on. */
    void retention(Retention retention) {
        longestByRetention = longest(retention);
    }

    /** Sets the layout. */
    void layout(Layout layout) {
        longestByLayout = longest(layout);
    }

    /** {@return the longest pause in the layout} */
    Duration longestByLayout() {
        return longestByLayout;
    }

    private Duration longest() {
        return between(Duration.ZERO, longestByRetention, longestByLayout);
    }

    /** {@return a pause until a second; the longest pause if no job is due} */
    Pause until(OptionalLong dueSecond) {
        return dueSecond.isEmpty()
                ? jittered(longest())
                : atMost(Duration.between(environment.clock().instant(), Instant.ofEpochSecond(dueSecond.getAsLong())));
    }

    /** {@return a pause of a time, between the shortest and the longest} */
    Pause atMost(Duration time) {
        return jittered(between(SHORTEST, time, longest()));
    }

    /** {@return a pause until the clocks are compared again} */
    Pause untilClocksAgree() {
        return jittered(CLOCKS_COMPARED_AFTER);
    }

    private Pause jittered(Duration time) {
        return Pause.atMost(TimerDelays.jittered(environment, time, JITTER_PERCENT));
    }

    private static Duration between(Duration least, Duration time, Duration most) {
        if (time.compareTo(least) < 0) {
            return least;
        }
        return time.compareTo(most) > 0 ? most : time;
    }
}
