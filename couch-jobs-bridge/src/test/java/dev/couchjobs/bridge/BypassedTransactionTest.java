package dev.couchjobs.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.ThreadTransaction;
import dev.couchjobs.TransactionBypassedException;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Changes of nodes do not bypass the transaction of the caller's thread. */
@Timeout(60)
class BypassedTransactionTest {
    @Test
    void changesAreRefusedAndReadsAreNot() {
        try (Database database = EmbeddedDatabase.openInMemory();
                Transaction open = database.createTransaction()) {
            BridgeNodes nodes = BridgeNodes.on(database, BridgeNodes.PREFIX);
            ThreadTransaction.bind(database, open);
            try {
                assertThatThrownBy(() -> nodes.change(database, "berlin", UnaryOperator.identity()))
                        .isInstanceOf(TransactionBypassedException.class);
                assertThatThrownBy(() -> nodes.remove(database, "berlin"))
                        .isInstanceOf(TransactionBypassedException.class);
                assertThat(nodes.remove(open, "berlin").join()).isFalse();
                assertThat(nodes.all(database).join()).isEmpty();
            } finally {
                ThreadTransaction.unbind(database);
            }
        }
    }
}
