package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.LARGE;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.costs.CostFixture.MANY;
import static dev.couchjobs.costs.CostFixture.id;
import static dev.couchjobs.costs.CostRow.loop;
import static dev.couchjobs.costs.CostRow.verb;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The verbs of those who look at jobs, and what sends dead letters again. */
final class QueryRows {
    private static final PageRequest PAGE = PageRequest.of(MANY);
    private static final Duration HOUR = Duration.ofHours(1);

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
                verb(
                        "`changes().now`",
                        s -> MAIL,
                        (s, db, type) -> s.jobs.changes().now(db)),
                verb(
                        "`changes().read` of 100 changes",
                        QueryRows::addedOneByOne,
                        (s, db, since) -> s.jobs.changes().read(db, MAIL, since, MANY)),
                verb(
                        "`changes().read` of all 10 types, one of which has changed",
                        QueryRows::oneOfTenTypesChanged,
                        (s, db, since) -> s.jobs.changes().read(db, since, MANY)),
                loop(
                        "1,000 calls of `changes().await` for a type",
                        QueryRows::now,
                        (s, since) -> waiting(s, since),
                        all -> true),
                loop(
                        "a change for which 1,000 calls wait",
                        s -> waiting(s, now(s)),
                        (s, calls) -> {
                            s.pending();
                            calls.forEach(s::await);
                        },
                        all -> true),
                loop(
                        "`changes().await` for any of 10 types",
                        QueryRows::oneOfTenTypesChanged,
                        (s, since) -> s.await(s.jobs.changes().await(now(s), Duration.ZERO)),
                        all -> true),
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

    private static Versionstamp now(CostFixture fixture) {
        return fixture.await(fixture.others.changes().now(fixture.database()));
    }

    private static Versionstamp addedOneByOne(CostFixture fixture) {
        Versionstamp since = now(fixture);
        fixture.news(MANY).forEach(job -> fixture.await(fixture.others.add(fixture.database(), job)));
        return since;
    }

    private static Versionstamp oneOfTenTypesChanged(CostFixture fixture) {
        for (int i = 1; i < 10; i++) {
            JobType<String, ?> type = JobType.of("type-" + i, String.class);
            fixture.await(fixture.others.add(fixture.database(), type, "a", "{}"));
        }
        Versionstamp since = now(fixture);
        fixture.pending();
        return since;
    }

    private static List<CompletableFuture<Boolean>> waiting(CostFixture fixture, Versionstamp since) {
        List<CompletableFuture<Boolean>> calls = Stream.generate(
                        () -> fixture.jobs.changes().await(MAIL, since, HOUR))
                .limit(1_000)
                .toList();
        fixture.pass(Duration.ofSeconds(1));
        return calls;
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
