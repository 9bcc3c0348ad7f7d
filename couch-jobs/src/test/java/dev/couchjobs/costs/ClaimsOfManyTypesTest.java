package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.WorkerBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The types of a worker claim jobs at the same time: no type keeps more slots from the others than it has jobs. */
class ClaimsOfManyTypesTest {
    private static final Duration ROUND_TRIP = Duration.ofMillis(25);
    private static final int TYPES = 60;
    private static final int JOBS_EACH = 10;

    private final MeasuredStage stage = new MeasuredStage(19, MAIL, ROUND_TRIP);
    private final CouchJobs jobs = stage.builder(stage.measured()).build();
    private final List<JobType<String, String>> types = IntStream.range(0, TYPES)
            .mapToObj(i -> JobType.of("type-" + i, String.class, String.class))
            .toList();
    private int begun;

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    private void addJobs() {
        List<NewJob<?>> added = new ArrayList<>();
        for (int i = 0; i < JOBS_EACH; i++) {
            types.forEach(type -> added.add(NewJob.of(type, "data")));
        }
        stage.await(stage.others().addAll(stage.database(), added));
    }

    private void startWorker() {
        WorkerBuilder worker = jobs.worker().concurrency(200).executor(stage.time());
        types.forEach(type -> worker.handleAsync(type, job -> {
            begun++;
            return CompletableFuture.completedFuture("done");
        }));
        worker.start();
    }

    @Test
    void jobsOfSixtyTypesBeginWithinASecond() {
        addJobs();
        startWorker();

        stage.time().advance(Duration.ofSeconds(1));

        assertThat(begun).isEqualTo(TYPES * JOBS_EACH);
    }
}
