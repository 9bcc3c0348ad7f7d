package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobCounts;
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

/** The jobs of a worker end in as few transactions as if they had one type. */
class EndsOfManyTypesTest {
    private static final int TYPES = 80;

    private final MeasuredStage stage = new MeasuredStage(17, MAIL);
    private final CouchJobs jobs = stage.builder(stage.measured()).build();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final List<JobType<String, String>> types = IntStream.range(0, TYPES)
            .mapToObj(i -> JobType.of("type-" + i, String.class, String.class))
            .toList();
    private int begun;

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    private void startWorker() {
        WorkerBuilder worker = jobs.worker().concurrency(TYPES).executor(stage.time());
        types.forEach(type -> worker.handleAsync(type, job -> {
            begun++;
            return end.thenApply(ended -> "done");
        }));
        worker.start();
    }

    @Test
    void jobsOfEightyTypesThatEndAtOnceEndInTwoTransactions() {
        List<NewJob<?>> one = new ArrayList<>();
        types.forEach(type -> one.add(NewJob.of(type, "data").id("job")));
        stage.await(stage.others().addAll(stage.database(), one));
        startWorker();
        stage.time().advance(Duration.ofSeconds(1));
        assertThat(begun).isEqualTo(TYPES);
        stage.forget();

        end.complete(null);
        stage.time().advance(Duration.ofSeconds(1));

        assertThat(types)
                .extracting(type -> stage.await(stage.others().counts(stage.database(), type)))
                .extracting(JobCounts::succeeded)
                .containsOnly(1L);
        assertThat(stage.tries().stream().filter(each -> each.cost().writtenTo().contains("retire")))
                .hasSizeBetween(1, 2); // the first end does not wait for others
    }
}
