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
public abstract class WatchesContract extends FdbContract {

    private static final int FUTURE_VERSION = 1009;

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
                () -> commit(tr -> tr.clear(keyspace().all())));
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
        assertThat(Futures.codeOf(watch)).isNotZero();
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

    @Test
    void tooManyWatchesAreRefused() {
        try (Database limited = open()) {
            limited.options().setMaxWatches(0);
            assertFailsWith(1032, begin(limited).watch(key("a")));
            limited.options().setMaxWatches(1);
            CompletableFuture<Void> watch = limited.run(tr -> tr.watch(key("a")));
            assertThat(watch.cancel(true)).isTrue();
        }
    }

    /** The change comes after the watch; a cluster may lose a watch to an error that asks for another try. */
    private static void assertFires(Supplier<CompletableFuture<Void>> watching, Runnable change) {
        CompletableFuture<Void> watch = watching.get();
        change.run();
        assertThat(Futures.codeOf(watch)).as("how the watch ended").isIn(0, FUTURE_VERSION);
    }

    private CompletableFuture<Void> watchCommitted(String name) {
        return database().run(tr -> tr.watch(key(name)));
    }
}
