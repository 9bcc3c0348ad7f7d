package dev.couchjobs.loop;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The time between two rounds of a {@link Loop}: until a signal, for a time, or until the first of both. A wake-up ends
 * any pause.
 *
 * @param signal ends the pause when it completes; cancelled when the pause ends otherwise
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
     * {@return a pause of that time}
     *
     * @param duration how long it is
     */
    public static Pause atMost(Duration duration) {
        return new Pause(Optional.empty(), Optional.of(duration));
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
     * @param one a future
     * @param other another future
     */
    public static CompletableFuture<Void> firstOf(CompletableFuture<Void> one, CompletableFuture<Void> other) {
        CompletableFuture<Void> first = new CompletableFuture<>();
        for (CompletableFuture<Void> each : List.of(one, other)) {
            var unused = each.whenComplete((done, error) -> {
                if (error == null) {
                    first.complete(null);
                } else {
                    first.completeExceptionally(error);
                }
            });
        }
        var unused = first.whenComplete((done, error) -> {
            one.cancel(false);
            other.cancel(false);
        });
        return first;
    }

    /**
     * {@return this pause, limited to a maximum} A shorter pause stays as it is.
     *
     * @param max the longest pause
     */
    public Pause cappedAt(Duration max) {
        return atMost.filter(time -> time.compareTo(max) <= 0).isPresent() ? this : new Pause(signal, Optional.of(max));
    }
}
