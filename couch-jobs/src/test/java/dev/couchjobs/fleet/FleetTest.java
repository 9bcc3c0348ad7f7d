package dev.couchjobs.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * What many processes may cost at most: counts, and virtual time, but never time of the machine. What fewer cost is in
 * the table of {@link ManyProcessesTest}.
 */
class FleetTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration MOMENT = Duration.ofMillis(20);
    /** Long enough for a process that has ended its job to be idle again. */
    private static final Duration SETTLED = Duration.ofSeconds(10);

    private static final int JOBS = 10;
    /** Twice the virtual time that one process takes today. */
    private static final Duration STARTED_WITHIN = Duration.ofMillis(2 * 3);

    @Test
    void aSparseJobIsCheapHoweverManyProcessesAreIdle() {
        try (Fleet fleet = new Fleet(1, TIMEOUT, 1, MOMENT).start(1_000)) {
            addSparsely(fleet, 2);
            fleet.forget();

            addSparsely(fleet, JOBS);

            assertThat(fleet.waited()).hasSize(JOBS);
            assertThat(fleet.waited().get(JOBS / 2)).isLessThanOrEqualTo(STARTED_WITHIN);
            assertThat(fleet.figuresOfJobs().tries()).as("tries").isLessThanOrEqualTo(6 * JOBS);
            assertThat(fleet.figuresOfJobs().reads()).as("reads").isLessThanOrEqualTo(20 * JOBS);
        }
    }

    private static void addSparsely(Fleet fleet, int jobs) {
        for (int i = 0; i < jobs; i++) {
            fleet.add(0, 1);
            fleet.pass(SETTLED);
        }
    }

    /** What sleeps in them until the next thing that it knows may have to wake up earlier. */
    @Test
    void allProcessesHearOfAnotherTimeoutAndOfAFeatureThatIsUsedButFewOfATypeThatComesIntoUse() {
        int processes = 100;
        try (Fleet fleet = new Fleet(1, TIMEOUT, 1, MOMENT).start(processes)) {
            fleet.pass(Duration.ofMinutes(15));
            assertThat(looks(fleet, () -> fleet.add(0, 1))).isBetween(1L, 5L);

            fleet.pass(Duration.ofMinutes(15));
            assertThat(looks(fleet, () -> fleet.setTimeout(TIMEOUT.plusSeconds(1))))
                    .isGreaterThanOrEqualTo(processes);
            assertThat(looks(fleet, fleet::addWithDeadline)).isGreaterThanOrEqualTo(processes);
        }
    }

    /** {@return how many there are within a second} */
    private static long looks(Fleet fleet, Runnable change) {
        fleet.forget();
        change.run();
        fleet.pass(Duration.ofSeconds(1));
        return fleet.looksAtLeases();
    }

    @Test
    void aBurstWakesManyProcesses() {
        try (Fleet fleet = new Fleet(1, TIMEOUT, 1, Duration.ofSeconds(1)).start(100)) {
            fleet.forget();

            fleet.add(0, 100);
            fleet.pass(SETTLED);

            assertThat(fleet.waited()).hasSize(100);
            assertThat(fleet.waited().get(99)).isLessThan(Duration.ofMillis(250));
            assertThat(fleet.atWork()).isEqualTo(100);
        }
    }

    @Test
    void jobsAreServedAtOnceAfterAllProcessesHaveBeenStartedAnew() {
        try (Fleet fleet = new Fleet(1, TIMEOUT, 1, MOMENT).start(20)) {
            addSparsely(fleet, 2);
            fleet.restart();
            fleet.forget();

            addSparsely(fleet, JOBS);

            assertThat(fleet.waited()).hasSize(JOBS);
            assertThat(fleet.waited().get(JOBS - 1)).isLessThanOrEqualTo(STARTED_WITHIN);
        }
    }
}
