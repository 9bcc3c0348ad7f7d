package dev.couchjobs.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** How many things a transaction takes after others went well, had to be tried again, or failed. */
class BatchSizeTest {
    private final BatchSize batch = new BatchSize(100);
    private final List<Integer> sizes = new ArrayList<>();

    /** A transaction that comes to its end with so many tries. */
    private CompletableFuture<Integer> runs(int tries) {
        return batch.run(each -> {
            CompletableFuture<Integer> last = CompletableFuture.completedFuture(0);
            for (int i = 0; i < tries; i++) {
                last = each.next(this::noted);
            }
            return last;
        });
    }

    private CompletableFuture<Integer> noted(int size) {
        sizes.add(size);
        return CompletableFuture.completedFuture(size);
    }

    private CompletableFuture<Integer> fails(int size, int code) {
        sizes.add(size);
        return CompletableFuture.failedFuture(new FDBException("no", code));
    }

    @Test
    void eachFurtherTryTakesHalfAsMany() {
        assertThat(runs(3).join()).isEqualTo(25);
        assertThat(sizes).containsExactly(100, 50, 25);
    }

    @Test
    void aTryAfterOneThatWasNotTooManyTakesAsMany() {
        int done = batch.run(tries -> {
                    var first = tries.next(this::noted);
                    return first.thenCompose(many -> tries.nextOfSameSize(this::noted))
                            .thenCompose(many -> tries.next(this::noted));
                })
                .join();
        assertThat(done).isEqualTo(50);
        assertThat(sizes).containsExactly(100, 100, 50);
    }

    @Test
    void aTransactionWhoseTriesAllTookAsManyWentWell() {
        runs(2).join();
        runs(1).join();
        var unused = batch.run(tries -> tries.next(this::noted).thenCompose(many -> tries.nextOfSameSize(this::noted)))
                .join();
        runs(1).join();
        assertThat(sizes).containsExactly(100, 50, 50, 60, 60, 70);
    }

    @Test
    void aTryTakesAtLeastOne() {
        assertThat(runs(40).join()).isEqualTo(1);
    }

    @Test
    void theNextTransactionBeginsWithWhatWentWell_andThenTakesATenthMore() {
        runs(3).join();
        runs(1).join();
        runs(1).join();
        runs(1).join();
        assertThat(sizes).containsExactly(100, 50, 25, 25, 35, 45);
    }

    @Test
    void itGrowsUpToTheMostThereIsToBe() {
        runs(2).join();
        for (int i = 0; i < 10; i++) {
            runs(1).join();
        }
        assertThat(sizes).endsWith(100, 100, 100).doesNotContain(110);
    }

    @Test
    void whatIsTooLargeIsBegunAnewWithHalfAsMany() {
        int done = batch.run(tries -> tries.next(size -> size > 30 ? fails(size, 2101) : noted(size)))
                .join();
        assertThat(done).isEqualTo(25);
        assertThat(sizes).containsExactly(100, 50, 25);
    }

    @Test
    void whatIsTooLargeByItselfFails() {
        CompletableFuture<Integer> failed = batch.run(tries -> tries.next(size -> fails(size, 2101)));
        assertThatThrownBy(failed::join).isInstanceOf(CompletionException.class).hasCauseInstanceOf(FDBException.class);
        assertThat(sizes).containsExactly(100, 50, 25, 12, 6, 3, 1);
    }

    @Test
    void afterAnyOtherErrorTheNextTransactionTakesHalfAsMany() {
        CompletableFuture<Integer> failed = batch.run(tries -> tries.next(size -> fails(size, 1031)));
        assertThat(failed).isCompletedExceptionally();
        assertThat(batch.now()).isEqualTo(50);
    }

    @Test
    void whoeverDividesAListTellsHowItWent() {
        batch.ended(new IllegalStateException("no"));
        batch.ended(new IllegalStateException("no"));
        batch.ended(null);
        assertThat(batch.now()).isEqualTo(35);
    }
}
