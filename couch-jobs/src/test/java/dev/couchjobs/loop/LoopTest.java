package dev.couchjobs.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.Environment;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

    /** What may happen to a loop while it is held, and how many rounds follow when it is released. */
    private enum WhileHeld {
        NOTHING(0),
        WAKE_UP(1),
        SIGNAL(1),
        TIME(1);

        private final int rounds;

        WhileHeld(int rounds) {
            this.rounds = rounds;
        }
    }

    @ParameterizedTest
    @EnumSource(WhileHeld.class)
    void aLoopThatIsHeldBeginsNoRound(WhileHeld kind) {
        AtomicInteger rounds = new AtomicInteger();
        CompletableFuture<Void> signal = new CompletableFuture<>();
        try (Loop loop = new Loop("test", new Environment(time, time, new Random(7)), () -> {
            rounds.incrementAndGet();
            return CompletableFuture.completedFuture(
                    rounds.get() == 1 ? Pause.until(signal).cappedAt(Duration.ofHours(1)) : Pause.untilWakeUp());
        })) {
            loop.wakeUp();
            time.advance(Duration.ofSeconds(1));
            assertThat(loop.hold()).isTrue();
            assertThat(loop.hold()).isFalse();

            switch (kind) {
                case NOTHING -> {}
                case WAKE_UP -> loop.wakeUp();
                case SIGNAL -> signal.complete(null);
                case TIME -> time.advance(Duration.ofHours(2));
            }
            time.advance(Duration.ofSeconds(1));
            assertThat(rounds).hasValue(1);

            loop.release(Optional.empty());
            time.advance(Duration.ofSeconds(1));
            assertThat(rounds).hasValue(1 + kind.rounds);
        }
    }

    @Test
    void aRoundThatHasNotBegunBeginsAfterTheRelease() {
        AtomicInteger rounds = new AtomicInteger();
        try (Loop loop = new Loop("test", new Environment(time, time, new Random(7)), () -> {
            rounds.incrementAndGet();
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        })) {
            loop.wakeUp();
            assertThat(loop.hold()).isTrue();
            time.advance(Duration.ofSeconds(1));
            assertThat(rounds).hasValue(0);

            loop.release(Optional.empty());
            time.advance(Duration.ofSeconds(1));
            assertThat(rounds).hasValue(1);
        }
    }

    @Test
    void aReleaseMayReplaceThePause() {
        AtomicInteger rounds = new AtomicInteger();
        CompletableFuture<Void> before = new CompletableFuture<>();
        try (Loop loop = new Loop("test", new Environment(time, time, new Random(7)), () -> {
            rounds.incrementAndGet();
            return CompletableFuture.completedFuture(Pause.until(before));
        })) {
            loop.wakeUp();
            time.advance(Duration.ofSeconds(1));
            assertThat(loop.hold()).isTrue();

            loop.release(Optional.of(Pause.atMost(Duration.ofMinutes(1))));

            assertThat(before).isCancelled();
            time.advance(Duration.ofSeconds(59));
            assertThat(rounds).hasValue(1);
            time.advance(Duration.ofSeconds(2));
            assertThat(rounds).hasValue(2);
        }
    }

    @Test
    void aLoopInARoundOrABackOffIsNotHeld() {
        CompletableFuture<Pause> round = new CompletableFuture<>();
        try (Loop loop = new Loop("test", new Environment(time, time, new Random(7)), () -> round)) {
            loop.wakeUp();
            time.advance(Duration.ofSeconds(1));
            assertThat(loop.hold()).isFalse();

            round.completeExceptionally(new IllegalStateException("no"));
            assertThat(loop.hold()).isFalse();
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

    /** A way in which a loop ends. */
    private enum End {
        /** It is closed before its first round. */
        UNUSED,
        /** It is closed between two rounds. */
        PAUSED,
        /** It is closed during a round, which ends later. */
        IN_ROUND,
        /** Its round, which begins within {@code wakeUp}, finds the database closed. */
        BY_ROUND,
        /** It learns during its pause that the database is closed. */
        BY_SIGNAL,
        /** It is closed while it backs off. */
        BACKING_OFF,
        /** It is closed while it is held, and released later. */
        HELD
    }

    @ParameterizedTest
    @EnumSource
    void aLoopSaysWithoutItsLockThatItHasEnded(End end) {
        CompletableFuture<Pause> round = new CompletableFuture<>();
        Loop loop = new Loop("test", new Environment(time, time, new Random(7)), Runnable::run, () -> round);
        List<Boolean> told = new ArrayList<>();
        var unused = loop.ended().thenRun(() -> told.add(Thread.holdsLock(loop)));
        CompletableFuture<Void> signal = new CompletableFuture<>();
        IllegalStateException closed = new IllegalStateException("The database is closed");
        switch (end) {
            case UNUSED, IN_ROUND -> {}
            case PAUSED, BY_SIGNAL, HELD -> round.complete(Pause.until(signal));
            case BY_ROUND -> round.completeExceptionally(closed);
            case BACKING_OFF -> round.completeExceptionally(new IllegalStateException("no luck"));
        }
        if (end != End.UNUSED) {
            loop.wakeUp();
        }
        if (end == End.BY_SIGNAL) {
            assertThat(told).isEmpty();
            signal.completeExceptionally(closed);
        }
        if (end == End.HELD) {
            assertThat(loop.hold()).isTrue();
        }
        if (end != End.BY_SIGNAL && end != End.BY_ROUND) {
            assertThat(told).isEmpty();
            loop.close();
        }
        if (end == End.IN_ROUND) {
            assertThat(told).as("a round is under way").isEmpty();
            round.complete(Pause.none());
        }
        if (end == End.HELD) {
            assertThat(told).as("a round is kept from beginning").isEmpty();
            loop.release(Optional.empty());
        }

        assertThat(told).containsExactly(false);
        assertThat(loop.ended()).isCompleted();
    }
}
