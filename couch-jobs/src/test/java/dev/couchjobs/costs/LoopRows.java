package dev.couchjobs.costs;

import static dev.couchjobs.costs.Cost.reading;
import static dev.couchjobs.costs.Cost.writing;
import static dev.couchjobs.costs.Row.loop;
import static dev.couchjobs.costs.Scene.ARCHIVED;
import static dev.couchjobs.costs.Scene.DATA;
import static dev.couchjobs.costs.Scene.LARGE;
import static dev.couchjobs.costs.Scene.MAIL;
import static dev.couchjobs.costs.Scene.RETENTION;

import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
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
                        "activity monitor: looks at the time",
                        s -> MAIL,
                        LoopRows::watchOver,
                        cost -> cost.readFrom().equals(Set.of("activity_timeout"))),
                loop(
                        "activity monitor: puts 100 jobs back",
                        Scene::claimedAndLeft,
                        LoopRows::watchOverForLong,
                        reading("activity").and(Cost::writes)),
                loop(
                        "activity monitor: trims the feed",
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
                        reading("retire").and(Cost::writes)),
                loop("sweep: nothing is due", s -> s.ended(MAIL), LoopRows::watchOver, reading("retire")),
                loop("archive: offers 100 jobs", s -> due(s, ARCHIVED), LoopRows::archive, writing("archiving")),
                loop("archive: removes 100 jobs", s -> due(s, ARCHIVED), LoopRows::archive, writing("retire")),
                loop("archive: nothing is due", s -> s.ended(ARCHIVED), LoopRows::archive, reading("retire")));
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
