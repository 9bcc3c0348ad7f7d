package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A type whose last worker in a process has closed costs that process nothing any more. */
class UnusedTypesTest {
    private static final Duration HOUR = Duration.ofHours(1);
    /** What is read of a type by all that goes on in the background for it. */
    private static final Set<String> OF_THE_TYPE = Set.of("activity", "retire", "pending", "feed", "idle");

    private final MeasuredStage stage = new MeasuredStage(9, MAIL);
    private final CouchJobs jobs = stage.builder(stage.measured()).build();

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    private Worker worker() {
        Worker worker = jobs.worker()
                .handleAsync(MAIL, job -> CompletableFuture.completedFuture("sent"))
                .executor(stage.time())
                .start();
        stage.time().advance(Duration.ofMinutes(1));
        return worker;
    }

    private List<MeasuredTry> triesInAnHour() {
        stage.forget();
        stage.time().advance(HOUR);
        return stage.tries().stream()
                .filter(each -> !Collections.disjoint(each.readFrom(), OF_THE_TYPE))
                .toList();
    }

    /** Claims a job in the name of a process that is never heard of again. */
    private void lose(String jobId) {
        stage.await(stage.others().add(stage.database(), MAIL, jobId, DATA));
        try (CouchJobs lost = stage.builder(stage.database()).build()) {
            assertThat(stage.await(lost.processor().accept(MAIL, AcceptOptions.nonBlocking())))
                    .isPresent();
        }
    }

    private JobState stateOf(String jobId) {
        return stage.await(stage.others().getJobState(stage.database(), MAIL, jobId));
    }

    @Test
    void theLastWorkerThatClosesReleasesWhatIsThereForItsType() {
        Worker first = worker();
        Worker second = worker();

        stage.await(first.closeAsync());
        assertThat(triesInAnHour()).isNotEmpty();
        stage.await(second.closeAsync());
        assertThat(triesInAnHour()).isEmpty();
    }

    @Test
    void aWorkerThatStartsLaterHasEverythingAnew() {
        stage.await(worker().closeAsync());
        stage.time().advance(HOUR);
        lose("a");
        stage.time().advance(HOUR);
        assertThat(stateOf("a")).isEqualTo(JobState.RUNNING);

        worker();
        stage.time().advance(MeasuredStage.TIMEOUT.multipliedBy(2));

        assertThat(stateOf("a")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aTypeThatTheProcessMonitorsStaysWatchedOver() {
        jobs.maintenance().monitor(MAIL);
        stage.await(worker().closeAsync());
        lose("a");

        stage.time().advance(MeasuredStage.TIMEOUT.multipliedBy(2));

        assertThat(stateOf("a")).isEqualTo(JobState.PENDING);
    }

    @Test
    void aTypeOfWhichTheProcessHasAcceptedJobsStaysWatchedOver() {
        stage.await(jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));
        stage.await(worker().closeAsync());
        lose("a");

        stage.time().advance(MeasuredStage.TIMEOUT.multipliedBy(2));

        assertThat(stateOf("a")).isEqualTo(JobState.PENDING);
    }
}
