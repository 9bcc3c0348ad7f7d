package dev.couchjobs.fdb.contract.property;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Transactions that run at the same time commit in a serial order. */
abstract class CommittedHistoriesContract extends PropertyContract {

    private static final int ATTEMPTS = 10;

    @Provide
    Arbitrary<List<List<TransactionCall>>> transactions() {
        return RandomCalls.all()
                .list()
                .ofMinSize(1)
                .ofMaxSize(8)
                .list()
                .ofMinSize(2)
                .ofMaxSize(5);
    }

    @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
    void aHistoryHasASerialOrder(
            @ForAll("rows") Map<Integer, String> rows,
            @ForAll("transactions") List<List<TransactionCall>> programs,
            @ForAll long seed,
            @ForAll boolean together) {
        SerialOrder order = run(rows, programs, seed, together);
        assertThat(order.violations()).isEmpty();
        assertThat(committed()).as("the rows at the end").isEqualTo(order.finalRows());
    }

    final SerialOrder run(
            Map<Integer, String> rows, List<List<TransactionCall>> programs, long seed, boolean together) {
        for (int i = 0; i < ATTEMPTS; i++) {
            fill(rows);
            var executions = InterleavedTransactions.run(database(), keys(), programs, seed, together);
            if (executions.isPresent()) {
                return new SerialOrder(new Model(rows), executions.get());
            }
        }
        throw new AssertionError("None of " + ATTEMPTS + " runs was free of foreign errors");
    }
}
