package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import dev.couchjobs.Schedule;
import dev.couchjobs.ScheduleInfo;
import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Schedules whose clock was wrong, and is right again: the next firing time is the next by the present clock that has no
 * job, and no firing time has two jobs.
 */
@Tag("long")
class WrongClockContract extends JobsContract {
    private static final String NAME = "hourly";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration YEAR = Duration.ofDays(365);
    private static final NewJob<WorkData> JOB = NewJob.of(INDEX, new WorkData(1));
    private static final Schedule HOURLY = Schedule.cron(NAME, "0 * * * *", ZoneOffset.UTC, JOB);
    private static final JobType<WorkData, ?> VANISHING =
            JobType.of("vanishing", WorkData.class).retention(Retention.of(Duration.ZERO));
    /** Half past twelve, by the right clock. */
    private static final Instant START = NOON.plusSeconds(1_800);

    /** What is done once the clock is right. Each computes the firing time anew. */
    private enum Remedy {
        PUT,
        PUT_ANOTHER,
        PAUSE_AND_RESUME,
        REMOVE_AND_PUT,
        RUN_NOW,
        /** A job was claimed by the wrong clock, and ends by the right one. */
        END
    }

    private static final List<Duration> FEW_ERRORS =
            List.of(Duration.ofMinutes(45), Duration.ofHours(30), YEAR.multipliedBy(40));
    private static final List<Duration> ERRORS = List.of(
            Duration.ofSeconds(3),
            Duration.ofSeconds(50),
            Duration.ofMinutes(2),
            Duration.ofMinutes(45),
            Duration.ofHours(5),
            Duration.ofHours(23),
            Duration.ofHours(30),
            YEAR,
            YEAR.multipliedBy(150));

    private static List<Duration> someErrors() {
        return Seeds.isLongRun() ? ERRORS : FEW_ERRORS;
    }

    @Test
    void afterAClockWasAheadTheNextFreeTimeOfThePresentClockComes() {
        forAll(ERRORS, (error, remedy) -> new Scenario(HOURLY).ahead(error, 1, remedy));
    }

    @Test
    void alsoIfSeveralTimesHaveFiredMeanwhile() {
        forAll(someErrors(), (error, remedy) -> new Scenario(HOURLY.makeUpFor(3)).ahead(error, 4, remedy));
    }

    @Test
    void alsoIfJobsOverlap() {
        forAll(someErrors(), (error, remedy) -> new Scenario(HOURLY.overlapping()).ahead(error, 2, remedy));
    }

    @Test
    void afterAClockWasBehindTheNextFreeTimeOfThePresentClockComes() {
        forAll(FEW_ERRORS, (error, remedy) -> new Scenario(HOURLY).behind(error, 2, remedy));
    }

    private SettableClock clock;
    private CouchJobs timed;

    @BeforeEach
    void openAtHalfPastTwelve() {
        clock = new SettableClock(START);
        timed = node(clock);
    }

    private interface Check {
        void of(Duration error, Remedy remedy);
    }

    private static void forAll(List<Duration> errors, Check check) {
        for (Duration error : errors) {
            for (Remedy remedy : Remedy.values()) {
                check.of(error, remedy);
            }
        }
    }

    /** A schedule, while there is no other. */
    private final class Scenario {
        private final Schedule schedule;
        private final Set<String> claimed = new HashSet<>();

        Scenario(Schedule schedule) {
            this.schedule = schedule;
            await(timed.schedules().remove(database, NAME));
            all(database, INDEX).forEach(job -> await(timed.remove(database, INDEX, job.jobId())));
            clock.advance(Duration.between(clock.instant(), START));
        }

        /** The clock leaps ahead, some firing times pass, and it leaps back. */
        void ahead(Duration error, int firings, Remedy remedy) {
            String what = "a clock ahead by " + error + ", then " + remedy;
            put(schedule);
            clock.advance(error);
            Job<WorkData> last = fire(firings);
            leap(error.negated(), last, remedy);
            Instant now = clock.instant();
            assertThat(nextTime(remedy)).as(what).isEqualTo(nextFree(now));
            goOn(what);
        }

        /** The schedule begins by a clock that is behind, and leaps ahead. Its current job may be overdue then. */
        void behind(Duration error, int firings, Remedy remedy) {
            String what = "a clock behind by " + error + ", then " + remedy;
            clock.advance(error.negated());
            put(schedule);
            Job<WorkData> last = fire(firings);
            leap(error, last, remedy);
            goOn(what);
        }

