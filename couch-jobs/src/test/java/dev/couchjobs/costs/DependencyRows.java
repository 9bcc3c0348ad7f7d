package dev.couchjobs.costs;

import static dev.couchjobs.costs.Cost.reading;
import static dev.couchjobs.costs.Cost.writing;
import static dev.couchjobs.costs.Row.loop;
import static dev.couchjobs.costs.Row.verb;
import static dev.couchjobs.costs.Scene.DATA;
import static dev.couchjobs.costs.Scene.MAIL;
import static dev.couchjobs.costs.Scene.MANY;
import static dev.couchjobs.costs.Scene.id;

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

    static List<Row> all() {
        return List.of(
                verb(
                        "`add` of a job that waits for one",
                        Scene::pending,
                        (s, db, id) -> s.jobs.add(db, after(LAST, 1))),
                verb(
                        "`add` of a job that waits for 100",
                        s -> s.pending(MANY),
                        (s, db, ids) -> s.jobs.add(db, after(LAST, MANY))),
                verb(
                        "`add` of a job that waits for one to come",
                        s -> patient(LAST),
                        (s, db, job) -> s.jobs.add(db, job)),
                verb(
                        "`add` of a job that another waits for",
                        s -> s.await(s.others.add(s.database(), patient(LAST))),
                        (s, db, last) -> s.jobs.add(db, MAIL, id(0), DATA)),
                verb(
                        "`remove` of a job that waits",
                        DependencyRows::one,
                        (s, db, job) -> s.jobs.remove(db, MAIL, LAST)),
                verb(
                        "`remove` of a job that waits for one to come",
                        s -> s.await(s.others.add(s.database(), patient(LAST))),
                        (s, db, last) -> s.jobs.remove(db, MAIL, last)),
                verb(
                        "`finish` of a job that one waits for",
                        DependencyRows::one,
                        (s, db, job) -> s.jobs.finish(db, job)),
                verb("`finish` of a job that 100 wait for", s -> many(s, MANY), (s, db, job) -> s.jobs.finish(db, job)),
                verb(
                        "`cancel` of a job that 10 wait for",
                        s -> many(s, 10),
                        (s, db, job) -> s.jobs.cancel(db, job, "not wanted")),
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
                        (s, db, job) -> s.jobs.waitsFor(db, MAIL, LAST, PageRequest.of(MANY))));
    }

    private static NewJob<String> after(String id, int dependencies) {
        return NewJob.of(MAIL, DATA)
                .id(id)
                .after(
                        MAIL,
                        IntStream.range(0, dependencies).mapToObj(Scene::id).toArray(String[]::new));
    }

    private static NewJob<String> patient(String id) {
        return NewJob.of(MAIL, DATA).id(id).after(Dependency.on(MAIL, id(0)).orElse(DependencyPolicy.WAIT));
    }

    private static Job<String> one(Scene scene) {
        Job<String> job = scene.running();
        scene.await(scene.others.add(scene.database(), after(LAST, 1)));
        return job;
    }

    private static Job<String> many(Scene scene, int waiting) {
        Job<String> job = scene.running();
        List<NewJob<String>> all = IntStream.range(0, waiting)
                .mapToObj(i -> after("waiting-" + i, 1))
                .toList();
        scene.await(scene.others.addAll(scene.database(), all));
        return job;
    }

    private static String gathering(Scene scene) {
        scene.working(MANY);
        return scene.await(scene.others.add(scene.database(), after(LAST, MANY)));
    }

    private static void endAll(Scene scene) {
        scene.endAll();
        scene.pass(Duration.ofSeconds(1));
    }

    private static Job<String> left(Scene scene) {
        Job<String> job = many(scene, TOO_MANY);
        scene.await(scene.others.finish(scene.database(), job));
        return job;
    }

    private static void releaseAll(Scene scene) {
        scene.jobs.monitor(MAIL);
        scene.pass(Duration.ofSeconds(1));
    }
}
