package dev.couchjobs.fdb.simulation;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;

class VirtualSchedulerTest {

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final List<String> ran = new ArrayList<>();

    @Test
    void nothingRunsUntilTheTestDrives() {
        scheduler.execute(() -> ran.add("task"));
        assertThat(ran).isEmpty();

        scheduler.runUntilIdle();
        assertThat(ran).containsExactly("task");
    }

    @Test
    void runUntilIdleRunsWhatTasksSubmitButLeavesTimersAlone() {
        scheduler.execute(() -> scheduler.execute(() -> ran.add("inner")));
        after(Duration.ofMillis(1), () -> ran.add("later"));
        scheduler.runUntilIdle();

        assertThat(ran).containsExactly("inner");
        assertThat(scheduler.nanoTime()).isZero();
    }

    @Test
    void advanceRunsTimersInDueOrderAndTiesInSubmissionOrder() {
        after(Duration.ofMillis(20), () -> ran.add("20 first"));
        after(Duration.ofMillis(10), () -> ran.add("10"));
        after(Duration.ofMillis(20), () -> ran.add("20 second"));
        after(Duration.ofMillis(21), () -> ran.add("21"));
        scheduler.advance(Duration.ofMillis(20));

        assertThat(ran).containsExactly("10", "20 first", "20 second");
    }

    @Test
    void aTaskSeesTheTimeItWasDueAt() {
        List<Long> seen = new ArrayList<>();
        after(Duration.ofSeconds(3), () -> seen.add(scheduler.nanoTime()));
        scheduler.advance(Duration.ofSeconds(10));

        assertThat(seen).containsExactly(3_000_000_000L);
        assertThat(scheduler.nanoTime()).isEqualTo(10_000_000_000L);
    }

