package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;

/** What topics about conflicts share: two transactions, of which the second commits while the first is under way. */
abstract class ConcurrentContract extends FdbContract {

    /** A real cluster may report a conflict that is none; never this often. */
    private static final int ATTEMPTS = 5;

    @BeforeEach
    void fill() {
        given("b", "B", "d", "D", "f", "F", "h", "H");
    }

    final void assertConflict(Consumer<Transaction> first, Consumer<Transaction> meanwhile) {
        int outcome = outcomeOf(first, meanwhile);
        for (int i = 1; i < ATTEMPTS && outcome != CONFLICT && outcome != 0; i++) {
            outcome = outcomeOf(first, meanwhile);
        }
        assertThat(outcome).as("the outcome of the commit").isEqualTo(CONFLICT);
    }

    final void assertNoConflict(Consumer<Transaction> first, Consumer<Transaction> meanwhile) {
        int outcome = outcomeOf(first, meanwhile);
        for (int i = 1; i < ATTEMPTS && outcome != 0; i++) {
            outcome = outcomeOf(first, meanwhile);
        }
        assertThat(outcome).as("the outcome of the commit").isZero();
    }

    /** How a transaction ends that also writes a key of its own, while another one commits. */
    private int outcomeOf(Consumer<Transaction> first, Consumer<Transaction> meanwhile) {
        commit(tr -> tr.clear(prefixKeys().all()));
        fill();
        Transaction tr = beginNow();
        first.accept(tr);
        set(tr, "~mark", "");
        commit(meanwhile);
        return EngineFutures.codeOf(tr.commit());
    }
}
