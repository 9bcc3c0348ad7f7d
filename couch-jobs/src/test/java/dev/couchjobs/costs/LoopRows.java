package dev.couchjobs.costs;

import static dev.couchjobs.costs.Cost.reading;
import static dev.couchjobs.costs.Cost.writing;
import static dev.couchjobs.costs.CostFixture.ARCHIVED;
import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.LARGE;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.costs.CostFixture.RETENTION;
import static dev.couchjobs.costs.CostFixture.TIMEOUT;
import static dev.couchjobs.costs.CostRow.loop;

import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What runs in the background of an instance: the activity monitor, the notifier, the sweep and the archive. */
final class LoopRows {
    private static final Duration MOMENT = Duration.ofSeconds(1);
    /** Within it a worker renews its row once. */
    private static final Duration RENEWAL = Duration.ofSeconds(67);
    /** Longer than the feed is kept. */
    private static final Duration LONG = Duration.ofMinutes(20);

    private LoopRows() {}

    static List<CostRow> all() {
        return List.of(
                loop("worker: renews its row", LoopRows::idle, (s, type) -> s.pass(RENEWAL), reading("worker_orders")),
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
                        CostFixture::claimedAndLeft,
                        LoopRows::monitorForLong,
                        reading("activity").and(writing("pending"))),
                loop(
                        "feed trimmer: trims the feed of one type",
                        CostFixture::pending,
                        LoopRows::monitorForLong,
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
                        LoopRows::monitorBriefly,
                        reading("retire").and(writing("data"))),
                loop("sweep: nothing is due", s -> s.ended(MAIL), LoopRows::monitorBriefly, reading("retire")),
                loop("archive: offers 100 jobs", s -> due(s, ARCHIVED), LoopRows::archive, writing("archiving")),
                loop("archive: removes 100 jobs", s -> due(s, ARCHIVED), LoopRows::archive, writing("retire")),
                loop("archive: nothing is due", s -> s.ended(ARCHIVED), LoopRows::archive, reading("retire")));
    }

    private static JobType<String, String> idle(CostFixture fixture) {
        fixture.worker(1);
        fixture.pass(MOMENT);
        return MAIL;
    }

    private static JobType<String, String> monitored(CostFixture fixture) {
        fixture.working(1);
        fixture.pass(TIMEOUT);
        return MAIL;
    }

    private static JobType<String, String> monitoredByAnother(CostFixture fixture) {
        fixture.others
                .worker()
                .handleAsync(MAIL, job -> new CompletableFuture<>())
                .executor(fixture.time())
                .start();
        fixture.pending();
        fixture.pass(TIMEOUT);
        fixture.jobs.maintenance().monitor(MAIL);
        fixture.pass(MOMENT);
        return MAIL;
    }

    private static void monitorBriefly(CostFixture fixture, Object any) {
        fixture.jobs.maintenance().monitor(MAIL);
        fixture.pass(MOMENT);
    }

    private static void monitorForLong(CostFixture fixture, Object any) {
        fixture.jobs.maintenance().monitor(MAIL);
        fixture.pass(LONG);
    }

    private static Job<String> followed(CostFixture fixture, String data) {
        Job<String> job = fixture.running(data);
        fixture.await(fixture.jobs.subscribe(fixture.measured(), MAIL, job.id()));
        fixture.pass(MOMENT);
        return job;
    }

    private static void finish(CostFixture fixture, Job<String> job) {
        fixture.await(fixture.others.processor().finish(fixture.database(), job));
        fixture.pass(MOMENT);
    }

    private static JobType<String, String> due(CostFixture fixture, JobType<String, String> type) {
        fixture.ended(type);
        fixture.pass(RETENTION);
        return type;
    }

    private static void archive(CostFixture fixture, JobType<String, String> type) {
        fixture.jobs.maintenance().archive(type, CompletableFuture::completedFuture);
        fixture.pass(MOMENT);
    }
}
