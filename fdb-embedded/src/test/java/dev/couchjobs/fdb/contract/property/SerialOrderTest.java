package dev.couchjobs.fdb.contract.property;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.fdb.contract.property.Execution.Step;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The checker of histories sees planted anomalies, and lets sound histories pass. */
class SerialOrderTest {

    private static final int A = 0;
    private static final int B = 1;

    private final Model initial = new Model(Map.of(A, "0", B, "0"));

    @Test
    void aSoundHistoryPasses() {
        assertThat(order(
                                committed(10, 20, read(A, "0"), write(A, "1")),
                                committed(20, 30, read(A, "1"), write(A, "2")),
                                conflicted(10, read(A, "0"), write(B, "1")),
                                readOnly(25, read(A, "1")))
                        .violations())
                .isEmpty();
    }

    @Test
    void aLostUpdateIsSeen() {
        assertThat(order(committed(10, 20, read(A, "0"), write(A, "1")), committed(10, 30, read(A, "0"), write(A, "1")))
                        .violations())
                .isNotEmpty();
    }

    @Test
    void writeSkewIsSeen() {
        assertThat(order(committed(10, 20, read(A, "0"), write(B, "1")), committed(10, 30, read(B, "0"), write(A, "1")))
                        .violations())
                .hasSize(2);
    }

    @Test
    void aPhantomIsSeen() {
        Step emptyRange = new Step(range(2, 5), "[]");
        assertThat(order(committed(10, 20, write(3, "new")), committed(10, 30, emptyRange, write(A, "1")))
                        .violations())
                .isNotEmpty();
    }

    @Test
    void aRangeReadAfterACompareAndClearIsNotHeldToTheOrderOfCommits() {
        Step compareAndClear =
                new Step(new TransactionCall.Mutate(MutationType.COMPARE_AND_CLEAR, A, "0"), TransactionCall.DONE);
        Selector first = new Selector(A, false, 1);
        Selector second = new Selector(A, false, 2);
        Step selected = new Step(new TransactionCall.GetSelected(first, second, 0, false, false), "[]");
        assertThat(order(committed(10, 20, write(A, "1")), committed(10, 30, compareAndClear, selected))
                        .violations())
                .isEmpty();
    }

    @Test
    void aReadOfTheWrongVersionIsSeen() {
        assertThat(order(committed(10, 20, write(A, "1")), readOnly(15, read(A, "1")))
                        .violations())
                .hasSize(1);
        assertThat(order(committed(10, 20, write(A, "1")), readOnly(20, read(A, "0")))
                        .violations())
                .hasSize(1);
    }

    @Test
    void aCommitOverABlindWriteOfTheSameValueIsSeen() {
        assertThat(order(committed(10, 20, write(A, "0")), committed(10, 30, read(A, "0"), write(B, "1")))
                        .violations())
                .singleElement()
                .asString()
                .contains("written in between");
    }

    @Test
    void theOrderWithinABatchCounts() {
        Execution first = new Execution(List.of(write(A, "1")), 10, stamp(20, 0), false);
        Execution second = new Execution(List.of(read(A, "0"), write(B, "1")), 10, stamp(20, 1), false);
        assertThat(order(first, second).violations()).isNotEmpty();
        Execution earlier = new Execution(second.steps(), 10, stamp(19, 1), false);
        assertThat(order(first, earlier).violations()).isEmpty();
    }

    @Test
    void aConflictThatNothingExplainsIsSeen() {
        assertThat(order(committed(10, 20, write(A, "1")), conflicted(10, read(B, "0"), write(A, "2")))
                        .conflictsWithoutReason())
                .hasSize(1);
        assertThat(order(committed(10, 20, write(A, "1")), conflicted(10, read(A, "0"), write(B, "2")))
                        .conflictsWithoutReason())
                .isEmpty();
        assertThat(order(committed(10, 20, write(A, "1")), conflicted(20, read(A, "1"), write(B, "2")))
                        .conflictsWithoutReason())
                .hasSize(1);
    }

    private SerialOrder order(Execution... executions) {
        return new SerialOrder(initial, new ArrayList<>(List.of(executions)));
    }

    private static Step read(int key, String value) {
        return new Step(new TransactionCall.Get(key, false), "'" + value + "'");
    }

    private static Step write(int key, String value) {
        return new Step(new TransactionCall.Put(key, value), TransactionCall.DONE);
    }

    private static TransactionCall range(int begin, int end) {
        return new TransactionCall.GetRange(begin, end, 0, false, StreamingMode.ITERATOR, false);
    }

    private static Execution committed(long readVersion, long commitVersion, Step... steps) {
        return new Execution(List.of(steps), readVersion, stamp(commitVersion, 0), false);
    }

    private static Execution conflicted(long readVersion, Step... steps) {
        return new Execution(List.of(steps), readVersion, null, true);
    }

    private static Execution readOnly(long readVersion, Step... steps) {
        return new Execution(List.of(steps), readVersion, null, false);
    }

    private static Versionstamp stamp(long version, int order) {
        return Versionstamp.complete(
                ByteBuffer.allocate(10).putLong(version).putShort((short) order).array());
    }
}
