package dev.couchjobs.internal.loop;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What a {@link Loop} waits for before its next round: a signal, a time, or whichever comes first. A wake-up ends any
 * pause.
 *
 * @param signal ends the pause when it completes; cancelled when the pause ends otherwise
 * @param atMost the longest pause
 */
public record Pause(Optional<CompletableFuture<?>> signal, Optional<Duration> atMost) {

    /** {@return no pause at all} */
    public static Pause none() {
        return atMost(Duration.ZERO);
    }

    /** {@return a pause that only a wake-up ends} */
    public static Pause untilWakeUp() {
        return new Pause(Optional.empty(), Optional.empty());
    }

    /** {@return a pause of that time} */
    public static Pause atMost(Duration duration) {
        return new Pause(Optional.empty(), Optional.of(duration));
    }

    /** {@return a pause until then} */
    public static Pause until(CompletableFuture<?> signal) {
        return new Pause(Optional.of(signal), Optional.empty());
    }

    /** {@return what completes as the first of two does, and with which both are cancelled} */
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

    /** {@return this pause, but not longer} */
    public Pause butAtMost(Duration duration) {
        return new Pause(signal, Optional.of(duration));
    }
}
