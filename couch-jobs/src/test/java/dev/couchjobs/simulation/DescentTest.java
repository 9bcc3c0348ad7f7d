package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Health;
import dev.couchjobs.HealthStatus;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.TooManyGenerationsException;
import dev.couchjobs.faults.VirtualStage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How many jobs one after the other, each added by the handler of the one before, led to a job. */
class DescentTest {
    private static final JobType<Integer, Void> LINE = JobType.of("line", Integer.class);
    private static final Duration LONG = Duration.ofMinutes(10);

    private final VirtualStage stage = new VirtualStage(1);
    private final Database database = stage.database();
    private final CouchJobs jobs =
            CouchJobs.builder(database).environment(stage.environment()).build();

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    /** The ways in which a handler adds a job. */
    private enum Way {
        ON_ITS_THREAD {
            @Override
            CompletableFuture<?> add(DescentTest test, JobContext<Integer> job, NewJob<Integer> next) {
                return test.jobs.add(test.database, next);
            }
        },
        WITH_OTHERS {
            @Override
            CompletableFuture<?> add(DescentTest test, JobContext<Integer> job, NewJob<Integer> next) {
                return test.jobs.addAll(test.database, List.of(next));
            }
        },
        IN_ITS_TRANSACTION {
            @Override
            CompletableFuture<?> add(DescentTest test, JobContext<Integer> job, NewJob<Integer> next) {
                return later(test, () -> job.runAsync(tx -> test.jobs.add(tx, next)));
            }
        },
        WITH_ITS_END {
            @Override
            CompletableFuture<?> add(DescentTest test, JobContext<Integer> job, NewJob<Integer> next) {
                return later(
                        test,
                        () -> job.finishAsync(tx -> test.jobs.add(tx, next).thenApply(added -> null)));
            }
        },
        AFTER_ITS_END_IN_A_TRANSACTION {
            @Override
            CompletableFuture<?> add(DescentTest test, JobContext<Integer> job, NewJob<Integer> next) {
                return later(
                        test,
                        () -> test.database.runAsync((Transaction tx) -> test.jobs
                                .processor()
                                .finish(tx, job.job())
                                .thenCompose(done -> test.jobs.add(tx, next))));
            }
        };

        abstract CompletableFuture<?> add(DescentTest test, JobContext<Integer> job, NewJob<Integer> next);

        /** Runs when the thread of the handler has returned. */
        @SuppressWarnings("FutureReturnValueIgnored") // composed right away
        private static CompletableFuture<?> later(DescentTest test, Supplier<CompletableFuture<?>> addition) {
            return CompletableFuture.supplyAsync(addition, test.stage.time()).thenCompose(done -> done);
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void aJobThatAHandlerAddsDescendsFromIts(Way way) {
        startLine(way, LINE, 4);

        List<Integer> descents = Stream.of(0, 1, 2, 3)
                .map(number -> stage.await(jobs.getJob(database, LINE, "job-" + number))
                        .orElseThrow()
                        .descent())
                .toList();

        assertThat(descents).containsExactly(0, 1, 2, 3);
    }

    private void startLine(Way way, JobType<Integer, Void> type, int length) {
        jobs.worker()
                .executor(stage.time())
                .handleAsync(
                        type,
                        job -> job.data() + 1 == length
                                ? CompletableFuture.completedFuture(null)
                                : way.add(
                                                this,
                                                job,
                                                NewJob.of(type, job.data() + 1).id("job-" + (job.data() + 1)))
                                        .thenApply(added -> null))
                .start();
        stage.await(jobs.add(database, NewJob.of(type, 0).id("job-0")));
        stage.time().advance(LONG);
    }

    @Test
    @SuppressWarnings("NullAway") // a job without a result
    void anAdditionBeyondTheBoundOfItsTypeIsRefused() {
        List<Throwable> refusals = new ArrayList<>();
        JobType<Integer, Void> bounded = LINE.maxDescent(2);
        jobs.worker()
                .executor(stage.time())
                .handle(bounded, job -> {
                    try {
                        var unused = jobs.add(
                                database, NewJob.of(bounded, job.data() + 1).id("job-" + (job.data() + 1)));
                    } catch (TooManyGenerationsException e) {
                        refusals.add(e);
                    }
                    return null;
                })
                .start();

        stage.await(jobs.add(database, NewJob.of(bounded, 0).id("job-0")));
        stage.time().advance(LONG);

        assertThat(stage.await(jobs.getJobState(database, LINE, "job-2"))).isEqualTo(JobState.FINISHED);
        assertThat(stage.await(jobs.getJobState(database, LINE, "job-3"))).isEqualTo(JobState.NOT_FOUND);
        assertThat(refusals).hasSize(1);
        assertThat(refusals.get(0)).hasMessageContaining("line/job-3").hasMessageContaining("maxDescent");
    }

    @Test
    void aJobThatIsAddedAgainDescendsFromThatAddition() {
        startLine(Way.ON_ITS_THREAD, LINE, 3);

        stage.await(jobs.add(database, NewJob.of(LINE, 2).id("job-2")));

        assertThat(stage.await(jobs.getJob(database, LINE, "job-2"))
                        .orElseThrow()
                        .descent())
                .isZero();
    }

    @Test
    void healthWarnsOfALineOfAHundredForAnHour() {
        startLine(Way.ON_ITS_THREAD, LINE, 100);
        assertThat(check().status()).isEqualTo(HealthStatus.UP);

        JobType<Integer, Void> longer = JobType.of("longer", Integer.class);
        startLine(Way.ON_ITS_THREAD, longer, 102);

        assertThat(check().status()).isEqualTo(HealthStatus.DEGRADED);
        assertThat(check().reasons())
                .singleElement()
                .asString()
                .contains("job-101 of type longer is number 101", "maxDescent");
        stage.time().advance(Duration.ofHours(1));
        assertThat(check().status()).isEqualTo(HealthStatus.UP);
    }

    private Health check() {
        return stage.await(jobs.health().check());
    }

    @Test
    void aBoundIsNotNegative() {
        assertThatThrownBy(() -> LINE.maxDescent(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(LINE.maxDescent(0).maxDescent()).isZero();
    }
}
