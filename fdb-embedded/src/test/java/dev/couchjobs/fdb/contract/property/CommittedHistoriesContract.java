package dev.couchjobs.fdb.contract.property;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Samples;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Transactions that run at the same time commit in a serial order. */
abstract class CommittedHistoriesContract extends PropertyContract {

    private static final int ATTEMPTS = 10;

    @Test
    void aHistoryHasASerialOrder() {
        check(1_000, samples -> {
            SerialOrder order = run(samples);
            assertThat(order.violations()).isEmpty();
            assertThat(committed()).as("the rows at the end").isEqualTo(order.finalRows());
        });
    }

    /** Runs any transactions together. */
    final SerialOrder run(Samples samples) {
        Map<Integer, String> rows = RandomCalls.rows(samples);
        List<List<TransactionCall>> programs = samples.list(2, 5, CommittedHistoriesContract::program);
        long seed = samples.seed();
        boolean together = samples.anyBoolean();
        for (int i = 0; i < ATTEMPTS; i++) {
            fill(rows);
            var executions = InterleavedTransactions.run(database(), keys(), programs, seed, together);
            if (executions.isPresent()) {
                return new SerialOrder(new Model(rows), executions.get());
            }
        }
        throw new AssertionError("None of " + ATTEMPTS + " runs was free of foreign errors");
    }

    private static List<TransactionCall> program(Samples samples) {
        return samples.list(1, 8, RandomCalls::any);
    }
}
