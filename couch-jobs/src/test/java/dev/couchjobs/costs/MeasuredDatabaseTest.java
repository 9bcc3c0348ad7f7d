package dev.couchjobs.costs;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.faults.VirtualStage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is measured is what a transaction on a cluster would wait for. */
class MeasuredDatabaseTest {
    private static final byte[] ONE = key("one");
    private static final byte[] TWO = key("two");
    private static final Range BOTH = new Range(ONE, key("zero"));
    private static final byte[] VALUE = {7};

    private final VirtualStage stage = new VirtualStage(1);
    private final MeasuredDatabase measured =
            new MeasuredDatabase(stage.database(), stage.time(), Duration.ofMillis(1));

    private static byte[] key(String subspace) {
        return Tuple.from("couch_jobs", subspace, "mail").pack();
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private Cost costOf(Function<Transaction, CompletableFuture<?>> transaction) {
        measured.forget();
        stage.await(measured.asDatabase().runAsync(tx -> transaction.apply(tx).thenApply(done -> VALUE)));
        return Cost.of(measured.tries());
    }

    @Test
    void questionsThatAreAskedTogetherAreOneTrip() {
        Cost cost = costOf(tx -> tx.get(ONE).thenCombine(tx.get(TWO), (one, two) -> one));

        assertThat(cost.trips()).isEqualTo(1);
        assertThat(cost.reads()).isEqualTo(2);
        assertThat(cost.readConflicts()).isEqualTo(2);
    }

    @Test
    void aQuestionThatFollowsFromAnAnswerIsAnotherTrip() {
        assertThat(costOf(tx -> tx.get(ONE).thenCompose(one -> tx.get(TWO))).trips())
                .isEqualTo(2);
    }

    @Test
    void whatIsKnownAlreadyIsNoTrip() {
        Cost cost = costOf(tx -> tx.snapshot().getRange(BOTH).asList().thenCompose(rows -> tx.get(ONE)));

        assertThat(cost.trips()).isEqualTo(1);
        assertThat(cost.reads()).isEqualTo(1);
        assertThat(cost.readConflicts()).isEqualTo(1);
    }

    @Test
    void aRangeIsKnownAsFarAsItWasReadAndNoFurther() {
        costOf(tx -> {
            tx.set(ONE, VALUE);
            tx.set(TWO, VALUE);
            return CompletableFuture.completedFuture(VALUE);
        });

        Cost cost = costOf(tx ->
                tx.getRange(BOTH, 1).asList().thenCompose(first -> tx.get(ONE)).thenCompose(known -> tx.get(TWO)));

        assertThat(cost.trips()).isEqualTo(2);
        assertThat(cost.keysRead()).isEqualTo(2);
    }

    @Test
    void theCommitWaitsForWhatNobodyElseWaitsFor() {
        Cost cost = costOf(tx -> tx.get(ONE).thenAccept(one -> {
            var unused = tx.watch(TWO);
        }));

        assertThat(cost.trips()).isEqualTo(2);
    }

    @Test
    void whatIsWrittenTwiceIsWrittenOnce() {
        Cost cost = costOf(tx -> {
            tx.set(ONE, new byte[100]);
            tx.mutate(MutationType.ADD, ONE, VALUE);
            tx.options().setNextWriteNoWriteConflictRange();
            tx.clear(TWO);
            return CompletableFuture.completedFuture(VALUE);
        });

        assertThat(cost.trips()).isZero();
        assertThat(cost.keysWritten()).isEqualTo(2);
        assertThat(cost.bytesWritten()).isEqualTo(ONE.length + VALUE.length + TWO.length);
        assertThat(cost.writeConflicts()).isEqualTo(1);
        assertThat(cost.writtenTo()).containsExactlyInAnyOrder("one", "two");
    }
}
