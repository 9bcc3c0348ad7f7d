package dev.couchjobs.internal.monitor;

import dev.couchjobs.Environment;
import dev.couchjobs.internal.loop.TimerDelays;
import dev.couchjobs.loop.Pause;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A pause that measures how long the process has slept in it. */
final class MeasuredPause {
    /** The pause of a loop that has not paused yet. */
    static final MeasuredPause NONE = new MeasuredPause();

    private static final Duration SHORTEST_PART = Duration.ofMillis(100);
    /** Up to a fifth of a pause that a signal ends is not counted as slept, because signals may come repeatedly. */
    private static final int PARTS = 4;

    private volatile Duration slept = Duration.ZERO;
    private volatile @Nullable Future<?> timer;

    /** {@return how long the process has slept, never overestimated} */
    Duration slept() {
        return slept;
    }

    /** {@return a pause of a fixed time} */
    Pause sleep(Environment environment, Duration time) {
        return sleep(environment, time, time, new CompletableFuture<>());
    }

    /**
     * {@return a pause that a signal ends, but not before a minimum}
     *
     * @param min the minimum
     * @param max the maximum
     * @param wakeUp the signal; cancelled when the pause ends for another reason
     */
    Pause sleep(Environment environment, Duration min, Duration max, CompletableFuture<Void> wakeUp) {
        CompletableFuture<Void> signal = new CompletableFuture<>();
        after(environment, min, () -> {
            slept = min;
            sleepRest(environment, max, signal);
            var unused = wakeUp.whenComplete((fired, error) -> {
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
            wakeUp.cancel(false);
        });
        return Pause.until(signal);
    }

    private void sleepRest(Environment environment, Duration max, CompletableFuture<Void> signal) {
        Duration rest = max.minus(slept);
        if (rest.isNegative() || rest.isZero()) {
            signal.complete(null);
        } else if (!signal.isDone()) {
            Duration part = shorter(rest, longer(SHORTEST_PART, slept.dividedBy(PARTS)));
            after(environment, part, () -> {
                slept = slept.plus(part);
                sleepRest(environment, max, signal);
            });
        }
    }

    static Duration shorter(Duration first, Duration second) {
        return first.compareTo(second) < 0 ? first : second;
    }

    private static Duration longer(Duration first, Duration second) {
        return first.compareTo(second) < 0 ? second : first;
    }

    private void after(Environment environment, Duration time, Runnable then) {
        timer = environment.scheduler().schedule(then, TimerDelays.nanos(time), TimeUnit.NANOSECONDS);
    }
}
