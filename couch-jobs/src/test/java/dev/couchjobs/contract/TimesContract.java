package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Job;
import dev.couchjobs.JobInfo;
import dev.couchjobs.NewJob;
import dev.couchjobs.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** All times that callers give have the same bounds, so that each has a text that all readers take. */
class TimesContract extends JobsContract {
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");
    private static final NewJob<WorkData> JOB = NewJob.of(INDEX, new WorkData(1));
    private static final Schedule DAILY = Schedule.every("daily", Duration.ofDays(1), JOB);

    /** Each call that takes a time of a job or of a schedule; it returns a future if it runs in the database. */
    private Map<String, Function<Instant, Object>> calls(Job<WorkData> claim) {
        Map<String, Function<Instant, Object>> calls = new LinkedHashMap<>();
        calls.put("at", JOB::at);
        calls.put("startBefore", JOB::startBefore);
        calls.put("startingAt", DAILY::startingAt);
        calls.put("endingAt", DAILY::endingAt);
        calls.put("reschedule", time -> await(jobs.control().reschedule(database, INDEX, "pending", time)));
        calls.put(
                "rescheduleAll",
                time -> await(jobs.control().select(INDEX, job -> false).reschedule(time)));
        calls.put("resubmit", time -> await(jobs.processor().resubmit(database, claim, time)));
        calls.put("resubmitWithData", time -> await(jobs.processor().resubmit(database, claim, time, new WorkData(2))));
        return calls;
    }

    private Job<WorkData> claimed() {
        await(jobs.add(database, JOB.id("claimed")));
        Job<WorkData> claim = await(jobs.processor().accept(INDEX, AcceptOptions.nonBlocking()))
                .orElseThrow();
        await(jobs.add(database, JOB.id("pending").at(NOON.plus(Duration.ofDays(3_650)))));
        return claim;
    }

    @Test
    void aTimeOutOfTheBoundsIsRefusedByEachCall() {
        Instant rounded = Instant.parse("9999-12-31T23:59:59.001Z");
        List<Instant> refused =
                List.of(Instant.MIN, Instant.EPOCH.minusNanos(1), LAST.plusNanos(1), rounded, Instant.MAX);
        calls(claimed())
                .forEach((name, call) -> refused.forEach(time -> assertThatThrownBy(() -> call.apply(time))
                        .as(name + " " + time)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("from 1970 to 9999")));
    }

    @Test
    void theLastTimeIsTakenByEachCall() {
        calls(claimed())
                .forEach((name, call) ->
                        assertThatCode(() -> call.apply(LAST)).as(name).doesNotThrowAnyException());
        await(jobs.add(database, JOB.id("last").at(LAST)));
        assertThat(await(jobs.getJob(database, INDEX, "last")).flatMap(JobInfo::scheduledTime))
                .contains(LAST);
    }

    /** The first whole second is no earlier than the time, and still in the bounds. */
    @Test
    void aPartOfTheLastSecondButOneIsRoundedUpToTheLast() {
        await(jobs.add(database, JOB.id("last").at(LAST.minusMillis(1))));
        assertThat(await(jobs.getJob(database, INDEX, "last")).flatMap(JobInfo::scheduledTime))
                .contains(LAST);
    }
}
