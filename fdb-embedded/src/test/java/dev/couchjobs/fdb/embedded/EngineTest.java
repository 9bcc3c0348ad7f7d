package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.internal.common.FdbError;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The engine on one thread in virtual time. */
class EngineTest {
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final Database database = open(scheduler, 1);

    @Test
    void nothingHappensOnAnyOtherThread() {
        Thread here = Thread.currentThread();
        List<Thread> threads = new ArrayList<>();
        CompletableFuture<Void> done = database.runAsync(tr -> {
                    threads.add(Thread.currentThread());
                    tr.set(key("a"), key("1"));
                    return tr.get(key("a"));
                })
                .thenAccept(value -> threads.add(Thread.currentThread()));
        scheduler.await(done);
        assertThat(threads).hasSize(2).containsOnly(here);
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        assertThat(contendedRun(7)).isEqualTo(contendedRun(7)).isNotEqualTo(contendedRun(8));
    }

    @Test
    void commitsThatQueueUpShareAVersion() {
        Transaction first = database.createTransaction();
        Transaction second = database.createTransaction();
        first.set(key("a"), key("1"));
        second.set(key("b"), key("1"));
        CompletableFuture<Void> both = CompletableFuture.allOf(first.commit(), second.commit());
        scheduler.await(both);
        assertThat(first.getCommittedVersion()).isEqualTo(second.getCommittedVersion());
    }

    @Test
    void ofTwoConflictingCommitsInOneBatchTheFirstWins() {
        Transaction first = database.createTransaction();
        Transaction second = database.createTransaction();
        first.get(key("a")).join();
        second.get(key("a")).join();
        first.set(key("a"), key("1"));
        second.set(key("a"), key("2"));
        CompletableFuture<Void> won = first.commit();
        CompletableFuture<Void> lost = second.commit();
        scheduler.runUntilIdle();
        assertThat(won).isCompleted();
        assertThat(codeOf(lost)).isEqualTo(1020);
    }

    @Test
    void aTransactionIsTooOldAfterFiveSeconds() {
        Transaction tr = database.createTransaction();
        tr.get(key("a")).join();
        scheduler.advance(Duration.ofSeconds(5));
        tr.get(key("a")).join();
        scheduler.advance(Duration.ofMillis(1));
        assertThat(codeOf(tr.get(key("a")))).isEqualTo(1007);
        tr.set(key("a"), key("1"));
        CompletableFuture<Void> commit = tr.commit();
        scheduler.runUntilIdle();
        assertThat(codeOf(commit)).isEqualTo(1007);
    }

    @Test
    void aTimeoutCountsFromTheFirstTry() {
        Transaction tr = database.createTransaction();
        tr.options().setTimeout(100);
        scheduler.advance(Duration.ofMillis(99));
        tr.get(key("a")).join();
        scheduler.advance(Duration.ofMillis(1));
        assertThat(codeOf(tr.get(key("a")))).isEqualTo(1031);
    }

    @Test
    void aTimeoutEndsAWaitForTheNextTry() {
        Transaction tr = database.createTransaction();
        tr.options().setTimeout(1);
        CompletableFuture<Transaction> retry = tr.onError(FdbError.TRANSACTION_TOO_OLD.exception());
        scheduler.advance(Duration.ofMillis(1));
        assertThat(codeOf(retry)).isEqualTo(1031);
    }

