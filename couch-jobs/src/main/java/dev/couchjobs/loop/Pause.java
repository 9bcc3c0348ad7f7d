package dev.couchjobs.loop;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The time between two rounds of a {@link Loop}. It ends with a signal, after a time, or with the first of both. A
 * wake-up ends any pause.
 *
 * @param signal ends the pause when it completes; cancelled when the pause ends for another reason
 * @param atMost the longest pause
 */
public record Pause(Optional<CompletableFuture<?>> signal, Optional<Duration> atMost) {

    /** {@return no pause} */
    public static Pause none() {
        return atMost(Duration.ZERO);
    }

    /** {@return a pause that only a wake-up ends} */
    public static Pause untilWakeUp() {
        return new Pause(Optional.empty(), Optional.empty());
    }

    /**
     * {@return a pause of a fixed time}
     *
     * @param duration the time; a negative one is none
     */
    public static Pause atMost(Duration duration) {
        return new Pause(Optional.empty(), Optional.of(Objects.requireNonNull(duration, "duration")));
    }

    /**
     * {@return a pause until a signal completes}
     *
     * @param signal ends the pause
     */
    public static Pause until(CompletableFuture<?> signal) {
        return new Pause(Optional.of(signal), Optional.empty());
    }

    /**
     * {@return a future that completes with the first of two, and that cancels both when it is cancelled}
     *
     * @param first a future
     * @param second another future
     */
    public static CompletableFuture<Void> firstOf(CompletableFuture<Void> first, CompletableFuture<Void> second) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        for (CompletableFuture<Void> each : List.of(first, second)) {
            var unused = each.whenComplete((done, error) -> {
                if (error == null) {
                    result.complete(null);
                } else {
                    result.completeExceptionally(error);
                }
            });
        }
        var unused = result.whenComplete((done, error) -> {
            first.cancel(false);
            second.cancel(false);
        });
        return result;
    }

    /**
     * {@return this pause, limited to a maximum} A shorter pause stays as it is.
     *
     * @param max the longest pause
     */
    public Pause cappedAt(Duration max) {
        Objects.requireNonNull(max, "max");
        return atMost.filter(time -> time.compareTo(max) <= 0).isPresent() ? this : new Pause(signal, Optional.of(max));
    }
}
