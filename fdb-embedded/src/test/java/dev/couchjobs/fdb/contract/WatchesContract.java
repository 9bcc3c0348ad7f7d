package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Watches. A watch may fire for no reason, so no test can show that one stays silent; a bound on waiting only turns a
 * watch that is lost into a failure.
 */
class WatchesContract extends FdbContract {

    private static final int FUTURE_VERSION = 1009;
    private static final int TOO_MANY_WATCHES = 1032;

    @BeforeEach
    void fill() {
        given("a", "old");
    }

    @Test
    void aWatchFiresWhenTheValueIsSet() {
        assertFires(() -> watchCommitted("a"), () -> given("a", "new"));
    }

    @Test
    void aWatchFiresWhenTheKeyIsCleared() {
        assertFires(
                () -> watchCommitted("a"),
                () -> commit(tr -> tr.clear(prefixKeys().all())));
    }

    @Test
    void aWatchFiresWhenAMissingKeyIsCreated() {
        assertFires(() -> watchCommitted("missing"), () -> given("missing", ""));
    }

    @Test
    void aWatchFiresForAnAtomicOperation() {
        assertFires(
                () -> watchCommitted("a"),
                () -> commit(tr -> tr.mutate(MutationType.APPEND_IF_FITS, key("a"), bytes("!"))));
    }

    @Test
    void everyWatchOfAKeyFires() {
        assertFires(
                () -> CompletableFuture.allOf(watchCommitted("a"), watchCommitted("a"), watchCommitted("a")),
                () -> given("a", "new"));
    }

    @Test
    void aWatchOutlivesItsTransaction() {
        assertFires(
                () -> {
                    try (Transaction tr = database().createTransaction()) {
                        CompletableFuture<Void> watch = tr.watch(key("a"));
                        await(tr.commit());
                        return watch;
                    }
                },
                () -> given("a", "new"));
    }

    @Test
    void aWatchOfATransactionThatAlsoWritesFires() {
        assertFires(
                () -> database().run(tr -> {
                    set(tr, "b", "1");
                    return tr.watch(key("a"));
                }),
                () -> given("a", "new"));
    }

    @Test
    void aChangeBetweenTheReadAndTheCommitFires() {
        Transaction tr = beginNow();
        assertFires(
                () -> {
                    CompletableFuture<Void> watch = tr.watch(key("a"));
                    given("a", "new");
                    return watch;
                },
                () -> await(tr.commit()));
    }

    @Test
    void aWatchIsComparedWithTheTransactionsOwnWrite() {
        assertFires(
                () -> database().run(tr -> {
                    set(tr, "a", "own");
                    return tr.watch(key("a"));
                }),
                () -> given("a", "new"));
    }

    @Test
    void anOwnWriteAfterTheWatchFires() {
        Transaction tr = begin();
        assertFires(
                () -> {
                    CompletableFuture<Void> watch = tr.watch(key("a"));
                    set(tr, "a", "own");
                    return watch;
                },
                () -> await(tr.commit()));
    }

    @Test
    void aWatchIsARead() {
        Transaction tr = beginNow();
        CompletableFuture<Void> watch = tr.watch(key("a"));
        set(tr, "b", "1");
        given("a", "new");

        assertFailsWith(CONFLICT, tr.commit());
        assertThat(EngineFutures.codeOf(watch)).isNotZero();
    }

    @Test
    void aTransactionClosedWithoutCommitEndsItsWatches() {
        CompletableFuture<Void> watch;
        try (Transaction tr = database().createTransaction()) {
            watch = tr.watch(key("a"));
            get(tr, "a");
        }
        assertFailsWith(1025, watch);
    }

    @Test
    void aResetEndsTheWatchesThatWereNotCommitted() {
        Transaction tr = begin();
        CompletableFuture<Void> watch = tr.watch(key("a"));
        get(tr, "a");
        await(tr.onError(new FDBException("conflict", CONFLICT))).close();
        assertFailsWith(1025, watch);
    }

    @Test
    void aWatchCanBeCancelled() {
        CompletableFuture<Void> watch = watchCommitted("a");
        assertThat(watch.cancel(true)).isTrue();
        assertThat(watch).isCancelled();
        given("a", "new");
    }

    /** A cluster's client may let them wait until the transaction is closed as well (seen on 7.3.69). */
    @Test
    void aCancelledTransactionEndsItsWatches() {
        Transaction tr = begin();
        CompletableFuture<Void> watch = tr.watch(key("a"));
        get(tr, "a");
        tr.cancel();
        tr.close();
        assertFailsWith(1025, watch);
    }

    @Test
    void aChangeThatIsTakenBackMayBeMissedButTheNextIsNot() {
        assertFires(() -> watchCommitted("a"), () -> {
            given("a", "new");
            given("a", "old");
            given("a", "newer");
        });
    }

    @Test
    void aWatchSurvivesTheTransactionsNextAttempt() {
        assertFires(
                () -> {
                    Transaction tr = begin();
                    CompletableFuture<Void> watch = tr.watch(key("a"));
                    await(tr.commit());
                    await(tr.onError(new FDBException("again", CONFLICT))).close();
                    return watch;
                },
                () -> given("a", "new"));
    }

    @Test
    void noMoreWatchesWaitThanTheOptionAllows() {
        try (Database limited = engine.open()) {
            limited.options().setMaxWatches(0);
            assertFailsWith(TOO_MANY_WATCHES, begin(limited).watch(key("a")));
            limited.options().setMaxWatches(1);
            assertFires(
                    () -> {
                        CompletableFuture<Void> watch = limited.run(tr -> tr.watch(key("a")));
                        assertFailsWith(TOO_MANY_WATCHES, begin(limited).watch(key("b")));
                        return watch;
                    },
                    () -> limited.<Boolean>run(tr -> {
                        set(tr, "a", "new");
                        return true;
                    }));
            CompletableFuture<Void> next = limited.run(tr -> tr.watch(key("b")));
            assertThat(next.cancel(true)).isTrue();
        }
    }

    @Test
    void tenThousandWatchesMayWaitUnlessTheOptionSaysOtherwise() {
        try (Database database = engine.open()) {
            Transaction tr = begin(database);
            CompletableFuture<?>[] watches = new CompletableFuture<?>[10_001];
            for (int i = 0; i < watches.length; i++) {
                watches[i] = tr.watch(key("w" + i));
            }
            assertFailsWith(TOO_MANY_WATCHES, CompletableFuture.anyOf(watches));
            tr.close();
            assertThat(watches)
                    .filteredOn(watch -> EngineFutures.codeOf(watch) == 1025)
                    .hasSize(10_000);
        }
    }

    /** The change comes after the watch; a cluster may lose a watch to an error that asks for another try. */
    private static void assertFires(Supplier<CompletableFuture<Void>> watching, Runnable change) {
        CompletableFuture<Void> watch = watching.get();
        change.run();
        assertThat(EngineFutures.codeOf(watch)).as("how the watch ended").isIn(0, FUTURE_VERSION);
    }

    private CompletableFuture<Void> watchCommitted(String name) {
        return database().run(tr -> tr.watch(key(name)));
    }
}
