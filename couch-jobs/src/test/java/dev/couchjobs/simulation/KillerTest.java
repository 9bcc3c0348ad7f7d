package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job that ends every process that runs it takes none of those with it that were claimed together with it. */
class KillerTest {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class)
            .retry(RetryPolicy.standard().attempts(4));
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final int JOBS = 50;

    private final Simulation simulation = Simulation.builder(5).calm().build();
    private final Database database = simulation.database();
    private final CouchJobs jobs = instance(simulation.process("monitor"));
    private int crashes;

    private static CouchJobs instance(SimulatedProcess process) {
        return CouchJobs.builder(process.database())
                .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                .build();
    }

    @BeforeEach
    void createType() {
        simulation.await(jobs.types().setTypeTimeout(database, MAIL, TIMEOUT));
        jobs.maintenance().monitor(MAIL);
    }

    @AfterEach
    void end() {
        simulation.close();
    }

    private JobInfo<String, String> info(int number) {
        return simulation.await(jobs.getJob(database, MAIL, id(number))).orElseThrow();
    }

    private static String id(int number) {
        return "j" + (100 + number);
    }

    /** A process that runs jobs until the killer ends it; then there is another. */
    private void work(int concurrency, Duration jobTakes, int killer) {
        SimulatedProcess process = simulation.process("worker-" + crashes);
        instance(process)
                .worker()
                .handleAsync(MAIL, job -> handle(process, job, concurrency, jobTakes, killer))
                .concurrency(concurrency)
                .executor(process.scheduler())
                .start();
    }

    private CompletableFuture<String> handle(
            SimulatedProcess process, JobContext<String> job, int concurrency, Duration takes, int killer) {
        if (job.id().equals(id(killer))) {
            crashes++;
            process.kill();
            work(concurrency, takes, killer);
            return new CompletableFuture<>();
        }
        CompletableFuture<String> end = new CompletableFuture<>();
        var unused = process.scheduler().schedule(() -> end.complete("done"), takes.toMillis(), TimeUnit.MILLISECONDS);
        return end;
    }

    private void check(int concurrency, Duration jobTakes, int killer) {
        simulation.await(jobs.addAll(
                database,
                IntStream.range(0, JOBS)
                        .mapToObj(i -> NewJob.of(MAIL, "data").id(id(i)))
                        .toList()));
        work(concurrency, jobTakes, killer);
        simulation.advance(Duration.ofMinutes(5));

        for (int i = 0; i < JOBS; i++) {
            if (i != killer) {
                assertThat(info(i).outcome()).as(id(i)).contains(Outcome.SUCCEEDED);
                assertThat(info(i).failures()).as(id(i)).isZero();
                List<JobAttempt> attempts = simulation.await(jobs.details().attempts(database, MAIL, id(i)));
                assertThat(attempts)
                        .as(id(i))
                        .extracting(attempt -> attempt.end().orElseThrow())
                        .containsOnly(AttemptEnd.SUCCEEDED);
            }
        }
        assertThat(info(killer).outcome()).contains(Outcome.FAILED);
        assertThat(info(killer).error().orElseThrow())
                .contains("attempt 4 of 4")
                .contains("expired " + crashes + " times: its process died or was suspended while it ran");
        assertThat(crashes).isBetween(4, 5);
    }

    @Test
    void jobsThatWereClaimedForOtherPlacesSucceed() {
        check(JOBS, Duration.ofMillis(200), 0);
    }

    @Test
    void jobsThatWereClaimedForOtherPlacesSucceedIfTheKillerComesInTheMiddle() {
        check(JOBS, Duration.ofMillis(200), JOBS / 2);
    }

    @Test
    void jobsThatTakeNoTimeSucceed() {
        check(4, Duration.ZERO, JOBS / 2);
    }
}
