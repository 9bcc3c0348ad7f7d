package dev.couchjobs.topics.internal.consumers;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.loop.Pause;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The rounds of a loop, which end before those that wait for its stop go on. */
final class Rounds {
    @GuardedBy("this") private boolean isStopped;

    @GuardedBy("this") private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

    /** Runs a round, unless the rounds are stopped. */
    CompletableFuture<Pause> run(Supplier<CompletableFuture<Pause>> round) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        synchronized (this) {
            if (isStopped) {
                return CompletableFuture.completedFuture(Pause.untilWakeUp());
            }
            last = ended;
        }
        CompletableFuture<Pause> running;
        try {
            running = round.get();
        } catch (RuntimeException e) { // the database is closed
            running = CompletableFuture.failedFuture(e);
        }
        return running.whenComplete((pause, error) -> ended.complete(null));
    }

    /** Lets no further round begin. {@return completes when the present one has ended} */
    synchronized CompletableFuture<Void> stop() {
        isStopped = true;
        return last;
    }
}
