package dev.couchjobs.costs;

import static dev.couchjobs.costs.Cost.reading;
import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.costs.CostFixture.id;
import static dev.couchjobs.costs.CostRow.loop;
import static dev.couchjobs.costs.CostRow.verb;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Batch;
import dev.couchjobs.Job;
import dev.couchjobs.JobStatus;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.RemoteWorker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The verbs of operators. */
final class ControlRows {
    private ControlRows() {}

    static List<CostRow> all() {
        return List.of(
                verb(
                        "`control().cancel` of a pending job",
                        CostFixture::pending,
                        (s, db, id) -> s.jobs.control().cancel(db, MAIL, id, "left")),
                verb(
                        "`control().cancel` of a running job",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.control().cancel(db, MAIL, job.id(), "left")),
                verb(
                        "`control().select` and `cancel` of 100 jobs",
                        s -> s.pending(CostFixture.MANY),
                        (s, db, ids) ->
                                s.jobs.control().select(MAIL, job -> true).cancel("left")),
                verb(
                        "`control().select` and `count` of 100 jobs",
                        s -> s.pending(CostFixture.MANY),
                        (s, db, ids) ->
                                s.jobs.control().select(MAIL, job -> true).count()),
                verb("`add` of a job with a deadline", ControlRows::addedOne, (s, db, job) -> s.jobs.add(db, job)),
                verb("`add` of a job with two tags", ControlRows::tagged, (s, db, job) -> s.jobs.add(db, job)),
                verb(
                        "`listTagged` of 100 jobs",
                        ControlRows::manyTagged,
                        (s, db, tag) -> s.jobs.listTagged(db, MAIL, tag, PageRequest.of(CostFixture.MANY))),
                verb(
                        "`add` of a job that is indexed by status",
                        ControlRows::indexed,
                        (s, db, id) -> s.jobs.add(db, MAIL, id, DATA)),
                verb(
                        "`finish` of a job that is indexed by status",
                        ControlRows::indexedRunning,
                        (s, db, job) -> s.jobs.processor().finish(db, job)),
                verb(
                        "`statuses().index` of 100 jobs",
                        ControlRows::unindexed,
                        (s, db, type) -> s.jobs.statuses().index(MAIL)),
                verb(
                        "`statuses().counts`",
                        ControlRows::manyIndexed,
                        (s, db, status) -> s.jobs.statuses().counts(db, MAIL)),
                verb(
                        "`statuses().list` of 100 jobs",
                        ControlRows::manyIndexed,
                        (s, db, status) -> s.jobs.statuses().list(db, MAIL, status, PageRequest.of(CostFixture.MANY))),
                verb(
                        "`statuses().drop`",
                        ControlRows::manyIndexed,
                        (s, db, status) -> s.jobs.statuses().drop(db, MAIL)),
                verb(
                        "`batches().open` with a closing job",
                        ControlRows::batch,
                        (s, db, name) -> s.jobs.batches().open(db, closed("next"))),
                verb(
                        "`add` of a member of a batch",
                        ControlRows::batch,
                        (s, db, name) -> s.jobs.add(db, NewJob.of(MAIL, DATA).batch(name))),
                verb(
                        "`finish` of the last member of a batch",
                        ControlRows::lastMember,
                        (s, db, job) -> s.jobs.processor().finish(db, job)),
                verb(
                        "`batches().seal`",
                        ControlRows::batch,
                        (s, db, name) -> s.jobs.batches().seal(db, name)),
                verb(
                        "`control().runNow`",
                        ControlRows::scheduled,
                        (s, db, id) -> s.jobs.control().runNow(db, MAIL, id)),
                verb(
                        "`control().reprioritise`",
                        CostFixture::pending,
                        (s, db, id) -> s.jobs.control().reprioritise(db, MAIL, id, 3)),
                verb(
                        "`types().pause`",
                        ControlRows::resumed,
                        (s, db, reason) -> s.jobs.types().pause(db, MAIL, reason)),
                loop(
                        "`accept` of a paused type",
                        ControlRows::paused,
                        (s, id) -> s.await(s.jobs.processor().accept(MAIL, AcceptOptions.nonBlocking())),
                        reading("rules")),
                verb(
                        "`types().resume`",
                        ControlRows::paused,
                        (s, db, id) -> s.jobs.types().resume(db, MAIL)),
                verb(
                        "`workers().pause`",
                        ControlRows::namedLikeWorkers,
                        (s, db, name) -> s.jobs.workers().pause(db, name)),
                verb(
                        "`workers().resume`",
                        ControlRows::pausedName,
                        (s, db, name) -> s.jobs.workers().resume(db, name)),
                verb(
                        "`workers().drain` of one worker",
                        ControlRows::worker,
                        (s, db, name) -> s.jobs.workers().drain(db, name)),
                verb(
                        "`workers().report`",
                        ControlRows::remoteWorker,
                        (s, db, worker) -> s.jobs.workers().report(db, worker)),
                verb(
                        "`workers().list`, one of them",
                        ControlRows::worker,
                        (s, db, name) -> s.jobs.workers().list(db, PageRequest.of(100))));
    }