    @Test
    void aCancelledWatchFreesItsPlace() {
        database.options().setMaxWatches(1);
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Void> watch = armedWatch("a");
            assertThat(codeOf(database.createTransaction().watch(key("b")))).isEqualTo(1032);
            watch.cancel(false);
            scheduler.runUntilIdle();
        }
        assertThat(armedWatch("a")).isNotDone();
    }

    @Test
    void aFiredWatchFreesItsPlace() {
        database.options().setMaxWatches(1);
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Void> watch = armedWatch("a");
            set("a", "" + i);
            assertThat(watch).isCompleted();
        }
    }

    @Test
    void aWatchFiresOnlyForAnotherValue() {
        set("a", "1");
        CompletableFuture<Void> watch = armedWatch("a");
        set("a", "1");
        set("b", "2");
        assertThat(watch).isNotDone();
        set("a", "2");
        assertThat(watch).isCompleted();
    }

    @Test
    void closingEndsEverythingThatWaits() {
        CompletableFuture<Void> watch = armedWatch("a");
        Transaction tr = database.createTransaction();
        CompletableFuture<Void> unarmed = database.createTransaction().watch(key("a"));
        CompletableFuture<Transaction> retry = database.createTransaction().onError(FdbError.NOT_COMMITTED.exception());
        database.close();
        database.close();
        scheduler.runUntilIdle();
        assertThat(codeOf(watch)).isEqualTo(1101);
        assertThat(codeOf(unarmed)).isEqualTo(1101);
        assertThat(codeOf(retry)).isEqualTo(1101);
        assertThat(codeOf(tr.get(key("a")))).isEqualTo(1101);
        tr.set(key("a"), key("1"));
        assertThat(codeOf(tr.commit())).isEqualTo(1101);
        assertThatThrownBy(database::createTransaction).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closingEndsTheWaitForTheNextTryOfAConflict() {
        Transaction winner = database.createTransaction();
        Transaction loser = database.createTransaction();
        loser.get(key("a")).join();
        winner.set(key("a"), key("1"));
        loser.set(key("a"), key("2"));
        scheduler.await(winner.commit());
        CompletableFuture<Void> lost = loser.commit();
        scheduler.runUntilIdle();
        assertThat(codeOf(lost)).isEqualTo(1020);
        CompletableFuture<Transaction> retry = loser.onError(FdbError.NOT_COMMITTED.exception());

        database.close();
        scheduler.runUntilIdle();

        assertThat(codeOf(retry)).isEqualTo(1101);
    }

    @Test
    void aCommitOvertakenByTheCloseFails() {
        Transaction tr = database.createTransaction();
        database.close();
        scheduler.runUntilIdle();
        tr.set(key("a"), key("1"));
        assertThat(codeOf(tr.commit())).isEqualTo(1101);
    }

    @Test
    void aFailureToldByTheEngineKnowsItsRetryClass() {
        FDBException conflict = FdbError.NOT_COMMITTED.exception();
        FDBException unknown = FdbError.COMMIT_UNKNOWN_RESULT.exception();
        FDBException tooLarge = FdbError.VALUE_TOO_LARGE.exception();
        assertThat(conflict.isRetryable() && conflict.isRetryableNotCommitted() && !conflict.isMaybeCommitted())
                .isTrue();
        assertThat(unknown.isRetryable() && unknown.isMaybeCommitted() && !unknown.isRetryableNotCommitted())
                .isTrue();
        assertThat(tooLarge.isRetryable() || tooLarge.isMaybeCommitted() || tooLarge.isRetryableNotCommitted())
                .isFalse();
        assertThat(conflict.retargetClone())
                .hasCause(conflict)
                .isInstanceOfSatisfying(
                        FDBException.class,
                        clone -> assertThat(clone.isRetryable()).isTrue());
    }

    /** Several loops increment one counter, read-modify-write; what each try saw, and when it ended. */
    private static List<String> contendedRun(long seed) {
        VirtualScheduler scheduler = new VirtualScheduler();
        Database database = open(scheduler, seed);
        List<String> log = new ArrayList<>();
        List<CompletableFuture<Long>> loops = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int worker = i;
            loops.add(database.runAsync(tr -> tr.get(key("n")).thenApply(value -> {
                long seen = value == null ? 0 : Tuple.fromBytes(value).getLong(0);
                log.add(worker + " saw " + seen + " at " + scheduler.nanoTime());
                tr.set(key("n"), Tuple.from(seen + 1).pack());
                tr.mutate(MutationType.ADD, key("sum"), new byte[] {1});
                return seen;
            })));
        }
        scheduler.await(CompletableFuture.allOf(loops.toArray(new CompletableFuture<?>[0])));
        assertThat(loops).extracting(CompletableFuture::join).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L);
        return log;
    }

    private CompletableFuture<Void> armedWatch(String name) {
        Transaction tr = database.createTransaction();
        CompletableFuture<Void> watch = tr.watch(key(name));
        CompletableFuture<Void> commit = tr.commit();
        scheduler.await(commit);
        tr.close();
        scheduler.runUntilIdle();
        return watch;
    }

    private void set(String name, String value) {
        scheduler.await(database.runAsync(tr -> {
            tr.set(key(name), key(value));
            return CompletableFuture.completedFuture(true);
        }));
        scheduler.runUntilIdle();
    }

    private static Database open(VirtualScheduler scheduler, long seed) {
        return EmbeddedDatabase.openInMemory(
                new EngineEnvironment(scheduler, scheduler, scheduler::nanoTime, new Random(seed)));
    }

    private static int codeOf(CompletableFuture<?> failed) {
        try {
            failed.getNow(null);
            return 0;
        } catch (CompletionException error) {
            return error.getCause() instanceof FDBException cause ? cause.getCode() : -1;
        }
    }
}
