package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.TransactionTooLongException;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions of handlers that take nearly as long as FoundationDB allows, or longer; in virtual time. */
class LongTransactionsTest {
    private static final JobType<String, String> PAY =
            JobType.of("pay", String.class, String.class).retry(RetryPolicy.never());
    private static final byte[] EFFECT = Tuple.from("effect").pack();

    private final Simulation simulation = Simulation.builder(7).calm().build();
    private final Database database = simulation.database();
    private final SimulatedProcess process = simulation.process("worker");
    private final SimulatedProcess other = simulation.process("monitor");
    private final CouchJobs jobs = instance(process);
    private final CouchJobs monitor = instance(other);

    /** How long each run of a body was to take. */
    private final List<Duration> bodies = new ArrayList<>();

    private static CouchJobs instance(SimulatedProcess process) {
        return CouchJobs.builder(process.database())
                .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                .build();
    }

    @AfterEach
    void end() {
        simulation.close();
    }

    private interface Handler {
        CompletableFuture<String> handle(JobContext<String> job);
    }

    private void run(Duration timeout, int longTries, Handler handler) {
        simulation.await(jobs.types().setTypeTimeout(database, PAY, timeout));
        monitor.maintenance().monitor(PAY);
        jobs.worker()
                .handleAsync(PAY, handler::handle)
                .longTransactionTries(longTries)
                .executor(process.scheduler())
                .start();
        simulation.await(jobs.add(database, PAY, "j1", "data"));
        simulation.advance(Duration.ofMinutes(1));
    }

    private CompletableFuture<String> write(Transaction tx, Duration takes) {
        bodies.add(takes);
        CompletableFuture<String> done = new CompletableFuture<>();
        var unused = process.scheduler()
                .schedule(
                        () -> {
                            tx.set(EFFECT, new byte[] {1});
                            done.complete("done");
                        },
                        takes.toMillis(),
                        TimeUnit.MILLISECONDS);
        return done;
    }

    private void remove() {
        var unused = jobs.remove(database, PAY, "j1");
    }

    private boolean isWritten() {
        return simulation.await(database.readAsync(tx -> tx.get(EFFECT))) != null;
    }

    private JobState state() {
        return simulation.await(jobs.getJobState(database, PAY, "j1"));
    }

    @ParameterizedTest
    @CsvSource({"1, 4500", "3, 1200", "3, 4500", "6, 2500", "6, 4500", "15, 4700", "600, 4500"})
    void aBodyThatTakesLongCommitsInItsFirstTryWhateverTheTimeout(int timeoutSeconds, int millis) {
        Duration takes = Duration.ofMillis(millis);

        run(
                Duration.ofSeconds(timeoutSeconds),
                3,
                job -> job.runAsync(tx -> write(tx, takes))
                        .thenCompose(effect -> job.finishAsync(tx -> write(tx, takes))));

        assertThat(bodies).hasSize(2);
        assertThat(isWritten()).isTrue();
        assertThat(state()).isEqualTo(JobState.FINISHED);
        assertThat(simulation
                        .await(jobs.getJob(database, PAY, "j1"))
                        .orElseThrow()
                        .result())
                .contains("done");
    }

    @Test
    void aLostLockStillAbortsALongBody() {
        run(
                Duration.ofSeconds(3),
                3,
                job -> job.finishAsync(tx -> {
                    var unused = process.scheduler().schedule(this::remove, 2, TimeUnit.SECONDS);
                    return write(tx, Duration.ofSeconds(4));
                }));

        assertThat(isWritten()).isFalse();
        assertThat(state()).isEqualTo(JobState.NOT_FOUND);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void aBodyThatAlwaysTakesTooLongFailsItsAttemptAfterAFewTries(int tries) {
        run(Duration.ofSeconds(3), tries, job -> job.finishAsync(tx -> write(tx, Duration.ofSeconds(6))));

        assertThat(bodies).hasSize(tries);
        assertThat(isWritten()).isFalse();
        assertThat(simulation
                        .await(jobs.getJob(database, PAY, "j1"))
                        .orElseThrow()
                        .error()
                        .orElseThrow())
                .contains(TransactionTooLongException.class.getName())
                .contains(tries + " tries")
                .contains("Do slow work")
                .contains("before the transaction");
    }

    @Test
    void triesAreCountedForEachTransactionByItself() {
        List<Object> results = new ArrayList<>();

        run(
                Duration.ofSeconds(3),
                2,
                job -> job.runAsync(tx -> write(tx, Duration.ofSeconds(bodies.size() < 1 ? 6 : 1)))
                        .thenCompose(first ->
                                job.runAsync(tx -> write(tx, Duration.ofSeconds(bodies.size() < 3 ? 6 : 1))))
                        .whenComplete((value, error) -> results.add(Objects.requireNonNullElse(value, "failed"))));

        assertThat(results).containsExactly("done");
        assertThat(bodies).hasSize(4);
    }

    @Test
    void atLeastOneTryMayTakeLong() {
        assertThatThrownBy(() -> jobs.worker().longTransactionTries(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("longTransactionTries");
    }
}
