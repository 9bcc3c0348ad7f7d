package dev.couchjobs.costs;

import static dev.couchjobs.costs.Cost.reading;
import static dev.couchjobs.costs.Cost.writing;
import static dev.couchjobs.costs.Row.loop;
import static dev.couchjobs.costs.Scene.ARCHIVED;
import static dev.couchjobs.costs.Scene.DATA;
import static dev.couchjobs.costs.Scene.LARGE;
import static dev.couchjobs.costs.Scene.MAIL;
import static dev.couchjobs.costs.Scene.RETENTION;
import static dev.couchjobs.costs.Scene.TIMEOUT;

import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What runs in the background of an instance: the activity monitor, the notifier, the sweep and the archive. */
final class LoopRows {
    private static final Duration MOMENT = Duration.ofSeconds(1);
    /** Longer than the feed is kept. */
    private static final Duration LONG = Duration.ofMinutes(20);

    private LoopRows() {}

    static List<Row> all() {
        return List.of(
                loop(
                        "activity monitor: looks, and renews its lease",
                        LoopRows::monitored,
                        (s, type) -> s.pass(TIMEOUT.dividedBy(3)),
                        reading("activity_timeout").and(writing("in_use"))),
                loop(
                        "monitor leases: looks at those of other processes",
                        LoopRows::monitoredByAnother,
                        (s, type) -> s.pass(TIMEOUT.dividedBy(3)),
                        reading("watches_in_use")),
                loop(
                        "activity monitor: puts 100 jobs back",
                        Scene::claimedAndLeft,
                        LoopRows::watchOverForLong,
                        reading("activity").and(writing("pending"))),
                loop(
                        "feed trimmer: trims the feed of one type",
                        Scene::pending,
                        LoopRows::watchOverForLong,
                        writing("feed_trimmed")),
                loop(
                        "notifier: a change of one job",
                        s -> followed(s, DATA),
                        LoopRows::finish,
                        reading("feed_trimmed")),
                loop(
                        "notifier: a change of one job with 200 kB of data",
                        s -> followed(s, LARGE),
                        LoopRows::finish,
                        reading("feed_trimmed")),
                loop(
                        "sweep: removes 100 jobs",
                        s -> due(s, MAIL),
                        LoopRows::watchOver,
                        reading("retire").and(writing("data"))),
                loop("sweep: nothing is due", s -> s.ended(MAIL), LoopRows::watchOver, reading("retire")),
                loop("archive: offers 100 jobs", s -> due(s, ARCHIVED), LoopRows::archive, writing("archiving")),
                loop("archive: removes 100 jobs", s -> due(s, ARCHIVED), LoopRows::archive, writing("retire")),
                loop("archive: nothing is due", s -> s.ended(ARCHIVED), LoopRows::archive, reading("retire")));
    }

    private static JobType<String, String> monitored(Scene scene) {
        scene.working(1);
        scene.pass(TIMEOUT);
        return MAIL;
    }

    private static JobType<String, String> monitoredByAnother(Scene scene) {
        scene.others
                .worker()
                .handleAsync(MAIL, job -> new CompletableFuture<>())
                .executor(scene.time())
                .start();
        scene.pending();
        scene.pass(TIMEOUT);
        scene.jobs.monitor(MAIL);
        scene.pass(MOMENT);
        return MAIL;
    }

    private static void watchOver(Scene scene, Object any) {
        scene.jobs.monitor(MAIL);
        scene.pass(MOMENT);
    }

    private static void watchOverForLong(Scene scene, Object any) {
        scene.jobs.monitor(MAIL);
        scene.pass(LONG);
    }

    private static Job<String> followed(Scene scene, String data) {
        Job<String> job = scene.running(data);
        scene.await(scene.jobs.subscribe(scene.measured(), MAIL, job.id()));
        scene.pass(MOMENT);
        return job;
    }

    private static void finish(Scene scene, Job<String> job) {
        scene.await(scene.others.finish(scene.database(), job));
        scene.pass(MOMENT);
    }

    private static JobType<String, String> due(Scene scene, JobType<String, String> type) {
        scene.ended(type);
        scene.pass(RETENTION);
        return type;
    }

    private static void archive(Scene scene, JobType<String, String> type) {
        scene.jobs.archive(type, CompletableFuture::completedFuture);
        scene.pass(MOMENT);
    }
}
