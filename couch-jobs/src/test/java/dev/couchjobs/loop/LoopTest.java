package dev.couchjobs.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Environment;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Duration;
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
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        })) {
            loop.wakeUp();

            assertThat(time.await(ran)).isTrue();
        }
    }

    @Test
    void aLoopEndsWhenItsDatabaseHasBeenClosed() {
        VirtualStage stage = new VirtualStage(1);
        AtomicInteger rounds = new AtomicInteger();
        try (Loop loop = new Loop("test", stage.environment(), () -> {
            rounds.incrementAndGet();
            return stage.database()
                    .runAsync(tx -> CompletableFuture.completedFuture(Pause.atMost(Duration.ofSeconds(1))));
        })) {
            loop.wakeUp();
            stage.time().advance(Duration.ofMillis(1_500));
            assertThat(rounds).hasValue(2);

            stage.close();
            stage.time().advance(Duration.ofHours(1));
            loop.wakeUp();
            stage.time().advance(Duration.ofHours(1));

            assertThat(rounds).hasValue(3);
        }
    }
}