    @Test
    void advanceCannotGoBack() {
        assertThatThrownBy(() -> scheduler.advance(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void awaitJumpsFromTimerToTimerUntilTheFutureIsDone() {
        CompletableFuture<String> future = new CompletableFuture<>();
        after(Duration.ofSeconds(5), () -> after(Duration.ofSeconds(5), () -> future.complete("done")));
        after(Duration.ofSeconds(11), () -> ran.add("later"));

        assertThat(scheduler.await(future)).isEqualTo("done");
        assertThat(scheduler.nanoTime()).isEqualTo(10_000_000_000L);
        assertThat(ran).isEmpty();
    }

    @Test
    void awaitThrowsWhatTheFutureFailsWith() {
        CompletableFuture<String> future = new CompletableFuture<>();
        scheduler.execute(() -> future.completeExceptionally(new IllegalStateException("no")));

        assertThatThrownBy(() -> scheduler.await(future))
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void awaitFailsWhenNothingIsLeftToRun() {
        assertThatThrownBy(() -> scheduler.await(new CompletableFuture<>()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Nothing is left to run");
    }

    @Test
    void awaitFailsWhenOnlyAPeriodicTaskKeepsRunning() {
        everySecond(() -> {});

        assertThatThrownBy(() -> scheduler.await(new CompletableFuture<>()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("A day of virtual time");
    }

    @Test
    void tasksThatNeverLetTimePassFailTheTest() {
        Runnable[] loop = new Runnable[1];
        loop[0] = () -> scheduler.execute(loop[0]);
        scheduler.execute(loop[0]);

        assertThatThrownBy(scheduler::runUntilIdle)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("time does not move");
    }

    @Test
    void periodicTasksRunOncePerPeriodUntilCancelled() {
        ScheduledFuture<?> beat = scheduler.scheduleAtFixedRate(() -> ran.add("beat"), 0, 2, SECONDS);
        scheduler.advance(Duration.ofSeconds(5));
        assertThat(ran).hasSize(3);

        beat.cancel(false);
        scheduler.advance(Duration.ofSeconds(5));
        assertThat(ran).hasSize(3);
    }

    @Test
    void aPeriodicTaskThatThrowsEndsAndKeepsItsError() {
        ScheduledFuture<?> beat = scheduler.scheduleWithFixedDelay(
                () -> {
                    throw new IllegalStateException("no");
                },
                1,
                1,
                SECONDS);
        scheduler.advance(Duration.ofSeconds(5));

        assertThatThrownBy(beat::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void aCancelledTimerNeverRuns() {
        ScheduledFuture<?> timer = scheduler.schedule(() -> ran.add("timer"), 1, SECONDS);
        assertThat(timer.getDelay(MILLISECONDS)).isEqualTo(1_000);
        assertThat(timer.cancel(false)).isTrue();
        scheduler.advance(Duration.ofSeconds(2));

        assertThat(ran).isEmpty();
        assertThat(timer.isCancelled()).isTrue();
    }

    @Test
    void submittedTasksKeepTheirResultAndTheirError() {
        Future<String> good = scheduler.submit(() -> "value");
        Future<?> bad = scheduler.submit(() -> {
            throw new IllegalStateException("no");
        });
        scheduler.runUntilIdle();

        assertThat(good).isDone().succeedsWithin(Duration.ZERO).isEqualTo("value");
        assertThatThrownBy(bad::get).hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatAnExecutedTaskThrowsComesOutOfTheDriver() {
        scheduler.execute(() -> {
            throw new IllegalStateException("no");
        });
        scheduler.execute(() -> ran.add("next"));

        assertThatThrownBy(scheduler::runUntilIdle).isInstanceOf(IllegalStateException.class);
        scheduler.runUntilIdle();
        assertThat(ran).containsExactly("next");
    }

    @Test
    void theWallClockMovesWithTimeAndJumpsByItself() {
        scheduler.setInstant(Instant.parse("2030-06-01T12:00:00Z"));
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(scheduler.instant()).isEqualTo("2030-06-01T12:00:01Z");

        scheduler.setInstant(Instant.parse("2029-01-01T00:00:00Z"));
        assertThat(scheduler.instant()).isEqualTo("2029-01-01T00:00:00Z");
        assertThat(scheduler.nanoTime()).isEqualTo(1_000_000_000L);
    }

    @Test
    void aJumpRunsWhatIsDueByThenOnceAndAtTheNewTime() {
        Runnable again = new Runnable() {
            @Override
            public void run() {
                ran.add("period " + scheduler.nanoTime());
                var unusedNext = scheduler.schedule(this, 1, NANOSECONDS);
            }
        };
        var unusedFirst = scheduler.schedule(again, 1, NANOSECONDS);
        var unusedLater = scheduler.schedule(() -> ran.add("later " + scheduler.nanoTime()), 11, NANOSECONDS);
        scheduler.jump(Duration.ofNanos(10));
        assertThat(ran).isEmpty();

        scheduler.runUntilIdle();
        assertThat(ran).containsExactly("period 10");
        scheduler.advance(Duration.ofNanos(1));
        assertThat(ran).containsExactly("period 10", "later 11", "period 11");
    }

    @Test
    void timeGoesNeitherBackNorBeyondItsEnd() {
        Duration tooLong = Duration.ofDays(300 * 365);
        for (Duration wrong : List.of(Duration.ofNanos(-1), tooLong, ChronoUnit.FOREVER.getDuration())) {
            assertThatThrownBy(() -> scheduler.jump(wrong)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> scheduler.advance(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(scheduler.nanoTime()).isZero();
    }

    @Test
    void aForeignThreadCanNeitherDriveNorSubmit() {
        scheduler.runUntilIdle();

        assertThatThrownBy(() ->
                        CompletableFuture.runAsync(scheduler::runUntilIdle).join())
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> CompletableFuture.runAsync(() -> scheduler.execute(() -> {}))
                        .join())
                .hasCauseInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void afterShutdownWaitingTasksRunPeriodicOnesDoNotAndNewOnesAreRejected() {
        after(Duration.ofSeconds(1), () -> ran.add("timer"));
        everySecond(() -> ran.add("beat"));
        scheduler.shutdown();
        assertThatThrownBy(() -> scheduler.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(scheduler.isTerminated()).isFalse();

        assertThat(scheduler.awaitTermination(5, SECONDS)).isTrue();
        assertThat(ran).containsExactly("timer");
    }

    @Test
    void shutdownNowReturnsWhatNeverRan() {
        Runnable task = () -> ran.add("task");
        scheduler.execute(task);

        assertThat(scheduler.shutdownNow()).containsExactly(task);
        assertThat(scheduler.isTerminated()).isTrue();
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private void after(Duration delay, Runnable task) {
        scheduler.schedule(task, delay.toNanos(), NANOSECONDS);
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private void everySecond(Runnable task) {
        scheduler.scheduleAtFixedRate(task, 1, 1, SECONDS);
    }
}
