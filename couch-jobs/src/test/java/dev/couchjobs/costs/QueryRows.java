package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.LARGE;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.costs.CostFixture.MANY;
import static dev.couchjobs.costs.CostFixture.id;
import static dev.couchjobs.costs.CostRow.verb;

import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** The verbs of those who look at jobs, and what sends dead letters again. */
final class QueryRows {
    private static final PageRequest PAGE = PageRequest.of(MANY);

    private QueryRows() {}

    static List<CostRow> all() {
        return List.of(
                verb("`getJobState`", CostFixture::pending, (s, db, id) -> s.jobs.getJobState(db, MAIL, id)),
                verb("`getJobData`", CostFixture::pending, (s, db, id) -> s.jobs.getJobData(db, MAIL, id)),
                verb("`getJobData` of 200 kB", s -> s.pending(LARGE), (s, db, id) -> s.jobs.getJobData(db, MAIL, id)),
                verb("`getJob`", CostFixture::finished, (s, db, job) -> s.jobs.getJob(db, MAIL, job.id())),
                verb(
                        "`getJob` with 200 kB of data and of result",
                        QueryRows::large,
                        (s, db, job) -> s.jobs.getJob(db, MAIL, job.id())),
                verb(
                        "`attempts`",
                        CostFixture::finished,
                        (s, db, job) -> s.jobs.details().attempts(db, MAIL, job.id())),
                verb("`list` of 100 jobs", s -> s.pending(MANY), (s, db, ids) -> s.jobs.list(db, MAIL, PAGE)),
                verb(
                        "`list` of 100 pending jobs",
                        s -> s.pending(MANY),
                        (s, db, ids) -> s.jobs.list(db, MAIL, JobState.PENDING, PAGE)),
                verb(
                        "`list` of the 3 running ones among 100 jobs",
                        QueryRows::someRunning,
                        (s, db, ids) -> s.jobs.list(db, MAIL, JobState.RUNNING, PAGE)),
                verb("`counts`", s -> s.pending(MANY), (s, db, ids) -> s.jobs.counts(db, MAIL)),
                verb(
                        "`health().check()`",
                        s -> s.pending(MANY),
                        (s, db, ids) -> s.jobs.health().check()),
                verb(
                        "`health().check()` of 100 types with jobs",
                        QueryRows::ofManyTypes,
                        (s, db, types) -> s.jobs.health().check()),
                verb(
                        "`logEntries`",
                        QueryRows::logged,
                        (s, db, job) -> s.jobs.details().entries(db, MAIL, job.id(), 0, MANY)),
                verb(
                        "`lastCheckpoint`",
                        QueryRows::logged,
                        (s, db, job) -> s.jobs.details().lastCheckpoint(db, MAIL, job.id())),
                verb(
                        "`progress` of a job",
                        QueryRows::logged,
                        (s, db, job) -> s.jobs.details().progress(db, MAIL, job.id())),
                verb(
                        "`deadLetters`, 100 of them",
                        s -> s.failed(MANY),
                        (s, db, ids) -> s.jobs.deadLetters().list(db, MAIL, PAGE)),
                verb(
                        "`retryDeadLetter`",
                        s -> s.failed(1),
                        (s, db, ids) -> s.jobs.deadLetters().retry(db, MAIL, id(0))),
                verb(
                        "`retryDeadLetters`, 100 of them",
                        s -> s.failed(MANY),
                        (s, db, ids) -> s.jobs.deadLetters().retryAll(MAIL)),
                verb("`subscribe`", CostFixture::running, (s, db, job) -> s.jobs.subscribe(db, MAIL, job.id())),
                verb(
                        "`result` of a job that has ended",
                        CostFixture::finished,
                        (s, db, job) -> s.jobs.resultAsync(MAIL, job.id(), Duration.ofSeconds(1))));
    }

    private static List<NewJob<String>> ofManyTypes(CostFixture fixture) {
        List<NewJob<String>> added = IntStream.range(0, MANY)
                .mapToObj(i -> NewJob.of(JobType.of("mail-" + i, String.class), "data"))
                .toList();
        fixture.await(fixture.others.addAll(fixture.database(), added));
        return added;
    }

    private static Job<String> large(CostFixture fixture) {
        Job<String> job = fixture.running(LARGE);
        fixture.await(fixture.others.processor().finishWithResult(fixture.database(), MAIL, job, LARGE));
        return job;
    }

    private static List<Job<String>> someRunning(CostFixture fixture) {
        fixture.pending(MANY);
        return List.of(fixture.claimed(), fixture.claimed(), fixture.claimed());
    }

    private static Job<String> logged(CostFixture fixture) {
        Job<String> job = fixture.running();
        fixture.await(fixture.others.processor().checkpoint(fixture.database(), job, "one"));
        fixture.await(fixture.others.processor().progress(fixture.database(), job, 1, 2, "half"));
        return job;
    }
}
