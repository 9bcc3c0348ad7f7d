package dev.couchjobs.costs;

import static dev.couchjobs.costs.Cost.reading;
import static dev.couchjobs.costs.Cost.writing;
import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.LARGE;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.costs.CostFixture.MANY;
import static dev.couchjobs.costs.CostFixture.TIMEOUT;
import static dev.couchjobs.costs.CostFixture.failure;
import static dev.couchjobs.costs.CostRow.loop;
import static dev.couchjobs.costs.CostRow.verb;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.ClaimKey;
import dev.couchjobs.Job;
import dev.couchjobs.JobContext;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.Retention;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** The verbs of those who run jobs, and what a worker does for many at a time. */
final class ProcessingRows {
    private static final Duration MOMENT = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Predicate<Cost> CLAIMS =
            reading("pending").and(reading("activity").negate());
    private static final Predicate<Cost> ENDS = writing("retire");
    private static final Predicate<Cost> HEARTBEATS =
            writing("activity").and(reading("pending").negate());

    private ProcessingRows() {}

    private static List<ClaimKey> keys(List<? extends Job<?>> claims) {
        return claims.stream()
                .map(claim -> new ClaimKey(claim.type(), claim.id(), claim.lock()))
                .toList();
    }

    static List<CostRow> all() {
        return List.of(
                loop(
                        "a worker with nothing to do, in an hour",
                        ProcessingRows::idle,
                        (s, w) -> s.pass(HOUR),
                        all -> true),
                loop("`accept` of a job", CostFixture::pending, (s, id) -> accept(s), CLAIMS),
                loop("`accept` of a job with 200 kB of data", s -> s.pending(LARGE), (s, id) -> accept(s), CLAIMS),
                loop("`accept` with `noSchedule`", CostFixture::pending, (s, id) -> acceptAnywhere(s), CLAIMS),
                loop("`accept` when there is none", s -> MAIL, (s, type) -> accept(s), CLAIMS),
                loop(
                        "`accept` of 100 jobs",
                        s -> s.pending(MANY),
                        (s, ids) -> s.await(s.jobs.processor().accept(MAIL, MANY, AcceptOptions.nonBlocking())),
                        CLAIMS),
                loop("a worker claims 100 jobs", s -> s.pending(MANY), (s, ids) -> claimAll(s), CLAIMS),
                verb(
                        "`claim`",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().claim(db, MAIL, job.id(), job.lock())),
                verb(
                        "`claim` by a key, of a job with 200 kB of data",
                        s -> {
                            s.pending(LARGE);
                            return s.await(s.jobs.processor().accept(MAIL)).orElseThrow();
                        },
                        (s, db, job) -> s.jobs.processor().claim(db, new ClaimKey(MAIL, job.id(), job.lock()))),
                verb(
                        "`updateAll` of 100 claims",
                        CostFixture::claimedTogether,
                        (s, db, claims) -> s.jobs.processor().updateAll(db, claims)),
                verb(
                        "`renewAll` of 100 claims",
                        CostFixture::claimedTogether,
                        (s, db, claims) -> s.jobs.processor().renewAll(db, keys(claims))),
                verb(
                        "`renewAll` of a claim with 200 kB of data",
                        s -> {
                            s.pending(LARGE);
                            return s.await(s.jobs.processor().accept(MAIL)).orElseThrow();
                        },
                        (s, db, job) -> s.jobs.processor().renewAll(db, keys(List.of(job)))),
                verb(
                        "`update`",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().update(db, job)),
                verb(
                        "`update` with data",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().update(db, job, "half")),
                verb(
                        "`update` with 200 kB of data",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().update(db, job, LARGE)),
                loop(
                        "a worker's heartbeats for 100 jobs",
                        s -> s.working(MANY),
                        (s, w) -> s.pass(TIMEOUT.dividedBy(2)),
                        HEARTBEATS),
                verb(
                        "`finish`",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().finish(db, job)),
                verb(
                        "`finish` in a type with a stored retention",
                        ProcessingRows::runningWithRetention,
                        (s, db, job) -> s.jobs.processor().finish(db, job)),
                verb(
                        "`finish` with data",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().finish(db, job, DATA + DATA)),
                verb(
                        "`finishWithResult`",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().finishWithResult(db, MAIL, job, "sent")),
                verb(
                        "`finishWithResult` of 200 kB",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().finishWithResult(db, MAIL, job, LARGE)),
                loop("a worker ends 100 jobs", s -> s.working(MANY), (s, w) -> endAll(s), ENDS),
                verb(
                        "`fail`, to be tried again",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().fail(db, job, failure(new IllegalStateException("no")))),
                verb(
                        "`fail` for good",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().fail(db, job, failure(new PermanentFailureException("no")))),
                verb(
                        "`snooze`",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().snooze(db, job, TIMEOUT)),
                verb(
                        "`release`",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().release(db, job)),
                verb(
                        "`cancel`",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().cancel(db, job, "not wanted")),
                verb(
                        "`resubmit` of a running job",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().resubmit(db, job)),
                verb(
                        "`resubmit` of a finished job",
                        CostFixture::finished,
                        (s, db, job) -> s.jobs.processor().resubmit(db, job)),
                verb(
                        "`log`, the first entry",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.processor().log(db, job, "one")),
                verb(
                        "`log`, a further entry",
                        ProcessingRows::logged,
                        (s, db, job) -> s.jobs.processor().log(db, job, "two")),
                verb(
                        "`checkpoint`",
                        ProcessingRows::logged,
                        (s, db, job) -> s.jobs.processor().checkpoint(db, job, "two")),
                verb(
                        "`progress`",
                        ProcessingRows::logged,
                        (s, db, job) -> s.jobs.processor().progress(db, job, 1, 2, "half")),
                verb("`JobContext.run`", ProcessingRows::begun, (s, db, job) -> job.runAsync(ProcessingRows::nothing)),
                verb(
                        "`JobContext.finish`",
                        ProcessingRows::begun,
                        (s, db, job) -> job.finishAsync(tx -> nothing(tx).thenApply(done -> "sent"))));
    }

    /** A process reads a stored retention when the first job ends after its change. */
    private static Job<String> runningWithRetention(CostFixture s) {
        s.await(s.others.types().setTypeRetention(s.database(), MAIL, Retention.standard()));
        s.await(s.jobs.processor().finish(s.database(), s.running()));
        return s.running();
    }

    private static <T> CompletableFuture<T> nothing(T given) {
        return CompletableFuture.completedFuture(given);
    }

    private static void accept(CostFixture fixture) {
        fixture.await(fixture.jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));
    }

    private static void acceptAnywhere(CostFixture fixture) {
        fixture.await(fixture.jobs
                .processor()
                .accept(MAIL, AcceptOptions.nonBlocking().noSchedule()));
    }

    private static void claimAll(CostFixture fixture) {
        fixture.worker(MANY);
        fixture.pass(MOMENT);
    }

    private static Worker idle(CostFixture fixture) {
        Worker worker = fixture.worker(MANY);
        fixture.pass(HOUR);
        return worker;
    }

    private static void endAll(CostFixture fixture) {
        fixture.endAll();
        fixture.pass(MOMENT);
    }

    private static Job<String> logged(CostFixture fixture) {
        Job<String> job = fixture.running();
        fixture.await(fixture.others.processor().log(fixture.database(), job, "one"));
        return job;
    }

    private static JobContext<String> begun(CostFixture fixture) {
        fixture.working(1);
        return fixture.begun().get(0);
    }
}
