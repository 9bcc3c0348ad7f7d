package dev.couchjobs.fdb.contract.property;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.testing.Samples;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** One transaction at a time does what a sorted map would. */
abstract class RandomTransactionsContract extends PropertyContract {

    /** Which reads see the writes of their own transaction. */
    enum Visibility {
        ALL,
        NOT_SNAPSHOT_READS {
            @Override
            void choose(Transaction tr) {
                tr.options().setSnapshotRywDisable();
            }
        },
        NONE {
            @Override
            void choose(Transaction tr) {
                tr.options().setReadYourWritesDisable();
            }
        };

        void choose(Transaction tr) {}

        boolean shows(TransactionCall call) {
            return this == ALL || (this == NOT_SNAPSHOT_READS && call.isSerializableRead());
        }
    }

    @Test
    void everyReadAgreesWithASortedMap() {
        check(1_500, samples -> {
            Map<Integer, String> rows = RandomCalls.rows(samples);
            List<TransactionCall> program = program(samples);
            Visibility ownWrites = samples.of(Visibility.values());

            fill(rows);
            commit(tr -> {
                ownWrites.choose(tr);
                Model snapshot = new Model(rows);
                Model merged = new Model(rows);
                for (TransactionCall call : program) {
                    boolean onMerged = call.isWrite() || ownWrites.shows(call);
                    String expected = call.run(onMerged ? merged : snapshot);
                    String actual = call.run(tr, keys());
                    if (!expected.equals(TransactionCall.UNKNOWN)) {
                        assertThat(actual).as("the result of %s", call).isEqualTo(expected);
                    }
                }
            });

            Model model = new Model(rows);
            program.forEach(call -> call.run(model));
            assertThat(committed()).as("the rows after the commit").isEqualTo(model.render());
        });
    }

    @Test
    void aTransactionWithoutReadsCommitsWhatASortedMapHolds() {
        check(500, samples -> {
            Map<Integer, String> rows = RandomCalls.rows(samples);
            List<TransactionCall> writes =
                    program(samples).stream().filter(TransactionCall::isWrite).toList();

            fill(rows);
            commit(tr -> writes.forEach(write -> write.run(tr, keys())));

            Model model = new Model(rows);
            writes.forEach(write -> write.run(model));
            assertThat(committed()).as("the rows after the commit").isEqualTo(model.render());
        });
    }

    private static List<TransactionCall> program(Samples samples) {
        return samples.list(1, 20, RandomCalls::any);
    }
}