        private ScheduleInfo put(Schedule given) {
            return await(timed.schedules().put(database, given));
        }

        private Job<WorkData> fire(int firings) {
            Job<WorkData> last = null;
            for (int i = 0; i < firings; i++) {
                if (last != null) {
                    await(timed.processor().finish(database, last));
                }
                clock.advance(HOUR);
                last = accept().orElseThrow();
            }
            return Objects.requireNonNull(last);
        }

        private Optional<Job<WorkData>> accept() {
            Optional<Job<WorkData>> job = await(timed.processor().accept(INDEX, AcceptOptions.nonBlocking()));
            job.ifPresent(
                    found -> assertThat(claimed.add(found.id())).as(found.id()).isTrue());
            return job;
        }

        private void leap(Duration by, Job<WorkData> running, Remedy remedy) {
            if (remedy != Remedy.END) {
                await(timed.processor().finish(database, running));
            }
            clock.advance(by);
            switch (remedy) {
                case PUT -> put(schedule);
                case PUT_ANOTHER -> put(schedule.jitter(Duration.ofSeconds(1)));
                case PAUSE_AND_RESUME -> {
                    await(timed.schedules().pause(database, NAME));
                    await(timed.schedules().resume(database, NAME));
                }
                case REMOVE_AND_PUT -> {
                    await(timed.schedules().remove(database, NAME));
                    put(schedule);
                }
                case RUN_NOW -> {
                    await(timed.schedules().runNow(database, NAME));
                    await(timed.processor().finish(database, accept().orElseThrow()));
                }
                case END -> {
                    await(timed.processor().finish(database, running));
                    put(schedule); // jobs that overlap have their next time from the claim
                }
            }
        }

        private Instant nextTime(Remedy remedy) {
            return await(timed.schedules().get(database, NAME))
                    .orElseThrow()
                    .firingTime()
                    .orElseThrow(() -> new AssertionError("no firing time after " + remedy));
        }

        /** {@return the first full hour after a time that has no job but the one that waits} */
        private Instant nextFree(Instant now) {
            Set<String> taken = new HashSet<>();
            all(database, INDEX).stream().map(JobSummary::jobId).forEach(taken::add);
            taken.removeAll(waiting());
            Instant time = now.truncatedTo(ChronoUnit.HOURS).plus(HOUR);
            while (taken.contains(NAME + "@" + time)) {
                time = time.plus(HOUR);
            }
            return time;
        }

        private List<String> waiting() {
            return await(timed.schedules().get(database, NAME)).orElseThrow().currentJob().stream()
                    .toList();
        }

        /** By the right clock each of the next hours has one job, unless its job has run already. */
        private void goOn(String what) {
            List<String> overdue = new ArrayList<>();
            for (Optional<Job<WorkData>> job = accept(); job.isPresent(); job = accept()) {
                overdue.add(job.get().id());
                await(timed.processor().finish(database, job.get()));
            }
            assertThat(overdue).as(what).hasSizeLessThanOrEqualTo(1);
            for (int hour = 1; hour <= 3; hour++) {
                clock.advance(HOUR);
                String id = NAME + "@" + clock.instant().truncatedTo(ChronoUnit.HOURS);
                boolean hasRun = claimed.contains(id);
                Optional<Job<WorkData>> job = accept();
                assertThat(job.map(Job::id)).as(what).isEqualTo(hasRun ? Optional.empty() : Optional.of(id));
                job.ifPresent(found -> await(timed.processor().finish(database, found)));
            }
        }
    }

    @Test
    void aProcessWhoseClockIsAYearAheadSilencesNoScheduleOfTheOthers() {
        CouchJobs right = node(new SettableClock(START));
        CouchJobs ahead = node(new SettableClock(START.plus(YEAR)));
        await(right.schedules().put(database, HOURLY));
        finishOne(ahead, INDEX, "hourly@2026-11-21T13:00:00Z");

        await(right.schedules().put(database, HOURLY));

        assertThat(await(right.schedules().get(database, NAME)).orElseThrow().currentJob())
                .contains("hourly@2026-11-21T14:00:00Z");
    }

