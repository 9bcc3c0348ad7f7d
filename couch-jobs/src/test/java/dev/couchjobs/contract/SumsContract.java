package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;

/** What the topics share that are about the ends of jobs: a type with a result, and short words for its jobs. */
abstract class SumsContract extends JobsContract {
    static final JobType<WorkData, Integer> SUM = JobType.of("sum", WorkData.class, Integer.class);

    SettableClock clock;
    StoredRows rows;
    /** An instance whose clock stands at {@link #NOON} until it is set. */
    CouchJobs sums;

    @BeforeEach
    void openSums() {
        clock = new SettableClock(NOON);
        rows = new StoredRows(database, prefix);
        sums = node(clock);
        await(sums.types().setTypeTimeout(database, SUM, Duration.ofMinutes(10)));
    }

    final Job<WorkData> running(String jobId) {
        return running(SUM, jobId);
    }

    /** Adds a job of a type and claims it, through an instance of its own that goes by that type. */
    final Job<WorkData> running(JobType<WorkData, ?> type, String jobId) {
        await(sums.add(database, type, jobId, new WorkData(1)));
        return claim(type, jobId);
    }

    final Job<WorkData> claim(JobType<WorkData, ?> type, String jobId) {
        try (CouchJobs processor = node(clock)) {
            Job<WorkData> job = await(processor
                            .processor()
                            .accept(
                                    type,
                                    AcceptOptions.nonBlocking().maxSchedTime(Instant.ofEpochSecond(Integer.MAX_VALUE))))
                    .orElseThrow(() -> new AssertionError("There was no job to accept"));
            assertThat(job.id()).isEqualTo(jobId);
            return job;
        }
    }

    /** Adds jobs {@code j0}, {@code j1}, ... and claims them. */
    final List<Job<WorkData>> runningMany(JobType<WorkData, ?> type, int count) {
        await(database.runAsync(tx -> CompletableFuture.allOf(IntStream.range(0, count)
                .mapToObj(i -> sums.add(tx, type, "j" + i, new WorkData(i)))
                .toArray(CompletableFuture<?>[]::new))));
        try (CouchJobs processor = node(clock)) {
            return IntStream.range(0, count)
                    .mapToObj(i -> await(processor.processor().accept(type)).orElseThrow())
                    .toList();
        }
    }

    /** Lets jobs {@code j0}, {@code j1}, ... fail, each a millisecond after the one before. */
    final void failMany(JobType<WorkData, ?> type, int count) {
        for (Job<WorkData> job : runningMany(type, count)) {
            await(sums.processor().fail(database, job, new IllegalStateException("no " + job.id())));
            clock.advance(Duration.ofMillis(1));
        }
    }

    final JobInfo<WorkData, Integer> info(String jobId) {
        return await(sums.getJob(database, SUM, jobId))
                .orElseThrow(() -> new AssertionError("There is no job " + jobId));
    }

    final JobState state(String jobId) {
        return await(sums.getJobState(database, SUM, jobId));
    }

    final Integer result(String jobId) {
        return await(sums.resultAsync(SUM, jobId, Duration.ZERO));
    }
}
