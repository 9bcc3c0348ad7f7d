package dev.couchjobs.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What processes with many types cost that have no jobs. */
class IdleTypesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration MOMENT = Duration.ofMillis(20);
    /** Of one type: for new jobs, for another leader, and for changes. */
    private static final int WATCHES = 3;

    @Test
    void oneWatchServesTheDependentsOfJobsOfAllTypes() {
        try (Fleet fleet = new Fleet(100, TIMEOUT, 1, MOMENT).start(1)) {
            fleet.forget();
            fleet.pass(Duration.ofMinutes(10));

            assertThat(fleet.figures().watchesAtMost()).isLessThanOrEqualTo(100 * WATCHES + 1);
            assertThat(fleet.figures().tries()).isLessThan(100 * 10);
        }
    }

    @Test
    void noWatchIsKeptForTheHeartbeatsOfATypeWithoutJobs() {
        try (Fleet fleet = new Fleet(100, TIMEOUT, 1, MOMENT).start(1)) {
            fleet.add(0, 1);
            fleet.pass(TIMEOUT);
            fleet.forget();

            assertThat(fleet.figures().watchesAtMost()).isLessThanOrEqualTo(100 * 3);
        }
    }
}
