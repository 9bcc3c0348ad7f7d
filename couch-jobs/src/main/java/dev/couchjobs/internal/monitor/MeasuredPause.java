package dev.couchjobs.internal.monitor;

import dev.couchjobs.Environment;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A pause that measures how much of it the process has slept through. */
final class MeasuredPause {
    /** The pause of a loop that has not paused yet. */
    static final MeasuredPause NONE = new MeasuredPause();

    private static final Duration SHORTEST_PART = Duration.ofMillis(100);
    /** A fifth of a pause that news may end is not counted as slept, because news may come repeatedly. */
    private static final int PARTS = 4;

    private volatile Duration slept = Duration.ZERO;
    private volatile @Nullable Future<?> timer;

    /** {@return how much of it was slept through, never overestimated} */
    Duration slept() {
        return slept;
    }

    /** {@return a pause of that time} */
    Pause sleep(Environment environment, Duration time) {
        return sleep(environment, time, time, new CompletableFuture<>());
    }

    /**
     * {@return a pause that news end, but not before a minimum}
     *
     * @param least the minimum
     * @param most the maximum
     * @param news cancelled when the pause ends otherwise
     */
    Pause sleep(Environment environment, Duration least, Duration most, CompletableFuture<Void> news) {
        CompletableFuture<Void> signal = new CompletableFuture<>();
        after(environment, least, () -> {
            slept = least;
            goOn(environment, most, signal);
            var unused = news.whenComplete((fired, error) -> {
                if (error == null) {
                    signal.complete(null);
                } else {
                    signal.completeExceptionally(error);
                }
            });
        });
        var unused = signal.whenComplete((done, error) -> {
            Future<?> last = timer;
            if (last != null) {
                last.cancel(false);
            }
            news.cancel(false);
        });
        return Pause.until(signal);
    }

    private void goOn(Environment environment, Duration most, CompletableFuture<Void> signal) {
        Duration rest = most.minus(slept);
        if (rest.isNegative() || rest.isZero()) {
            signal.complete(null);
        } else if (!signal.isDone()) {
            Duration part = shorter(rest, longer(SHORTEST_PART, slept.dividedBy(PARTS)));
            after(environment, part, () -> {
                slept = slept.plus(part);
                goOn(environment, most, signal);
            });
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    private void after(Environment environment, Duration time, Runnable then) {
        timer = environment.scheduler().schedule(then, TimerDelays.nanos(time), TimeUnit.NANOSECONDS);
    }
}
