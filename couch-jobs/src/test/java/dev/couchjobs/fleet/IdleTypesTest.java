package dev.couchjobs.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What processes with many types cost that have few jobs. */
class IdleTypesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration MOMENT = Duration.ofMillis(20);
    private static final Duration SOON = Duration.ofSeconds(2);
    /** Of one type: for new jobs, and for another leader. */
    private static final int WATCHES = 2;
    /** How long a process waits at most from one look at the types in use to the next. */
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(300);
    /** For dependents, for types that come into use, for settings, and for orders for the worker. */
    private static final int WATCHES_FOR_ALL_TYPES = 4;

    @Test
    void tenThousandTypesCostFewTransactionsAndFewWatches() {
        try (Fleet fleet = new Fleet(10_000, TIMEOUT, 1, MOMENT).start(1)) {
            fleet.forget();
            fleet.pass(Duration.ofMinutes(10));

            assertThat(fleet.figures().tries()).isLessThan(5 * 10 * 60);
            assertThat(fleet.figures().watchesAtMost()).isLessThan(3_000);
        }
    }

    @Test
    void aJobOfATypeThatIsNotWatchedStartsSoon() {
        int types = 2_500;
        try (Fleet fleet = new Fleet(types, TIMEOUT, 1, MOMENT).start(1)) {
            fleet.pass(Duration.ofMinutes(10));

            for (int type = 0; type < types; type += 100) {
                fleet.add(type, 1);
                fleet.pass(Duration.ofSeconds(10));
            }

            assertThat(fleet.waited()).hasSize(types / 100);
            assertThat(fleet.waited()).allMatch(time -> time.compareTo(BETWEEN_LOOKS) < 0);
        }
    }

    @Test
    void moreTypesInUseThanAreWatchedAreServedSoon() {
        int types = 1_250;
        try (Fleet fleet = new Fleet(types, TIMEOUT, types, MOMENT).start(1)) {
            fleet.pass(Duration.ofMinutes(10));

            for (int i = 0; i < 2; i++) {
                IntStream.range(0, types).forEach(type -> fleet.add(type, 1));
                fleet.pass(Duration.ofSeconds(5));
            }

            assertThat(fleet.waited()).hasSize(2 * types);
            assertThat(fleet.figures().watchesAtMost()).isLessThan(3 * 1_000 + types);
        }
    }

    /** While the worker is full no type is watched or asked for. */
    @Test
    void moreTypesInUseThanAreWatchedAreServedSoonAfterTheWorkerWasFull() {
        int types = 1_050;
        Duration jobTakes = Duration.ofMillis(200);
        try (Fleet fleet = new Fleet(types, Duration.ofHours(10), 1, jobTakes).start(1)) {
            IntStream.range(0, types).forEach(type -> fleet.add(type, 1));
            fleet.pass(jobTakes.multipliedBy(types + 100));
            fleet.forget();

            for (int type = 0; type < types; type += 35) {
                fleet.add(type, 1);
                fleet.pass(SOON);
            }

            assertThat(fleet.waited()).allMatch(time -> time.compareTo(SOON) < 0);
            assertThat(fleet.waited()).hasSize(types / 35);
        }
    }

    @Test
    void oneWatchServesTheDependentsOfJobsOfAllTypes() {
        try (Fleet fleet = new Fleet(100, TIMEOUT, 1, MOMENT).start(1)) {
            fleet.forget();
            fleet.pass(Duration.ofMinutes(10));

            assertThat(fleet.figures().watchesAtMost()).isLessThanOrEqualTo(100 * WATCHES + WATCHES_FOR_ALL_TYPES);
            assertThat(fleet.figures().tries()).isLessThan(100 * 2);
        }
    }

    @Test
    void noWatchIsKeptForTheHeartbeatsOfATypeWithoutJobs() {
        try (Fleet fleet = new Fleet(100, TIMEOUT, 1, MOMENT).start(1)) {
            fleet.add(0, 1);
            fleet.pass(TIMEOUT);
            fleet.forget();

            assertThat(fleet.figures().watchesAtMost()).isLessThanOrEqualTo(100 * WATCHES + WATCHES_FOR_ALL_TYPES);
        }
    }
}
