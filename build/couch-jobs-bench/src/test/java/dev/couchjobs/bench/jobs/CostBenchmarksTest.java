package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CostBenchmarksTest {
    private static final int JOBS = 200;

    @Test
    void addingIsCountedForEachJob() {
        try (Costs costs = new Costs(Load.of(1))) {
            assertThat(value(costs.adding(10), "transactions")).isEqualTo(0.1);
        }
    }

    @Test
    void runningIsCountedWithItsClaims() throws InterruptedException {
        try (Costs costs = new Costs(Load.of(2))) {
            assertThat(value(costs.running(JOBS), "jobs")).isBetween(1.0, (double) JOBS);
        }
    }

    @Test
    void anIdleWorkerAndOneWithLongJobsAreCounted() throws InterruptedException {
        try (Costs costs = new Costs(Load.of(1))) {
            assertThat(value(costs.idling(Duration.ofMillis(20)), "transactions that write"))
                    .isGreaterThanOrEqualTo(0);
            assertThat(value(costs.keeping(JOBS, Duration.ofSeconds(1)), "keys written"))
                    .isPositive();
        }
    }

    private static double value(List<Costs.Cost> costs, String name) {
        return costs.stream()
                .filter(cost -> cost.name().endsWith(": " + name))
                .findFirst()
                .orElseThrow()
                .value();
    }
}
