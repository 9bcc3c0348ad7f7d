package dev.couchjobs.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What it costs that many processes handle the same types, of each of which a job runs. */
class SharedTypesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LONG = Duration.ofHours(2);
    private static final int TYPES = 50;
    private static final int MINUTES = 5;
    /** Of a further process: ten that look at all types, and one that renews the row of its worker. */
    private static final int TRIES_A_MINUTE = 11;

    @Test
    void aFurtherProcessDoesNotMonitorTypesThatOthersMonitor() {
        int alone = tries(1);
        int together = tries(21);

        assertThat(together - alone).isLessThan(20 * MINUTES * (TRIES_A_MINUTE + 1));
    }

    /** One process that takes the lease of a type renews it twice or three times in that time. */
    @Test
    void fewProcessesTryToTakeTheLeasesOfOneThatHasDied() {
        try (Fleet fleet = new Fleet(TYPES, TIMEOUT, TYPES, LONG).start(1)) {
            IntStream.range(0, TYPES).forEach(type -> fleet.add(type, 1));
            fleet.pass(TIMEOUT);
            fleet.start(20);
            fleet.forget();

            fleet.silence();
            fleet.pass(TIMEOUT);

            assertThat(fleet.triesOfMonitors()).isLessThan(TYPES * 6);
        }
    }

    private static int tries(int processes) {
        try (Fleet fleet = new Fleet(TYPES, TIMEOUT, TYPES, LONG).start(processes)) {
            IntStream.range(0, TYPES).forEach(type -> fleet.add(type, 1));
            fleet.pass(Duration.ofMinutes(5));
            fleet.forget();
            fleet.pass(Duration.ofMinutes(MINUTES));
            return fleet.figures().tries();
        }
    }
}
