package dev.couchjobs.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.JobContext;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs that are due again at the time at which they ran. */
@Timeout(60)
class EndlessJobsTest {
    private static final int RUNS_MAX = 1_000;
    private static final int ADDED_MAX = 5_000;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final JobType<String, Void> JOB = JobType.of("job", String.class)
            .retry(RetryPolicy.standard().attempts(Integer.MAX_VALUE).backoff(Duration.ZERO, 1, Duration.ZERO));

    private static final JobType<String, Void> OTHER = JobType.of("other", String.class);

    private final JobsTestKit kit = JobsTestKit.forTypes(JOB, OTHER);
    private int runs;
    private boolean goesOn = true;

    @AfterEach
    void close() {
        kit.close();
    }

    private interface Step {
        void run(JobsTestKit kit, JobContext<String> job);
    }

    private static NewJob<String> job(String id) {
        return NewJob.of(JOB, "data").id(id);
    }

    static Stream<Arguments> endless() {
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put("snoozes for no time", (kit, job) -> job.snooze(Duration.ZERO));
        steps.put("fails, and is tried again at once", (kit, job) -> {
            throw new IllegalStateException("no luck");
        });
        steps.put(
                "adds itself",
                (kit, job) -> kit.jobs().add(kit.database(), job(job.id())).join());
        return steps.entrySet().stream().map(step -> Arguments.of(step.getKey(), step.getValue()));
    }

    private void work(Step step) {
        kit.work(worker -> worker.process(JOB, job -> run(step, job)).process(OTHER, job -> run(step, job)));
    }

    private void run(Step step, JobContext<String> job) {
        runs++;
        if (goesOn) {
            step.run(kit, job);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("endless")
    void aJobThatRunsWithoutEndIsNamed(String what, Step step) {
        work(step);
        kit.jobs().add(kit.database(), job("endless")).join();

        for (int i = 1; i <= 2; i++) {
            assertThatThrownBy(() -> kit.advance(MINUTE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(
                            "endless",
                            "type job",
                            RUNS_MAX + " times",
                            kit.now().toString());
            assertThat(runs).isEqualTo(i * RUNS_MAX);
        }

        goesOn = false;
        kit.advance(MINUTE);
        assertThat(kit.jobs().getJobState(kit.database(), JOB, "endless").join().toString())
                .isEqualTo("FINISHED");
    }

    static Stream<Arguments> endlessChains() {
        AtomicInteger turn = new AtomicInteger();
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put(
                "adds another",
                (kit, job) ->
                        kit.jobs().add(kit.database(), NewJob.of(JOB, "data")).join());
        steps.put(
                "adds two others",
                (kit, job) -> kit.jobs()
                        .addAll(kit.database(), List.of(NewJob.of(JOB, "data"), NewJob.of(JOB, "data")))
                        .join());
        steps.put(
                "adds another of another type in turn",
                (kit, job) -> kit.jobs()
                        .add(kit.database(), NewJob.of(turn.getAndIncrement() % 2 == 0 ? OTHER : JOB, "data"))
                        .join());
        steps.put(
                "adds another that is due soon",
                (kit, job) -> kit.jobs()
                        .add(kit.database(), NewJob.of(JOB, "data").at(kit.now()))
                        .join());
        return steps.entrySet().stream().map(step -> Arguments.of(step.getKey(), step.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("endlessChains")
    void jobsThatAddOthersWithoutEndAreNamed(String what, Step step) {
        work(step);
        kit.jobs().add(kit.database(), job("first")).join();

        assertThatThrownBy(() -> kit.advance(MINUTE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(
                        "of type ", ADDED_MAX + " jobs", kit.now().toString(), "NewJob.at");

        goesOn = false;
        kit.advance(MINUTE);
        kit.assertNothingEnqueued(JOB);
        kit.assertNothingEnqueued(OTHER);
    }

    /** Time goes on between them, or they are others. */
    @Test
    void manyRunsMayEnd() {
        work((kit, job) -> job.snooze(Duration.ofSeconds(1)));
        kit.jobs().add(kit.database(), job("each second")).join();
        kit.advance(Duration.ofHours(1));
        assertThat(runs).isGreaterThan(RUNS_MAX);

        goesOn = false;
        for (int i = 0; i < 2 * RUNS_MAX; i++) {
            kit.jobs().add(kit.database(), job("other-" + i)).join();
        }
        kit.advance(MINUTE);
        kit.assertNothingEnqueued(JOB);
    }
}
