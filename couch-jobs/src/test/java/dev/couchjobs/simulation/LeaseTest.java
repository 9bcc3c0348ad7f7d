package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import dev.couchjobs.faults.VirtualStage;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** How long a processor may be silent, to the nanosecond, whatever the seed and wherever in time it was last heard of. */
class LeaseTest {
    private static final JobType<String, ?> MAIL = JobType.of("mail", String.class);
    private static final Duration LONG = Duration.ofDays(1);

    @Property(tries = 300)
    void aJobIsPutBackBetweenOnceAndOneAndAHalfTimesTheTimeoutAfterItsLastSignOfLife(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 60) int seconds,
            @ForAll @Size(max = 5) List<@IntRange(min = 0, max = 999) Integer> permilleBetweenSignsOfLife) {
        Duration timeout = Duration.ofSeconds(seconds);
        try (VirtualStage stage = new VirtualStage(seed);
                CouchJobs jobs = instance(stage);
                CouchJobs monitor = instance(stage)) {
            Database database = stage.database();
            stage.await(jobs.setTypeTimeout(database, MAIL, timeout));
            monitor.monitor(MAIL);
            stage.await(jobs.add(database, MAIL, "a", "data"));
            Job<String> job = stage.await(jobs.accept(MAIL)).orElseThrow();
            for (int permille : permilleBetweenSignsOfLife) {
                stage.time().advance(timeout.multipliedBy(permille).dividedBy(1_000));
                job = stage.await(jobs.update(database, job));
            }
            Duration lastHeardOf = now(stage);
            Subscription<String> subscription = stage.await(jobs.subscribe(database, MAIL, "a"));

            assertThat(stage.await(jobs.wait(subscription, JobState.PENDING, LONG)))
                    .isPresent();

            assertThat(now(stage).minus(lastHeardOf))
                    .isBetween(timeout, timeout.multipliedBy(3).dividedBy(2));
        }
    }

    private static CouchJobs instance(VirtualStage stage) {
        return CouchJobs.builder(stage.database())
                .environment(stage.environment())
                .build();
    }

    private static Duration now(VirtualStage stage) {
        return Duration.ofNanos(stage.time().nanoTime());
    }
}
