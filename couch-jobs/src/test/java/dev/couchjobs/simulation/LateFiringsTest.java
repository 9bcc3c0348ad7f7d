package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Schedule;
import dev.couchjobs.faults.VirtualStage;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Jobs of schedules with much data that no worker has run in time. */
class LateFiringsTest {
    private static final JobType<String, Void> REPORT = JobType.of("report", String.class);
    private static final Duration HOUR = Duration.ofHours(1);
    /** Together they have more data than fits into one transaction. */
    private static final int SCHEDULES = 15;

    @Test
    void aClaimPassesMoreLateJobsThanATransactionHasRoomFor() {
        try (VirtualStage stage = new VirtualStage(5)) {
            Database database = stage.database();
            CouchJobs before =
                    CouchJobs.builder(database).environment(stage.environment()).build();
            String data = "x".repeat(900_000);
            for (int i = 0; i < SCHEDULES; i++) {
                stage.await(before.schedules()
                        .put(
                                database,
                                Schedule.every("s" + i, HOUR, NewJob.of(REPORT, data))
                                        .skippingAfter(Duration.ofSeconds(20))));
            }
            before.close();
            stage.time().advance(HOUR.multipliedBy(3).plusMinutes(30));

            try (CouchJobs jobs =
                    CouchJobs.builder(database).environment(stage.environment()).build()) {
                assertThat(stage.await(jobs.processor().accept(REPORT, AcceptOptions.nonBlocking())))
                        .isEmpty();
                assertThat(stage.await(jobs.counts(database, REPORT)).expired()).isEqualTo(SCHEDULES);

                stage.time().advance(HOUR.dividedBy(2));
                assertThat(stage.await(jobs.processor().accept(REPORT, AcceptOptions.nonBlocking())))
                        .map(Job::data)
                        .contains(data);
            }
        }
    }
}
