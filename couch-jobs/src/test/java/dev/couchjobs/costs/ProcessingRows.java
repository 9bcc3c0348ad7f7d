package dev.couchjobs.costs;

import static dev.couchjobs.costs.Cost.reading;
import static dev.couchjobs.costs.Cost.writing;
import static dev.couchjobs.costs.Row.loop;
import static dev.couchjobs.costs.Row.verb;
import static dev.couchjobs.costs.Scene.DATA;
import static dev.couchjobs.costs.Scene.LARGE;
import static dev.couchjobs.costs.Scene.MAIL;
import static dev.couchjobs.costs.Scene.MANY;
import static dev.couchjobs.costs.Scene.TIMEOUT;
import static dev.couchjobs.costs.Scene.failure;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Job;
import dev.couchjobs.JobContext;
import dev.couchjobs.PermanentFailureException;
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

    static List<Row> all() {
        return List.of(
                loop(
                        "a worker with nothing to do, in an hour",
                        ProcessingRows::idle,
                        (s, w) -> s.pass(HOUR),
                        all -> true),
                loop("`accept` of a job", Scene::pending, (s, id) -> accept(s), CLAIMS),
                loop("`accept` of a job with 200 kB of data", s -> s.pending(LARGE), (s, id) -> accept(s), CLAIMS),
                loop("`accept` with `noSchedule`", Scene::pending, (s, id) -> acceptAnywhere(s), CLAIMS),
                loop("`accept` when there is none", s -> MAIL, (s, type) -> accept(s), CLAIMS),
                loop("a worker claims 100 jobs", s -> s.pending(MANY), (s, ids) -> claimAll(s), CLAIMS),
                verb("`update`", Scene::running, (s, db, job) -> s.jobs.update(db, job)),
                verb("`update` with data", Scene::running, (s, db, job) -> s.jobs.update(db, job, "half")),
                verb("`update` with 200 kB of data", Scene::running, (s, db, job) -> s.jobs.update(db, job, LARGE)),
                loop(
                        "a worker's heartbeats for 100 jobs",
                        s -> s.working(MANY),
                        (s, w) -> s.pass(TIMEOUT.dividedBy(2)),
                        HEARTBEATS),
                verb("`finish`", Scene::running, (s, db, job) -> s.jobs.finish(db, job)),
                verb("`finish` with data", Scene::running, (s, db, job) -> s.jobs.finish(db, job, DATA + DATA)),
                verb(
                        "`finishWithResult`",
                        Scene::running,
                        (s, db, job) -> s.jobs.finishWithResult(db, MAIL, job, "sent")),
                verb(
                        "`finishWithResult` of 200 kB",
                        Scene::running,
                        (s, db, job) -> s.jobs.finishWithResult(db, MAIL, job, LARGE)),
                loop("a worker ends 100 jobs", s -> s.working(MANY), (s, w) -> endAll(s), ENDS),
                verb(
                        "`fail`, to be tried again",
                        Scene::running,
                        (s, db, job) -> s.jobs.fail(db, job, failure(new IllegalStateException("no")))),
                verb(
                        "`fail` for good",
                        Scene::running,
                        (s, db, job) -> s.jobs.fail(db, job, failure(new PermanentFailureException("no")))),
                verb("`snooze`", Scene::running, (s, db, job) -> s.jobs.snooze(db, job, TIMEOUT)),
                verb("`cancel`", Scene::running, (s, db, job) -> s.jobs.cancel(db, job, "not wanted")),
                verb("`resubmit` of a running job", Scene::running, (s, db, job) -> s.jobs.resubmit(db, job)),
                verb("`resubmit` of a finished job", Scene::finished, (s, db, job) -> s.jobs.resubmit(db, job)),
                verb("`log`, the first entry", Scene::running, (s, db, job) -> s.jobs.log(db, job, "one")),
                verb("`log`, a further entry", ProcessingRows::logged, (s, db, job) -> s.jobs.log(db, job, "two")),
                verb("`checkpoint`", ProcessingRows::logged, (s, db, job) -> s.jobs.checkpoint(db, job, "two")),
                verb("`progress`", ProcessingRows::logged, (s, db, job) -> s.jobs.progress(db, job, 1, 2, "half")),
                verb("`JobContext.run`", ProcessingRows::begun, (s, db, job) -> job.runAsync(ProcessingRows::nothing)),
                verb(
                        "`JobContext.finish`",
                        ProcessingRows::begun,
                        (s, db, job) -> job.finishAsync(tx -> nothing(tx).thenApply(done -> "sent"))));
    }

    private static <T> CompletableFuture<T> nothing(T given) {
        return CompletableFuture.completedFuture(given);
    }

    private static void accept(Scene scene) {
        scene.await(scene.jobs.accept(MAIL, AcceptOptions.nonBlocking()));
    }

    private static void acceptAnywhere(Scene scene) {
        scene.await(scene.jobs.accept(MAIL, AcceptOptions.nonBlocking().noSchedule()));
    }

    private static void claimAll(Scene scene) {
        scene.worker(MANY);
        scene.pass(MOMENT);
    }

    private static Worker idle(Scene scene) {
        Worker worker = scene.worker(MANY);
        scene.pass(HOUR);
        return worker;
    }

    private static void endAll(Scene scene) {
        scene.endAll();
        scene.pass(MOMENT);
    }

    private static Job<String> logged(Scene scene) {
        Job<String> job = scene.running();
        scene.await(scene.others.log(scene.database(), job, "one"));
        return job;
    }

    private static JobContext<String> begun(Scene scene) {
        scene.working(1);
        return scene.begun().get(0);
    }
}
