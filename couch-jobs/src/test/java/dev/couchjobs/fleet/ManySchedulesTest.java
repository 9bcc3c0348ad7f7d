package dev.couchjobs.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Schedules that all fire in the second in which all workers start. */
@Tag("long")
class ManySchedulesTest {
    private static final int PROCESSES = Seeds.isLongRun() ? 100 : 20;
    private static final int SCHEDULES = Seeds.isLongRun() ? 5_000 : 400;
    private static final int JOBS_AT_A_TIME = 2;
    private static final Duration MOMENT = Duration.ofMillis(20);

    /** Those of its claim and of its end, and one for what claims do in vain. */
    private static final double TRIES_A_JOB = 3;
    /** What all slots take for all jobs, if each has its next job as soon as it is free. */
    private static final Duration ALL = MOMENT.multipliedBy(SCHEDULES).dividedBy((long) PROCESSES * JOBS_AT_A_TIME);

    static IntStream millisBefore() {
        return Seeds.isLongRun() ? IntStream.of(500, 5, 0) : IntStream.of(5);
    }

    @ParameterizedTest
    @MethodSource("millisBefore")
    void theClaimsSeldomGetInEachOthersWayAndNoJobWaitsLong(int millisBefore) {
        try (Fleet fleet = new Fleet(1, Duration.ofSeconds(30), JOBS_AT_A_TIME, MOMENT)) {
            fleet.addSchedules(SCHEDULES, Duration.ofMillis(millisBefore));
            fleet.forget();

            fleet.startNow(PROCESSES);
            fleet.pass(Duration.ofSeconds(30));

            List<Duration> waited = fleet.waited();
            assertThat(waited).hasSize(SCHEDULES);
            assertThat(waited.get(SCHEDULES - 1)).isLessThanOrEqualTo(ALL.multipliedBy(2));
            assertThat((double) fleet.figuresOfJobs().tries() / SCHEDULES).isLessThanOrEqualTo(TRIES_A_JOB);
        }
    }
}
