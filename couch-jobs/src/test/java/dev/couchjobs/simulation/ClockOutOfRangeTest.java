package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A clock before 1970, or after 9999: nothing fails, and nothing is left behind when it has been set. */
@Timeout(60)
class ClockOutOfRangeTest {
    private static final Instant PRESENT = Instant.parse("2026-11-25T12:00:00Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final JobType<String, String> WORK = JobType.of("work", String.class, String.class)
            .retry(RetryPolicy.standard().attempts(2).backoff(Duration.ofSeconds(10), 1, Duration.ofSeconds(10)))
            .retention(Retention.of(Duration.ofDays(2)));

    private final VirtualScheduler time = new VirtualScheduler();
    private final RandomGenerator random = new SplittableRandom(1);
    private final Database database =
            EmbeddedDatabase.openInMemory(new EngineEnvironment(Runnable::run, time, time::nanoTime, random));
    private Instant start = PRESENT;
    private final CouchJobs jobs = CouchJobs.builder(database)
            .environment(new Environment(this::now, time, random))
            .maxClockSkew(Duration.ofDays(36_500))
            .build();
    private final List<String> ran = new ArrayList<>();

    /** The virtual clock cannot show all times. */
    private Instant now() {
        long nanos = time.nanoTime();
        return start.isAfter(PRESENT.plusSeconds(1)) ? start : start.plusNanos(nanos);
    }

    @AfterEach
    void close() {
        jobs.close();
        database.close();
    }

    private <T> T await(CompletableFuture<T> future) {
        return time.await(future);
    }

    private String add(NewJob<String> job) {
        return await(jobs.add(database, job)).jobId();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1965-01-01T00:00:00Z",
                "1969-12-31T23:59:59.999Z",
                "-1000000000-01-01T00:00:00Z",
                "+10000-01-01T00:00:00Z",
                "+1000000000-12-31T23:59:59Z"
            })
    void jobsRunAndAreRemoved(String shown) {
        start = Instant.parse(shown);
        await(jobs.types().setTypeTimeout(database, WORK, Duration.ofMinutes(10)));
        await(jobs.statuses().index(WORK));
        Worker worker = jobs.worker()
                .handle(WORK, job -> {
                    ran.add(job.id());
                    if (job.id().equals("fails") && job.attempt() == 1) {
                        throw new IllegalStateException("no luck");
                    }
                    job.log("an entry");
                    job.progress(1, 2, "half of it");
                    return "done";
                })
                .executor(time)
                .start();
        String first = add(NewJob.of(WORK, "data"));
        String second = add(NewJob.of(WORK, "data"));
        assertThat(second).isGreaterThan(first);
        add(NewJob.of(WORK, "data").id("fails"));
        add(NewJob.of(WORK, "data")
                .id("limited")
                .limitKey("key")
                .turnKey("turn")
                .priority(3));
        add(NewJob.of(WORK, "data").id("deadline").startBefore(Instant.parse("9999-12-31T23:59:59Z")));
        await(jobs.schedules().put(database, Schedule.every("hourly", Duration.ofHours(1), NewJob.of(WORK, "data"))));
        await(jobs.schedules()
                .put(database, Schedule.cron("cron", "0 * * * *", ZoneOffset.UTC, NewJob.of(WORK, "data"))));
        await(jobs.types().pause(database, WORK, "for now"));
        assertThat(await(jobs.types().getPause(database, WORK))).isPresent();
        await(jobs.types().resume(database, WORK));
        await(jobs.workers().pause(database, "other"));
        time.advance(MINUTE);
        assertThat(ran).contains(first, second, "fails", "limited");
        assertThat(await(jobs.getJobState(database, WORK, first))).isEqualTo(JobState.FINISHED);
        assertThat(await(jobs.details().progress(database, WORK, first))).isPresent();
        assertThat(await(jobs.details().attempts(database, WORK, first))).hasSize(1);
        assertThat(await(jobs.workers().list(database, PageRequest.of(10))).items())
                .hasSize(1);

        start = PRESENT;
        await(jobs.schedules().put(database, Schedule.every("hourly", Duration.ofHours(1), NewJob.of(WORK, "data"))));
        add(NewJob.of(WORK, "data").id("later"));
        for (int hour = 0; hour < 3; hour++) {
            time.advance(Duration.ofHours(1));
        }
        assertThat(ran).contains("later").anyMatch(id -> id.startsWith("hourly@2026"));
        assertThat(await(jobs.quarantine().list(database, WORK, PageRequest.of(10)))
                        .items())
                .isEmpty();
        if (shown.startsWith("1") || shown.startsWith("-")) {
            assertThat(ran.stream().filter("fails"::equals)).hasSize(2);
            assertThat(ran).contains("deadline");
            assertThat(await(jobs.getJob(database, WORK, first))).isEmpty();
        }
        await(worker.closeAsync());
    }
}
