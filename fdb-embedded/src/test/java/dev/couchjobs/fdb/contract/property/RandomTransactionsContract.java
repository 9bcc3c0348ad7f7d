package dev.couchjobs.fdb.contract.property;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** One transaction at a time does what a sorted map would. */
abstract class RandomTransactionsContract extends PropertyContract {

    @Provide
    Arbitrary<List<TransactionCall>> programs() {
        return RandomCalls.all().list().ofMinSize(1).ofMaxSize(20);
    }

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

    @Property(tries = 1_500, edgeCases = EdgeCasesMode.NONE)
    void everyReadAgreesWithASortedMap(
            @ForAll("rows") Map<Integer, String> rows,
            @ForAll("programs") List<TransactionCall> program,
            @ForAll Visibility ownWrites) {
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
    }

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void aTransactionWithoutReadsCommitsWhatASortedMapHolds(
            @ForAll("rows") Map<Integer, String> rows, @ForAll("programs") List<TransactionCall> program) {
        fill(rows);
        List<TransactionCall> writes =
                program.stream().filter(TransactionCall::isWrite).toList();
        commit(tr -> writes.forEach(write -> write.run(tr, keys())));

        Model model = new Model(rows);
        writes.forEach(write -> write.run(model));
        assertThat(committed()).as("the rows after the commit").isEqualTo(model.render());
    }
}
