package dev.couchjobs.topics.internal.loops;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.loop.Pause;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The rounds of a loop that ends. A loop may begin one more round after it was closed; here none begins after
 * {@link #stop}, and its caller knows when the present one has ended.
 */
public final class Rounds {
    @GuardedBy("this") private boolean isStopped;

    @GuardedBy("this") private CompletableFuture<?> present = CompletableFuture.completedFuture(null);

    /** Runs a round, unless it is too late. */
    public CompletableFuture<Pause> run(Supplier<CompletableFuture<Pause>> round) {
        CompletableFuture<Boolean> go = new CompletableFuture<>();
        CompletableFuture<Pause> running = go.thenCompose(begun -> round.get());
        synchronized (this) {
            if (isStopped) {
                return CompletableFuture.completedFuture(Pause.untilWakeUp());
            }
            present = running;
        }
        go.complete(true);
        return running;
    }

    /** Begins no further round. {@return completes when the present one has ended} */
    public synchronized CompletableFuture<Void> stop() {
        isStopped = true;
        return present.handle((pause, error) -> null);
    }
}
