package dev.couchjobs.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.HealthStatus;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When what runs, as time passes or jumps. */
@Timeout(60)
class PassingTimeTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration YEAR = Duration.ofDays(365);
    private static final JobType<String, Void> JOB = JobType.of("job", String.class);
    private static final JobType<String, Void> FAILING = JobType.of("failing", String.class)
            .retry(RetryPolicy.standard().attempts(5).backoff(MINUTE, 2, DAY).jitter(0));
    private static final JobType<String, Void> UNWORKED = JobType.of("unworked", String.class);

    private final JobsTestKit kit = JobsTestKit.forTypes(JOB, FAILING, UNWORKED);
    private final Instant start = kit.now();
    private final List<String> runs = new ArrayList<>();

    @BeforeEach
    void work() {
        kit.work(worker -> worker.process(JOB, job -> runs.add(job.data() + " " + passed()))
                .process(FAILING, job -> {
                    runs.add(job.data() + " " + passed());
                    throw new IllegalStateException("no luck");
                }));
    }

    @AfterEach
    void close() {
        kit.close();
    }

    private Duration passed() {
        return Duration.between(start, kit.now());
    }

    private void add(NewJob<String> job) {
        kit.jobs().add(kit.database(), job).join();
    }

    private NewJob<String> in(Duration delay) {
        return NewJob.of(JOB, "job").id("j").at(kit.now().plus(delay));
    }

    private void put(Schedule schedule) {
        kit.jobs().schedules().put(kit.database(), schedule).join();
    }

    private JobState state(JobType<?, ?> type, String jobId) {
        return kit.jobs().getJobState(kit.database(), type, jobId).join();
    }

    @ParameterizedTest
    @CsvSource({"P1D, P1D", "P1D, P2D", "P1D, P365D", "PT1S, P36500D", "P36500D, P36500D"})
    void whatIsDueAfterAJumpRunsOnce(Duration delay, Duration jump) {
        add(in(delay));
        kit.runDue();
        kit.setClock(start.plus(jump));
        assertThat(runs).isEmpty();

        kit.runDue();
        kit.runDue();

        assertThat(runs).containsExactly("job " + jump);
    }

    @Test
    void whatIsNotDueAfterAJumpWaits() {
        add(in(DAY));
        kit.setClock(start.plus(DAY).minusSeconds(1));
        kit.runDue();
        assertThat(runs).isEmpty();

        kit.setClock(start.plus(DAY));
        kit.runDue();

        assertThat(runs).containsExactly("job PT24H");
    }

    @Test
    void severalJumpsAreOne() {
        add(in(DAY));
        for (int hours = 1; hours <= 48; hours++) {
            kit.setClock(start.plus(Duration.ofHours(hours)));
            kit.runDue();
        }

        assertThat(runs).containsExactly("job PT24H");
    }

    @Test
    void aClockThatIsSetBackLetsJobsWait() {
        add(in(HOUR));
        kit.setClock(start.minus(DAY));
        kit.advance(DAY);
        assertThat(runs).isEmpty();

        kit.advance(HOUR);
        assertThat(runs).containsExactly("job PT1H");

        add(in(MINUTE).id("back"));
        kit.setClock(start.minus(YEAR));
        kit.setClock(start.plus(HOUR.multipliedBy(2)));
        kit.runDue();
        assertThat(runs).containsExactly("job PT1H", "job PT2H");
    }

    @Test
    void anAdvanceRunsEachJobWhenItIsDue() {
        for (int i = 1; i <= 5; i++) {
            add(in(DAY.multipliedBy(i)).id("j" + i));
        }
        kit.advance(DAY.multipliedBy(4));

        assertThat(runs).containsExactly("job PT24H", "job PT48H", "job PT72H", "job PT96H");
        assertThat(passed()).isEqualTo(DAY.multipliedBy(4));
    }

    @Test
    void anAdvanceEndsBesideAScheduleOfTwoSeconds() {
        put(Schedule.every("often", SECOND.multipliedBy(2), NewJob.of(JOB, "often")));
        add(in(DAY.multipliedBy(3)));

        kit.advance(DAY.multipliedBy(3));

        assertThat(runs).contains("job PT72H").hasSizeBetween(500, 1_010);
        assertThat(runs.subList(0, 500))
                .isEqualTo(IntStream.rangeClosed(1, 500)
                        .mapToObj(i -> "often " + Duration.ofSeconds(2L * i))
                        .toList());
    }

    @Test
    void aYearOfDaysIsThreeHundredAndSixtyFiveRuns() {
        put(Schedule.cron("daily", "0 12 * * *", ZoneOffset.UTC, NewJob.of(JOB, "daily")));
        kit.advance(YEAR);

        assertThat(runs)
                .isEqualTo(IntStream.range(0, 365)
                        .mapToObj(day -> "daily " + DAY.multipliedBy(day).plus(HOUR.multipliedBy(12)))
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({"PT0S", "P365D", "P36500D"})
    void nothingCostsNothing(Duration duration) {
        kit.advance(duration);

        assertThat(passed()).isEqualTo(duration);
        assertThat(runs).isEmpty();
    }

    /** Of the firing times that a jump has passed. */
    private enum Missed {
        ONE(schedule -> schedule, 1),
        MADE_UP_FOR(schedule -> schedule.makeUpFor(3), 3),
        SKIPPED(schedule -> schedule.skippingAfter(MINUTE), 0),
        OVERLAPPING(Schedule::overlapping, 1),
        QUEUEING(Schedule::queueing, 1),
        CANCELLING(Schedule::cancellingPrevious, 1);

        @SuppressWarnings("ImmutableEnumChecker") // lambdas without state
        private final UnaryOperator<Schedule> rule;

        private final int runs;

        Missed(UnaryOperator<Schedule> rule, int runs) {
            this.rule = rule;
            this.runs = runs;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aJumpMissesFiringTimesByTheRulesOfTheirSchedule(Missed missed) {
        put(missed.rule.apply(Schedule.every("hourly", HOUR, NewJob.of(JOB, "hourly"))));
        kit.runDue();
        for (int jump = 1; jump <= 3; jump++) {
            kit.setClock(start.plus(YEAR.multipliedBy(jump)).plus(MINUTE.multipliedBy(30)));
            kit.runDue();
            assertThat(runs).hasSize(jump * missed.runs);
        }
        runs.clear();
        kit.advance(HOUR.multipliedBy(2));
        assertThat(runs).hasSize(2);
    }

    @Test
    void anIntervalAfterEachEndBeginsAnewAfterAJump() {
        put(Schedule.afterEach("after", HOUR, NewJob.of(JOB, "after")));
        kit.runDue();
        runs.clear();
        kit.setClock(start.plus(YEAR));
        kit.runDue();
        kit.advance(HOUR);

        assertThat(runs).containsExactly("after " + YEAR, "after " + YEAR.plus(HOUR));
    }

    @Test
    void anAdvanceRunsAllAttempts() {
        add(NewJob.of(FAILING, "failing").id("f"));
        kit.advance(HOUR);

        assertThat(runs)
                .containsExactly("failing PT0S", "failing PT1M", "failing PT3M", "failing PT7M", "failing PT15M");
        assertThat(state(FAILING, "f")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aJumpRunsOneAttempt() {
        add(NewJob.of(FAILING, "failing").id("f"));
        kit.runDue();
        kit.setClock(start.plus(DAY));
        kit.runDue();
        kit.setClock(start.plus(YEAR));
        kit.runDue();

        assertThat(runs).containsExactly("failing PT0S", "failing PT24H", "failing " + YEAR);
    }

    @Test
    void anAdvanceKeepsADeadlineAndAJumpPassesIt() {
        add(in(HOUR).id("a").startBefore(kit.now().plus(HOUR).plus(MINUTE)));
        kit.advance(DAY);
        assertThat(runs).containsExactly("job PT1H");

        add(in(HOUR).id("b").startBefore(kit.now().plus(HOUR).plus(MINUTE)));
        kit.setClock(kit.now().plus(DAY));
        kit.advance(MINUTE);
        assertThat(runs).hasSize(1);
        assertThat(state(JOB, "b")).isEqualTo(JobState.FINISHED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatRetentionKeepsForLessIsRemoved(boolean isJump) {
        kit.jobs()
                .types()
                .setTypeRetention(kit.database(), JOB, Retention.of(DAY))
                .join();
        add(NewJob.of(JOB, "job").id("j"));
        kit.runDue();
        assertThat(state(JOB, "j")).isEqualTo(JobState.FINISHED);

        if (isJump) {
            kit.setClock(start.plus(YEAR));
            kit.runDue();
        } else {
            kit.advance(DAY.multipliedBy(2));
        }

        assertThat(state(JOB, "j")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aRateIsKeptWhileTimePasses() {
        kit.jobs()
                .limits()
                .setRate(kit.database(), JOB, Rate.perWindow(1, MINUTE))
                .join();
        for (int i = 0; i < 60; i++) {
            add(NewJob.of(JOB, "rated").id("r" + i));
        }
        kit.advance(HOUR.multipliedBy(3));

        assertThat(runs).hasSize(60).doesNotHaveDuplicates();
    }

    @Test
    void aClaimThatNobodyRenewsExpiresAtItsTimeout() {
        add(NewJob.of(UNWORKED, "unworked").id("u"));
        var accepted = kit.jobs().processor().accept(UNWORKED);
        kit.runDue();
        assertThat(accepted).isCompleted();
        kit.advance(Duration.ofMinutes(30));
        assertThat(state(UNWORKED, "u")).isEqualTo(JobState.RUNNING);

        kit.advance(HOUR.multipliedBy(2));

        assertThat(state(UNWORKED, "u")).isEqualTo(JobState.PENDING);
    }

    @Test
    void theWorkerIsThereAfterEachJump() {
        for (int jump = 1; jump <= 3; jump++) {
            kit.setClock(start.plus(YEAR.multipliedBy(jump)));
            add(NewJob.of(JOB, "job").id("j" + jump));
            kit.runDue();
            assertThat(runs).hasSize(jump);

            var health = kit.jobs().health().check();
            kit.advance(MINUTE);
            assertThat(health).isCompletedWithValueMatching(found -> found.status() == HealthStatus.UP);
            assertThat(kit.jobs().health().check().join().liveWorkers()).isEqualTo(1);
        }
    }

    @Test
    void severalWorkersShareWhatIsDueAfterAJump() {
        work();
        work();
        for (int i = 0; i < 50; i++) {
            add(in(DAY.plusSeconds(i)).id("j" + i));
        }
        kit.runDue();
        kit.setClock(start.plus(YEAR));
        kit.runDue();

        assertThat(runs).hasSize(50).containsOnly("job " + YEAR);
    }

    @Test
    void jobsWithoutAWorkerHoldUpNoAdvance() {
        add(NewJob.of(UNWORKED, "unworked"));
        kit.jobs().types().pause(kit.database(), JOB, "later").join();
        add(NewJob.of(JOB, "paused"));
        kit.advance(YEAR);

        assertThat(runs).isEmpty();
    }

    @Test
    void timeDoesNotGoBackByAnAdvanceOrEnd() {
        assertThatThrownBy(() -> kit.advance(SECOND.negated()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("setClock");
        assertThatThrownBy(() -> kit.advance(YEAR.multipliedBy(1_000))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> kit.setClock(Instant.MAX)).isInstanceOf(IllegalArgumentException.class);
        assertThat(passed()).isZero();
    }
}