    @Test
    void aJobWhoseTimeAClockAYearAheadHasSetIsMadeDue() {
        SettableClock wrong = new SettableClock(START.plus(YEAR));
        CouchJobs right = node(new SettableClock(START));
        CouchJobs ahead = node(wrong);
        List<Function<String, CompletableFuture<?>>> remedies = List.of(
                id -> right.control().runNow(database, INDEX, id),
                id -> right.control().reschedule(database, INDEX, id, START),
                id -> right.control()
                        .select(
                                INDEX,
                                job -> job.scheduledTime()
                                        .filter(due -> due.isAfter(START.plus(YEAR)))
                                        .isPresent())
                        .runNow());
        for (var remedy : remedies) {
            for (String how : List.of("a retry", "a snooze", "an addition")) {
                NewJob<WorkData> added = JOB.id("late");
                await(ahead.add(
                        database,
                        how.equals("an addition") ? added.at(wrong.instant().plus(HOUR)) : added));
                if (!how.equals("an addition")) {
                    Job<WorkData> job = await(ahead.processor().accept(INDEX, AcceptOptions.nonBlocking()))
                            .orElseThrow();
                    CompletableFuture<?> putOff = how.equals("a retry")
                            ? ahead.processor().fail(database, job, new IllegalStateException())
                            : ahead.processor().snooze(database, job, HOUR);
                    await(putOff);
                }
                assertThat(await(right.processor().accept(INDEX, AcceptOptions.nonBlocking())))
                        .isEmpty();

                await(remedy.apply("late"));

                assertThat(await(right.processor().accept(INDEX, AcceptOptions.nonBlocking())))
                        .as(how)
                        .isPresent();
                await(right.remove(database, INDEX, "late"));
            }
        }
    }

    private void finishOne(CouchJobs node, JobType<WorkData, ?> type, String id) {
        Job<WorkData> job = await(node.processor().accept(type, AcceptOptions.nonBlocking()))
                .orElseThrow();
        assertThat(job.id()).isEqualTo(id);
        await(node.processor().finish(database, job));
    }

    @Test
    void aTimeWhoseJobIsNotKeptIsNotRepeatedByAClockThatGoesBack() {
        await(timed.schedules().put(database, Schedule.every(NAME, HOUR, NewJob.of(VANISHING, new WorkData(1)))));
        clock.advance(Duration.ofMinutes(40));
        finishOne(timed, VANISHING, "hourly@2026-11-21T13:00:00Z");
        clock.advance(Duration.ofMinutes(-40));

        for (Remedy remedy : List.of(Remedy.PUT, Remedy.PAUSE_AND_RESUME)) {
            if (remedy == Remedy.PAUSE_AND_RESUME) {
                await(timed.schedules().pause(database, NAME));
                await(timed.schedules().resume(database, NAME));
            } else {
                await(timed.schedules()
                        .put(database, Schedule.every(NAME, HOUR, NewJob.of(VANISHING, new WorkData(1)))));
            }
            assertThat(await(timed.schedules().get(database, NAME))
                            .orElseThrow()
                            .currentJob())
                    .contains("hourly@2026-11-21T14:00:00Z");
        }
    }

    /** An acceptor may take jobs before they are due, and a user may remove one that waits. Neither is a wrong clock. */
    @Test
    void timesThatAreTakenAheadAreNotRepeated() {
        await(timed.schedules().put(database, Schedule.every(NAME, HOUR, NewJob.of(VANISHING, new WorkData(1)))));
        for (String time : List.of("13", "14", "15")) {
            assertThat(await(timed.remove(database, VANISHING, "hourly@2026-11-21T" + time + ":00:00Z")))
                    .isTrue();
        }

        await(timed.schedules().pause(database, NAME));

        assertThat(await(timed.schedules().resume(database, NAME)).currentJob())
                .contains("hourly@2026-11-21T16:00:00Z");
    }

    @Test
    void aPauseBetweenJobsIsCountedByThePresentClock() {
        Schedule schedule = Schedule.afterEach(NAME, Duration.ofMinutes(10), JOB);
        await(timed.schedules().put(database, schedule));
        clock.advance(YEAR);
        await(timed.processor()
                .finish(
                        database,
                        await(timed.processor().accept(INDEX, AcceptOptions.nonBlocking()))
                                .orElseThrow()));
        clock.advance(YEAR.negated());

        assertThat(Stream.of(await(timed.schedules().put(database, schedule)).firingTime())
                        .flatMap(Optional::stream))
                .allMatch(time -> !time.isAfter(START.plus(Duration.ofMinutes(10))));
    }
}