    /** The first deadline of all raises the layout. */
    private static NewJob<String> addedOne(CostFixture s) {
        NewJob<String> job = NewJob.of(MAIL, DATA).startBefore(Instant.parse("2100-01-01T00:00:00Z"));
        s.await(s.others.add(s.database(), job.id("first")));
        return job;
    }

    /** The first tag of all raises the layout. */
    private static NewJob<String> tagged(CostFixture s) {
        NewJob<String> job = NewJob.of(MAIL, DATA).tags("newsletter", "eu");
        s.await(s.others.add(s.database(), job.id("first")));
        return job;
    }

    /** The process has read that the type is indexed. */
    private static String indexed(CostFixture s) {
        s.await(s.others.statuses().index(MAIL));
        s.await(s.jobs.add(s.database(), MAIL, id(0), DATA));
        s.await(s.jobs.remove(s.database(), MAIL, id(0)));
        return id(1);
    }

    private static Job<String> indexedRunning(CostFixture s) {
        indexed(s);
        return s.running();
    }

    /** The first index of all raises the layout. */
    private static String unindexed(CostFixture s) {
        manyIndexed(s);
        s.await(s.others.statuses().drop(s.database(), MAIL));
        return MAIL.name();
    }

    private static JobStatus manyIndexed(CostFixture s) {
        indexed(s);
        s.pending(CostFixture.MANY);
        return JobStatus.WAITING;
    }

    private static String manyTagged(CostFixture s) {
        for (int i = 0; i < CostFixture.MANY; i++) {
            s.await(s.others.add(s.database(), NewJob.of(MAIL, DATA).id(id(i)).tags("eu")));
        }
        return "eu";
    }

    /** The first batch of all raises the layout. */
    private static String batch(CostFixture s) {
        s.await(s.others.batches().open(s.database(), closed("import-17")));
        s.await(s.others.add(s.database(), NewJob.of(MAIL, DATA).id(id(0)).batch("import-17")));
        return "import-17";
    }

    private static Batch closed(String name) {
        return Batch.of(name).closing(NewJob.of(MAIL, DATA).id("closing " + name));
    }

    private static Job<String> lastMember(CostFixture s) {
        batch(s);
        s.await(s.others.batches().seal(s.database(), "import-17"));
        return s.await(s.others.processor().accept(MAIL)).orElseThrow();
    }

    private static String scheduled(CostFixture s) {
        NewJob<String> job = NewJob.of(MAIL, DATA).id(id(0)).at(Instant.parse("2100-01-01T00:00:00Z"));
        s.await(s.others.add(s.database(), job));
        return id(0);
    }

    /** The first pause of all raises the layout. */
    private static String resumed(CostFixture s) {
        s.await(s.others.types().pause(s.database(), MAIL, "first"));
        s.await(s.others.types().resume(s.database(), MAIL));
        return "deploying";
    }

    private static String namedLikeWorkers(CostFixture s) {
        return "mailers";
    }

    private static String pausedName(CostFixture s) {
        s.await(s.others.workers().pause(s.database(), "mailers"));
        return "mailers";
    }

    private static RemoteWorker remoteWorker(CostFixture s) {
        return new RemoteWorker(
                "mailers",
                new UUID(1, 2),
                "host",
                "python 1",
                List.of("mail"),
                4,
                0,
                false,
                Instant.parse("2027-01-31T08:00:00Z"));
    }

    private static String worker(CostFixture s) {
        String name = s.worker(1).name();
        s.pass(Duration.ofSeconds(1));
        return name;
    }

    private static String paused(CostFixture s) {
        String pending = s.pending();
        s.await(s.others.types().pause(s.database(), MAIL, "deploying"));
        return pending;
    }
}
