package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.costs.CostFixture.id;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobContext;
import dev.couchjobs.NewJob;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A row that cannot be decoded keeps a worker from nothing that it does for its other jobs. */
class DamagedRowsTest {
    private static final int MANY = 100;

    private final MeasuredStage stage = new MeasuredStage(9, MAIL);
    private final CouchJobs jobs = stage.builder(stage.measured()).build();
    private final Map<String, CompletableFuture<String>> ends = new LinkedHashMap<>();

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    private void beginMany() {
        stage.await(stage.others()
                .addAll(
                        stage.database(),
                        IntStream.range(0, MANY)
                                .mapToObj(i -> NewJob.of(MAIL, DATA).id(id(i)))
                                .toList()));
        jobs.worker()
                .handleAsync(MAIL, this::begin)
                .executor(stage.time())
                .concurrency(MANY)
                .start();
        stage.time().advance(Duration.ofSeconds(1));
        assertThat(ends).hasSize(MANY);
    }

    private CompletableFuture<String> begin(JobContext<String> job) {
        CompletableFuture<String> end = new CompletableFuture<>();
        assertThat(ends.put(job.id(), end)).as("an earlier attempt").isNull();
        return end;
    }

    private void damage(String jobId) {
        stage.database().run(tx -> {
            tx.set(Tuple.from("couch_jobs", "data", MAIL.name(), jobId).pack(), new byte[] {0x7F});
            return true;
        });
    }

    @Test
    void allOtherJobsOfAWorkerAreHeardOfAndEnd() {
        beginMany();
        damage(id(50));
        stage.time().advance(MeasuredStage.TIMEOUT.multipliedBy(3));
        ends.values().forEach(end -> end.complete("sent"));
        stage.time().advance(Duration.ofSeconds(1));

        assertThat(stage.await(stage.others().counts(stage.database(), MAIL)).succeeded())
                .isEqualTo(MANY - 1);
    }

    @Test
    void theEndsOfAllOtherJobsThatEndTogetherAreWritten() {
        beginMany();
        damage(id(50));
        ends.values().forEach(end -> end.complete("sent"));
        stage.time().advance(Duration.ofSeconds(1));

        assertThat(stage.await(stage.others().counts(stage.database(), MAIL)).succeeded())
                .isEqualTo(MANY - 1);
    }
}
