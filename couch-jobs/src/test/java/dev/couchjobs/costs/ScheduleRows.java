package dev.couchjobs.costs;

import static dev.couchjobs.costs.Cost.reading;
import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.costs.CostRow.loop;
import static dev.couchjobs.costs.CostRow.verb;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Job;
import dev.couchjobs.NewJob;
import dev.couchjobs.Schedule;
import java.time.Duration;
import java.util.List;

/** The verbs of schedules, and the end of a schedule's job. */
final class ScheduleRows {
    private static final String NAME = "hourly";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Schedule HOURLY = Schedule.every(NAME, HOUR, NewJob.of(MAIL, DATA));

    private ScheduleRows() {}

    static List<CostRow> all() {
        return List.of(
                verb(
                        "`schedules().put`",
                        ScheduleRows::removed,
                        (s, db, schedule) -> s.jobs.schedules().put(db, schedule)),
                verb(
                        "`schedules().put` of what is stored",
                        ScheduleRows::put,
                        (s, db, name) -> s.jobs.schedules().put(db, HOURLY)),
                verb(
                        "`schedules().get`",
                        ScheduleRows::put,
                        (s, db, name) -> s.jobs.schedules().get(db, name)),
                verb(
                        "`schedules().firingTimes`",
                        ScheduleRows::put,
                        (s, db, name) -> s.jobs.schedules().firingTimes(db, name, 5)),
                verb(
                        "`schedules().jobs`",
                        ScheduleRows::put,
                        (s, db, name) -> s.jobs.schedules().jobs(db, name, 5)),
                verb(
                        "`schedules().pause`",
                        ScheduleRows::put,
                        (s, db, name) -> s.jobs.schedules().pause(db, name)),
                verb(
                        "`schedules().resume`",
                        ScheduleRows::paused,
                        (s, db, name) -> s.jobs.schedules().resume(db, name)),
                verb(
                        "`schedules().runNow`",
                        ScheduleRows::put,
                        (s, db, name) -> s.jobs.schedules().runNow(db, name)),
                verb(
                        "`schedules().remove`",
                        ScheduleRows::put,
                        (s, db, name) -> s.jobs.schedules().remove(db, name)),
                verb(
                        "`finish` of a schedule's job",
                        ScheduleRows::running,
                        (s, db, job) -> s.jobs.processor().finish(db, job)),
                verb(
                        "`finish` that passes its result on",
                        ScheduleRows::runningAndPassing,
                        (s, db, job) -> s.jobs.processor().finishWithResult(db, MAIL, job, DATA)),
                loop(
                        "`accept` of an overlapping schedule's job",
                        s -> due(s, HOURLY.overlapping()),
                        (s, name) -> accept(s),
                        reading("schedules")),
                loop(
                        "`accept` that cancels the job before",
                        s -> runningAndDue(s, HOURLY.cancellingPrevious()),
                        (s, name) -> accept(s),
                        reading("schedules")));
    }

    private static void accept(CostFixture s) {
        s.await(s.jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));
    }

    private static String due(CostFixture s, Schedule schedule) {
        s.await(s.others.schedules().put(s.database(), schedule));
        s.pass(HOUR);
        return NAME;
    }

    private static String runningAndDue(CostFixture s, Schedule schedule) {
        due(s, schedule);
        s.claimed();
        s.pass(HOUR);
        return NAME;
    }

    private static Job<String> runningAndPassing(CostFixture s) {
        due(s, HOURLY.passingResult(MAIL));
        return s.claimed();
    }

    private static String put(CostFixture s) {
        s.await(s.others.schedules().put(s.database(), HOURLY));
        return NAME;
    }

    private static Schedule removed(CostFixture s) {
        s.await(s.others.schedules().remove(s.database(), put(s)));
        return HOURLY;
    }

    private static String paused(CostFixture s) {
        s.await(s.others.schedules().pause(s.database(), put(s)));
        return NAME;
    }

    private static Job<String> running(CostFixture s) {
        put(s);
        s.pass(HOUR);
        return s.claimed();
    }
}
