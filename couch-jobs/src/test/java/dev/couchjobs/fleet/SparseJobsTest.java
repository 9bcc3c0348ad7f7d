package dev.couchjobs.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the jobs of a type cost all of 100 processes from the moment at which it comes into use, more than the same
 * processes at rest.
 */
@Tag("long")
class SparseJobsTest {
    private static final int PROCESSES = 100;
    private static final int JOBS_AT_A_TIME = 2;
    private static final Duration MOMENT = Duration.ofMillis(20);
    /** Longer than the feed keeps what has happened. */
    private static final Duration UNUSED = Duration.ofMinutes(15);

    private static final double TRIES_A_JOB = 5;
    /** Twice the virtual time that one process takes. */
    private static final Duration STARTED_WITHIN = Duration.ofMillis(2 * 3);

    record Case(int jobs, Duration apart, Duration timeout) {
        static Case of(int jobs, int millisApart, int timeoutSeconds) {
            return new Case(jobs, Duration.ofMillis(millisApart), Duration.ofSeconds(timeoutSeconds));
        }
    }

    static Stream<Case> cases() {
        return Seeds.isLongRun() ? all() : Stream.of(Case.of(20, 200, 30), Case.of(60, 5_000, 30));
    }

    private static Stream<Case> all() {
        Stream<Case> fromRest = Stream.of(20, 60)
                .flatMap(jobs -> Stream.of(200, 1_000, 5_000)
                        .flatMap(millis -> Stream.of(30, 300).map(seconds -> Case.of(jobs, millis, seconds))));
        return Stream.concat(fromRest, Stream.of(Case.of(180, 5_000, 30)));
    }

    /** What they do by the clock is left out, because in so short a time it may happen in any number. */
    @ParameterizedTest
    @MethodSource("cases")
    void aSparseTypeCostsFewTransactionsAJob(Case each) {
        try (Fleet fleet = new Fleet(1, each.timeout, JOBS_AT_A_TIME, MOMENT).start(PROCESSES)) {
            fleet.pass(UNUSED);
            fleet.forget();
            fleet.pass(UNUSED);
            double atRest = fleet.figuresOfUse().tries()
                    * (double) each.apart.multipliedBy(each.jobs).toMillis()
                    / UNUSED.toMillis();
            fleet.forget();

            for (int i = 0; i < each.jobs; i++) {
                fleet.add(0, 1);
                fleet.pass(each.apart);
            }

            List<Duration> waited = fleet.waited();
            assertThat(waited).hasSize(each.jobs);
            assertThat(waited.get(each.jobs - 1)).isLessThanOrEqualTo(STARTED_WITHIN);
            double ofJobs = fleet.figuresOfUse().tries() - atRest;
            assertThat(ofJobs / each.jobs).as("tries a job").isLessThanOrEqualTo(TRIES_A_JOB);
        }
    }
}
