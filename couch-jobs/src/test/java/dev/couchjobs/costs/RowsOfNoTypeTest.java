package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rows under no type's name, as a program leaves them that writes into the subspace by mistake. */
class RowsOfNoTypeTest {
    private static final int ROWS = 2_000;
    private static final Duration LONGER_THAN_THE_CHECK_TAKES = Duration.ofMinutes(10);

    private final MeasuredStage stage = new MeasuredStage(9, MAIL, Duration.ofMillis(25));
    private final CouchJobs monitor = stage.builder(stage.measured()).build();

    @AfterEach
    void close() {
        monitor.close();
        stage.close();
    }

    private void plant(int count) {
        stage.await(stage.database().runAsync(tx -> {
            IntStream.range(0, count)
                    .mapToObj(i -> Tuple.from("couch_jobs", "pending", i, "mistake"))
                    .forEach(row -> tx.set(row.pack(), new byte[0]));
            return CompletableFuture.completedFuture(null);
        }));
    }

    private void forgetThatTheTypeIsInUse() {
        stage.await(stage.database().runAsync(tx -> {
            tx.clear(Tuple.from("couch_jobs", "in_use").range());
            return CompletableFuture.completedFuture(null);
        }));
    }

    @Test
    void theyDoNotKeepAJobFromBeingFoundWhoseTypeIsNotInUse() {
        plant(ROWS);
        stage.await(stage.others().add(stage.database(), MAIL, "job", DATA));
        stage.await(stage.others().processor().accept(MAIL, AcceptOptions.nonBlocking()));
        stage.others().close(); // its process dies with the job
        forgetThatTheTypeIsInUse();

        monitor.maintenance().monitor(MAIL);
        stage.time().advance(LONGER_THAN_THE_CHECK_TAKES);

        assertThat(stage.await(monitor.getJobState(stage.database(), MAIL, "job")))
                .isEqualTo(JobState.PENDING);
    }
}
