package dev.couchjobs.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Environment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoopTest {
    private final VirtualScheduler time = new VirtualScheduler();

    @Test
    void aLoopGoesOnOnceItsExecutorHasThreadsAgain() {
        AtomicInteger refusals = new AtomicInteger(3);
        Executor reluctant = task -> {
            if (refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            time.execute(task);
        };
        CompletableFuture<Boolean> ran = new CompletableFuture<>();

        try (Loop loop = new Loop("test", new Environment(time, time, new Random(7)), reluctant, () -> {
            ran.complete(true);
            return CompletableFuture.completedFuture(Pause.untilPoked());
        })) {
            loop.poke();

            assertThat(time.await(ran)).isTrue();
        }
    }
}
