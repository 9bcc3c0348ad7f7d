package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.NewJob;
import dev.couchjobs.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Schedules whose jobs have limit keys, turn keys and sequences. */
class ScheduleKeysContract extends JobsContract {
    private static final NewJob<WorkData> JOB = NewJob.of(INDEX, new WorkData(1));
    private static final Duration HOUR = Duration.ofHours(1);

    private SettableClock clock;
    private CouchJobs timed;

    @BeforeEach
    void openAtHalfPastNoon() {
        clock = new SettableClock(NOON.plusSeconds(1_800));
        timed = node(clock);
    }

    private void put(String name, NewJob<WorkData> job) {
        await(timed.schedules().put(database, Schedule.every(name, HOUR, job)));
    }

    private Optional<Job<WorkData>> acceptDue() {
        return await(timed.processor().accept(INDEX, AcceptOptions.nonBlocking()));
    }

    private static String at(String name, String time) {
        return name + "@2026-11-21T" + time + ":00Z";
    }

    private void finish(Job<WorkData> job) {
        await(timed.processor().finish(database, job));
    }

    private List<String> waiting() {
        return all(database, INDEX).stream()
                .filter(job -> job.state() == JobState.PENDING)
                .map(JobSummary::jobId)
                .toList();
    }

    @Test
    void jobsWithALimitKeyWaitForASlot() {
        await(timed.limits().set(database, INDEX, "tenant", 1));
        put("a", JOB.limitKey("tenant"));
        put("b", JOB.limitKey("tenant"));
        clock.advance(HOUR);

        Job<WorkData> first = acceptDue().orElseThrow();
        assertThat(acceptDue()).isEmpty();
        finish(first);
        Job<WorkData> second = acceptDue().orElseThrow();
        finish(second);

        assertThat(List.of(first.id(), second.id())).containsExactlyInAnyOrder(at("a", "13:00"), at("b", "13:00"));
        assertThat(waiting()).containsExactlyInAnyOrder(at("a", "14:00"), at("b", "14:00"));
    }

    @Test
    void aWaitingJobTakesAnotherLimitKey() {
        await(timed.limits().set(database, INDEX, "full", 1));
        put("a", JOB.limitKey("full"));
        put("b", JOB.limitKey("full"));
        clock.advance(HOUR);
        Job<WorkData> first = acceptDue().orElseThrow();
        assertThat(acceptDue()).isEmpty();
        String other = first.id().startsWith("a") ? "b" : "a";

        put(other, JOB.limitKey("free"));

        assertThat(acceptDue().orElseThrow().id()).isEqualTo(at(other, "13:00"));
    }

    @Test
    void aWaitingJobLosesItsLimitKey() {
        await(timed.limits().set(database, INDEX, "full", 1));
        put("a", JOB.limitKey("full"));
        put("b", JOB.limitKey("full"));
        clock.advance(HOUR);
        Job<WorkData> first = acceptDue().orElseThrow();
        String other = first.id().startsWith("a") ? "b" : "a";

        put(other, JOB);

        assertThat(acceptDue().orElseThrow().id()).isEqualTo(at(other, "13:00"));
    }

    @Test
    void jobsWithTurnKeysComeInTurn() {
        for (int i = 0; i < 10; i++) {
            await(timed.add(database, JOB.id("large-" + i).turnKey("large")));
        }
        put("a", JOB.turnKey("small"));
        clock.advance(HOUR);

        List<String> firstThree = List.of(
                acceptDue().orElseThrow().id(),
                acceptDue().orElseThrow().id(),
                acceptDue().orElseThrow().id());

        assertThat(firstThree).contains(at("a", "13:00"));
        assertThat(waiting()).doesNotContain(at("a", "13:00"));
    }

    @Test
    void theNextJobHasTheTurnKeyToo() {
        put("a", JOB.turnKey("small"));
        for (String time : List.of("13:00", "14:00", "15:00")) {
            clock.advance(HOUR);
            Job<WorkData> job = acceptDue().orElseThrow();
            assertThat(job.id()).isEqualTo(at("a", time));
            finish(job);
        }
        assertThat(waiting()).containsExactly(at("a", "16:00"));
    }

    @Test
    void jobsInASequenceRunOneAfterTheOther() {
        put("a", JOB.sequence("account"));
        put("b", JOB.sequence("account"));
        clock.advance(HOUR);

        Job<WorkData> first = acceptDue().orElseThrow();
        assertThat(first.id()).isEqualTo(at("a", "13:00"));
        assertThat(acceptDue()).isEmpty();
        finish(first);
        Job<WorkData> second = acceptDue().orElseThrow();
        assertThat(second.id()).isEqualTo(at("b", "13:00"));
        finish(second);

        assertThat(waiting()).containsExactly(at("a", "14:00"), at("b", "14:00"));
    }

    @Test
    void overlappingJobsInASequenceRunOneAfterTheOther() {
        await(timed.schedules()
                .put(
                        database,
                        Schedule.every("a", HOUR, JOB.sequence("account")).overlapping()));
        clock.advance(HOUR);
        Job<WorkData> first = acceptDue().orElseThrow();
        clock.advance(HOUR);
        assertThat(acceptDue()).isEmpty();

        finish(first);

        assertThat(acceptDue().orElseThrow().id()).isEqualTo(at("a", "14:00"));
        assertThat(waiting()).containsExactly(at("a", "15:00"));
    }

    @Test
    void aWaitingJobLeavesItsSequence() {
        put("a", JOB.sequence("account"));
        put("b", JOB.sequence("account"));
        clock.advance(HOUR);
        Job<WorkData> first = acceptDue().orElseThrow();
        assertThat(acceptDue()).isEmpty();

        put("b", JOB);

        assertThat(acceptDue().orElseThrow().id()).isEqualTo(at("b", "13:00"));
        finish(first);
        assertThat(waiting()).containsExactly(at("a", "14:00"));
    }

    @Test
    void theSameKeysAreNoChange() {
        NewJob<WorkData> job = JOB.limitKey("tenant").turnKey("small").sequencePassingFailure("account");
        put("a", job);
        clock.advance(HOUR);

        put("a", job);

        assertThat(acceptDue().orElseThrow().id()).isEqualTo(at("a", "13:00"));
    }
}
