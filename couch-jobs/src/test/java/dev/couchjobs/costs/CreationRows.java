package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.LARGE;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.costs.CostFixture.MANY;
import static dev.couchjobs.costs.CostFixture.id;
import static dev.couchjobs.costs.CostRow.verb;

import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import dev.couchjobs.Unique;
import java.time.Duration;
import java.util.List;

/** The verbs of those who create jobs and types. */
final class CreationRows {
    private CreationRows() {}

    static List<CostRow> all() {
        return List.of(
                verb("`add` of a new job", s -> id(0), (s, db, id) -> s.jobs.add(db, MAIL, id, DATA)),
                verb("`add` of a new job without an id", s -> DATA, (s, db, data) -> s.jobs.add(db, MAIL, data)),
                verb(
                        "`add` of a new job with a priority",
                        s -> NewJob.of(MAIL, DATA).id(id(0)).priority(3),
                        (s, db, job) -> s.jobs.add(db, job)),
                verb(
                        "`add` of a new job with 200 kB of data",
                        s -> id(0),
                        (s, db, id) -> s.jobs.add(db, MAIL, id, LARGE)),
                verb(
                        "`add` of a pending job as it is",
                        CostFixture::pending,
                        (s, db, id) -> s.jobs.add(db, MAIL, id, DATA)),
                verb(
                        "`add` of a pending job as it is, with 200 kB of data",
                        s -> s.pending(LARGE),
                        (s, db, id) -> s.jobs.add(db, MAIL, id, LARGE)),
                verb(
                        "`add` of a pending job with other data",
                        CostFixture::pending,
                        (s, db, id) -> s.jobs.add(db, MAIL, id, "other")),
                verb(
                        "`add` of a running job",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.add(db, MAIL, job.id(), DATA)),
                verb(
                        "`add` of a finished job",
                        CostFixture::finished,
                        (s, db, job) -> s.jobs.add(db, MAIL, job.id(), DATA)),
                verb("`add` of a unique job", CreationRows::unique, (s, db, job) -> s.jobs.add(db, job)),
                verb("`add` of a duplicate", CreationRows::duplicate, (s, db, job) -> s.jobs.add(db, job)),
                verb("`addAll` of 100 new jobs", s -> s.news(MANY), (s, db, jobs) -> s.jobs.addAll(db, jobs)),
                verb("`remove` of a pending job", CostFixture::pending, (s, db, id) -> s.jobs.remove(db, MAIL, id)),
                verb(
                        "`remove` of a running job",
                        CostFixture::running,
                        (s, db, job) -> s.jobs.remove(db, MAIL, job.id())),
                verb("`remove` of a missing job", s -> id(0), (s, db, id) -> s.jobs.remove(db, MAIL, id)),
                verb(
                        "`setTypeTimeout`",
                        s -> Duration.ofSeconds(7),
                        (s, db, timeout) -> s.jobs.types().setTypeTimeout(db, MAIL, timeout)),
                verb(
                        "`getTypeTimeout`",
                        s -> MAIL,
                        (s, db, type) -> s.jobs.types().getTypeTimeout(db, type)),
                verb(
                        "`clearTypeTimeout`",
                        s -> MAIL,
                        (s, db, type) -> s.jobs.types().clearTypeTimeout(db, type)),
                verb(
                        "`setTypeRetention`",
                        CreationRows::withRetention,
                        (s, db, type) -> s.jobs.types().setTypeRetention(db, type, Retention.forever())),
                verb(
                        "`getTypeRetention`",
                        CreationRows::withRetention,
                        (s, db, type) -> s.jobs.types().getTypeRetention(db, type)),
                verb(
                        "`clearTypeRetention`",
                        CreationRows::withRetention,
                        (s, db, type) -> s.jobs.types().clearTypeRetention(db, type)),
                verb("`getTypes`", s -> MAIL, (s, db, type) -> s.jobs.types().getTypes(db)));
    }

    /** The first stored retention of all raises the layout. */
    private static JobType<String, String> withRetention(CostFixture s) {
        s.await(s.others.types().setTypeRetention(s.database(), MAIL, Retention.standard()));
        return MAIL;
    }

    /** The first unique job of all raises the layout. */
    private static NewJob<String> unique(CostFixture s) {
        s.await(s.others.add(s.database(), NewJob.of(MAIL, DATA).id(id(1)).unique(Unique.by("user-8"))));
        return NewJob.of(MAIL, DATA).id(id(0)).unique(Unique.by("user-7"));
    }

    private static NewJob<String> duplicate(CostFixture s) {
        s.await(s.others.add(s.database(), unique(s)));
        return NewJob.of(MAIL, DATA).id(id(2)).unique(Unique.by("user-7"));
    }
}
