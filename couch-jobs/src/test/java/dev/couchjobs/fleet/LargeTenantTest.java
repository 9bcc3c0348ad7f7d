package dev.couchjobs.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A tenant with very many jobs that wait, half of which are cancelled at once. */
@Tag("long")
class LargeTenantTest {
    private static final int PROCESSES = Seeds.isLongRun() ? 10 : 4;
    private static final int JOBS_AT_A_TIME = 2;
    private static final int JOBS = Seeds.isLongRun() ? 200_000 : 6_000;
    /** Claims are slower while jobs are added, and so more is claimed ahead. */
    private static final Duration REST = Duration.ofSeconds(Seeds.isLongRun() ? 10 : 3);

    private static final int JOBS_AT_LEAST = 100;
    private static final Duration MOMENT = Duration.ofMillis(20);
    /**
     * What runs when the job is added, what its process has claimed ahead, and the claims after that, of which one may
     * conflict.
     */
    private static final Duration ROUND = MOMENT.multipliedBy(2).plusMillis(2 * 15);

    @Test
    void anotherTenantWaitsForNoMoreThanARound() {
        try (Fleet fleet = new Fleet(1, Duration.ofSeconds(30), JOBS_AT_A_TIME, MOMENT).start(PROCESSES)) {
            fleet.addOfLargeTenant(JOBS);
            fleet.pass(REST);

            assertThat(longestWaitWhile(fleet, CompletableFuture.completedFuture(fleet)))
                    .isLessThanOrEqualTo(ROUND);
            assertThat(longestWaitWhile(fleet, fleet.cancelHalf())).isLessThanOrEqualTo(ROUND);
        }
    }

    /** {@return the longest wait of another tenant's jobs while something is under way, and for some time} */
    private static Duration longestWaitWhile(Fleet fleet, CompletableFuture<?> underWay) {
        fleet.forget();
        int added = 0;
        while (!underWay.isDone() || added < JOBS_AT_LEAST) {
            fleet.addOfSmallTenant();
            fleet.pass(Duration.ofMillis(33));
            added++;
        }
        fleet.pass(Duration.ofSeconds(1));
        List<Duration> waited = fleet.waitedOfSmallTenant();
        assertThat(waited).hasSize(added);
        return waited.get(added - 1);
    }
}
