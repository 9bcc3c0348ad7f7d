package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import dev.couchjobs.Unique;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.fdb.testing.Samples;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** How late a job goes whose retention is shorter than the pause of a sweep, as rfc/008 says. */
class ShortRetentionTest {
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final Duration JITTER = LONGEST_PAUSE.dividedBy(5);
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void aJobWithARetentionOfSecondsGoesWithinTheLongestPauseOfASweep() {
        AtomicReference<Duration> latest = new AtomicReference<>(Duration.ZERO);
        Samples.check(30, samples -> {
            Duration kept = Duration.ofSeconds(samples.between(2, 4));
            JobType<String, Void> type = JobType.of("short", String.class).retention(Retention.of(kept));
            try (VirtualStage stage = new VirtualStage(samples.seed());
                    CouchJobs jobs = CouchJobs.builder(stage.database())
                            .environment(stage.environment())
                            .build()) {
                Database database = stage.database();
                jobs.maintenance().monitor(type);
                stage.time().advance(Duration.ofMillis(samples.between(0, 120_000)));
                stage.await(jobs.add(database, NewJob.of(type, "data").id("job").unique(Unique.by("key"))));
                stage.await(jobs.control().cancel(database, type, "job", "no more"));

                Duration late = SECOND.negated().minus(kept); // the time of the removal is rounded up
                while (stage.await(jobs.getJobState(database, type, "job")) != JobState.NOT_FOUND) {
                    stage.time().advance(SECOND);
                    late = late.plus(SECOND);
                }

                assertThat(late).isLessThanOrEqualTo(LONGEST_PAUSE.plus(JITTER));
                Duration longest = late;
                latest.updateAndGet(before -> before.compareTo(longest) < 0 ? longest : before);
            }
        });

        assertThat(latest.get())
                .as("as late as the pause of a sweep that has begun")
                .isGreaterThan(LONGEST_PAUSE.dividedBy(2));
    }
}
