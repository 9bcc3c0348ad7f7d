package dev.couchjobs.costs;

import static dev.couchjobs.costs.Cost.reading;
import static dev.couchjobs.costs.Cost.writing;
import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.costs.CostFixture.MANY;
import static dev.couchjobs.costs.CostFixture.id;
import static dev.couchjobs.costs.CostRow.loop;
import static dev.couchjobs.costs.CostRow.verb;

import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Job;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** What it costs that jobs wait for others. */
final class DependencyRows {
    private static final String LAST = "mail-last";
    /** More than one transaction tells. */
    private static final int TOO_MANY = 150;

    private static final Predicate<Cost> RELEASES = reading("releasing");

    private DependencyRows() {}

    static List<CostRow> all() {
        return List.of(
                verb(
                        "`add` of a job that waits for one",
                        CostFixture::pending,
                        (s, db, id) -> s.jobs.add(db, after(LAST, 1))),
                verb(
                        "`add` of a job that waits for 100",
                        s -> s.pending(MANY),
                        (s, db, ids) -> s.jobs.add(db, after(LAST, MANY))),
                verb(
                        "`add` of a job that waits for one to come",
                        s -> waitingForSuccess(LAST),
                        (s, db, job) -> s.jobs.add(db, job)),
                verb(
                        "`add` of a job that another waits for",
                        s -> s.await(s.others.add(s.database(), waitingForSuccess(LAST)))
                                .jobId(),
                        (s, db, last) -> s.jobs.add(db, MAIL, id(0), DATA)),
                verb(
                        "`remove` of a job that waits",
                        DependencyRows::one,
                        (s, db, job) -> s.jobs.remove(db, MAIL, LAST)),
                verb(
                        "`remove` of a job that waits, and fails if the other does",
                        DependencyRows::oneThatFails,
                        (s, db, job) -> s.jobs.remove(db, MAIL, LAST)),
                verb(
                        "`remove` of a job that waits for one to come",
                        s -> s.await(s.others.add(s.database(), waitingForSuccess(LAST)))
                                .jobId(),
                        (s, db, last) -> s.jobs.remove(db, MAIL, last)),
                verb(
                        "`finish` of a job that one waits for",
                        DependencyRows::one,
                        (s, db, job) -> s.jobs.processor().finish(db, job)),
                verb(
                        "`finish` of a job that 100 wait for",
                        s -> many(s, MANY, DependencyPolicy.WAIT),
                        (s, db, job) -> s.jobs.processor().finish(db, job)),
                verb(
                        "`cancel` of a job that 10 wait for, and fail with",
                        s -> many(s, 10, DependencyPolicy.FAIL),
                        (s, db, job) -> s.jobs.processor().cancel(db, job, "not wanted")),
                loop(
                        "a worker ends 100 jobs that one waits for",
                        DependencyRows::gathering,
                        (s, id) -> endAll(s),
                        writing("retire")),
                loop(
                        "releaser: tells 50 that are left",
                        DependencyRows::left,
                        (s, job) -> releaseAll(s),
                        RELEASES.and(Cost::writes)),
                loop("releaser: nothing to tell", s -> MAIL, (s, type) -> releaseAll(s), RELEASES),
                verb(
                        "`waitsFor`",
                        DependencyRows::one,
                        (s, db, job) -> s.jobs.details().waitsFor(db, MAIL, LAST, PageRequest.of(MANY))),
                verb(
                        "`dependents` of a job that 100 wait for",
                        s -> many(s, MANY, DependencyPolicy.WAIT),
                        (s, db, job) -> s.jobs.details().dependents(db, MAIL, job.id(), PageRequest.of(MANY))),
                verb(
                        "`dependencyStates`",
                        DependencyRows::one,
                        (s, db, job) ->
                                s.jobs.details().dependencyStates(db, MAIL, LAST, type -> true, PageRequest.of(MANY))),
                verb(
                        "`dependentStates` of a job that 100 wait for",
                        s -> many(s, MANY, DependencyPolicy.WAIT),
                        (s, db, job) -> s.jobs.details()
                                .dependentStates(db, MAIL, job.id(), type -> true, PageRequest.of(MANY))));
    }

    private static NewJob<String> after(String id, int dependencies) {
        return NewJob.of(MAIL, DATA)
                .id(id)
                .after(
                        MAIL,
                        IntStream.range(0, dependencies)
                                .mapToObj(CostFixture::id)
                                .toArray(String[]::new));
    }

    private static NewJob<String> waitingForSuccess(String id) {
        return NewJob.of(MAIL, DATA).id(id).after(Dependency.on(MAIL, id(0)).ifUnsuccessful(DependencyPolicy.EXPECT));
    }

    private static Job<String> one(CostFixture fixture) {
        Job<String> job = fixture.running();
        fixture.await(fixture.others.add(fixture.database(), after(LAST, 1)));
        return job;
    }

    private static Job<String> oneThatFails(CostFixture fixture) {
        Job<String> job = fixture.running();
        NewJob<String> last =
                NewJob.of(MAIL, DATA).id(LAST).after(Dependency.on(MAIL, id(0)).ifUnsuccessful(DependencyPolicy.FAIL));
        fixture.await(fixture.others.add(fixture.database(), last));
        return job;
    }

    private static Job<String> many(CostFixture fixture, int waiting, DependencyPolicy policy) {
        Job<String> job = fixture.running();
        List<NewJob<String>> all = IntStream.range(0, waiting)
                .mapToObj(i -> NewJob.of(MAIL, DATA)
                        .id("waiting-" + i)
                        .after(Dependency.on(MAIL, id(0)).ifUnsuccessful(policy)))
                .toList();
        fixture.await(fixture.others.addAll(fixture.database(), all));
        return job;
    }

    private static String gathering(CostFixture fixture) {
        fixture.working(MANY);
        return fixture.await(fixture.others.add(fixture.database(), after(LAST, MANY)))
                .jobId();
    }

    private static void endAll(CostFixture fixture) {
        fixture.endAll();
        fixture.pass(Duration.ofSeconds(1));
    }

    private static Job<String> left(CostFixture fixture) {
        Job<String> job = many(fixture, TOO_MANY, DependencyPolicy.WAIT);
        fixture.await(fixture.others.processor().finish(fixture.database(), job));
        return job;
    }

    private static void releaseAll(CostFixture fixture) {
        fixture.jobs.maintenance().monitor(MAIL);
        fixture.pass(Duration.ofSeconds(1));
    }
}
