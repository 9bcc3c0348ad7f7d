package dev.couchjobs.fdb.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import dev.couchjobs.fdb.simulation.Simulation;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** As on a cluster, a special key tells databases apart, and says that two connections are to one. */
class ConnectionStringTest {
    private static final byte[] KEY = ByteArrayUtil.join(
            new byte[] {(byte) 0xFF, (byte) 0xFF}, "/connection_string".getBytes(StandardCharsets.US_ASCII));

    private static String of(Database database) {
        try (Transaction tx = database.createTransaction()) {
            return new String(tx.get(KEY).join(), StandardCharsets.US_ASCII);
        }
    }

    @Test
    void eachDatabaseHasItsOwn() {
        try (Database one = EmbeddedDatabase.openInMemory();
                Database other = EmbeddedDatabase.openInMemory()) {
            assertThat(of(one)).matches("\\w+:\\w+@.+").isEqualTo(of(one)).isNotEqualTo(of(other));
        }
    }

    @Test
    void processesOfASimulationHaveTheSame() {
        try (Simulation simulation = Simulation.seeded(1)) {
            byte[] here = simulation.await(simulation.process("a").database().readAsync(tx -> tx.get(KEY)));
            byte[] there = simulation.await(simulation.process("b").database().readAsync(tx -> tx.get(KEY)));
            assertThat(here)
                    .isEqualTo(there)
                    .isEqualTo(of(simulation.database()).getBytes(StandardCharsets.US_ASCII));
        }
    }

    @Test
    void aClosedTransactionDoesNotTellIt() {
        try (Database database = EmbeddedDatabase.openInMemory()) {
            Transaction tx = database.createTransaction();
            tx.close();
            assertThatThrownBy(() -> tx.get(KEY).join()).isInstanceOf(IllegalStateException.class);
        }
    }
}
