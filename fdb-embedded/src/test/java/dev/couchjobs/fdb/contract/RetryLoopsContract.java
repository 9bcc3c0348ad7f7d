package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The retry loops, and {@code onError} that they are made of. */
class RetryLoopsContract extends FdbContract {

    private static final int UNKNOWN_RESULT = 1021;

    @Test
    void runRetriesAConflictAndReturnsTheLastResult() {
        AtomicInteger attempts = new AtomicInteger();
        int result = database().run(conflictingOnce(attempts));
        assertThat(result).isEqualTo(attempts.get()).isGreaterThanOrEqualTo(2);
        assertThat(committed("result")).isEqualTo("" + result);
    }

    @Test
    void runAsyncRetriesAConflictAndReturnsTheLastResult() {
        AtomicInteger attempts = new AtomicInteger();
        Function<Transaction, Integer> body = conflictingOnce(attempts);
        int result = await(database().runAsync(tr -> CompletableFuture.completedFuture(body.apply(tr))));
        assertThat(result).isEqualTo(attempts.get()).isGreaterThanOrEqualTo(2);
        assertThat(committed("result")).isEqualTo("" + result);
    }

    /** Reads a key, and has it written by somebody else the first time. */
    private Function<Transaction, Integer> conflictingOnce(AtomicInteger attempts) {
        return tr -> {
            int attempt = attempts.incrementAndGet();
            get(tr, "a");
            if (attempt == 1) {
                given("a", "changed");
            }
            set(tr, "result", "" + attempt);
            return attempt;
        };
    }

    @Test
    void readLoopsRetryToo() {
        given("a", "1");
        AtomicInteger attempts = new AtomicInteger();
        String value = database().read(tr -> {
            failOnce(attempts, UNKNOWN_RESULT);
            return get(tr, "a");
        });
        assertThat(value).isEqualTo("1");
        byte[] later = await(database().readAsync(tr -> {
            failOnce(attempts, CONFLICT);
            return tr.get(key("a"));
        }));
        assertThat(later).isEqualTo(bytes("1"));
    }

    private static void failOnce(AtomicInteger attempts, int code) {
        if (attempts.incrementAndGet() % 2 == 1) {
            throw new FDBException("again", code);
        }
    }

    @Test
    void anAttemptThatFailedLeavesNothing() {
        AtomicInteger attempts = new AtomicInteger();
        commit(tr -> {
            set(tr, "attempt" + attempts.get(), "1");
            failOnce(attempts, CONFLICT);
        });
        assertThat(committed()).hasSize(1).doesNotContain("attempt0=1");
    }

    @Test
    void theUsersExceptionEndsTheLoop() {
        AtomicInteger attempts = new AtomicInteger();
        RuntimeException mine = new IllegalArgumentException("mine");
        assertThatThrownBy(() -> database().run(tr -> {
                    attempts.incrementAndGet();
                    set(tr, "a", "1");
                    throw mine;
                }))
                .satisfies(e -> assertThat(e == mine ? mine : e.getCause()).isSameAs(mine));
        assertThat(attempts).hasValue(1);
        assertThat(committed("a")).isNull();
    }

    @Test
    @SuppressWarnings("NullAway") // a mistake that the compiler of another user does not find
    void theUsersExceptionEndsTheAsynchronousLoop() {
        RuntimeException mine = new IllegalArgumentException("mine");
        CompletableFuture<Object> thrown = database().runAsync(tr -> {
            throw mine;
        });
        CompletableFuture<Object> returned = database().runAsync(tr -> CompletableFuture.failedFuture(mine));
        CompletableFuture<Object> nothing = database().runAsync(tr -> null);
        assertThatThrownBy(() -> await(thrown)).hasRootCause(mine);
        assertThatThrownBy(() -> await(returned)).hasRootCause(mine);
        assertThatThrownBy(() -> await(nothing)).hasRootCauseInstanceOf(NullPointerException.class);
    }

    @Test
    void anErrorThatIsNotRetryableEndsTheLoop() {
        assertThat(codeOfRun(tr -> {
                    throw new FDBException("no", 2000);
                }))
                .isEqualTo(2000);
        assertThat(codeOfRun(tr -> tr.set(new byte[] {(byte) 0xff}, bytes("1"))))
                .isEqualTo(2004);
    }

    @Test
    void theLoopClosesItsTransaction() {
        Transaction used = database().run(tr -> tr);
        assertThatThrownBy(() -> used.get(key("a"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aRetryLimitCountsRetries() {
        AtomicInteger attempts = new AtomicInteger();
        int code = codeOfRun(tr -> {
            tr.options().setRetryLimit(3);
            attempts.incrementAndGet();
            throw new FDBException("again", CONFLICT);
        });
        assertThat(code).isEqualTo(CONFLICT);
        assertThat(attempts).hasValue(4);
    }

    @Test
    void aRetryLimitOfZeroAllowsOneAttempt() {
        AtomicInteger attempts = new AtomicInteger();
        int code = codeOfRun(tr -> {
            tr.options().setRetryLimit(0);
            attempts.incrementAndGet();
            throw new FDBException("again", UNKNOWN_RESULT);
        });
        assertThat(code).isEqualTo(UNKNOWN_RESULT);
        assertThat(attempts).hasValue(1);
    }

    @Test
    void theRetryLimitIsKeptThroughResets() {
        Transaction tr = begin();
        tr.options().setRetryLimit(2);
        tr = await(tr.onError(new FDBException("again", CONFLICT)));
        tr = await(tr.onError(new FDBException("again", 1007)));
        assertFailsWith(1009, tr.onError(new FDBException("again", 1009)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1007, 1009, 1020, 1021, 1037, 1038, 1042, 1051, 1078, 1213, 1223})
    void onErrorAcceptsWhatIsRetryable(int code) {
        Transaction tr = begin();
        set(tr, "a", "lost");
        try (Transaction fresh = await(tr.onError(new FDBException("retryable", code)))) {
            assertThat(get(fresh, "a")).isNull();
            set(fresh, "b", "kept");
            await(fresh.commit());
        }
        assertThat(committed()).containsExactly("b=kept");
    }

    @ParameterizedTest
    @ValueSource(ints = {1025, 1031, 1036, 1039, 1101, 2000, 2004, 2005, 2017, 2101, 2102, 2103})
    void onErrorFailsWithWhatIsNot(int code) {
        Transaction tr = begin();
        assertFailsWith(code, tr.onError(new FDBException("fatal", code)));
        assertThatThrownBy(() -> tr.get(key("a"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anErrorSaysWhetherARetryMakesSense() {
        Transaction conflicting = beginNow();
        get(conflicting, "a");
        set(conflicting, "b", "1");
        given("a", "1");
        FDBException conflict = errorOf(conflicting.commit());
        assertThat(conflict.isRetryable()).isTrue();
        assertThat(conflict.isRetryableNotCommitted()).isTrue();
        assertThat(conflict.isMaybeCommitted()).isFalse();

        FDBException illegal = errorOf(begin().get(new byte[] {(byte) 0xff}));
        assertThat(illegal.isRetryable()).isFalse();
        assertThat(illegal.isRetryableNotCommitted()).isFalse();
        assertThat(illegal.isMaybeCommitted()).isFalse();
    }

    private static FDBException errorOf(CompletableFuture<?> future) {
        CompletableFuture<Throwable> error = future.handle((value, thrown) -> thrown);
        return (FDBException) await(error);
    }

    @Test
    void aCappedDelayLetsManyRetriesPassInAShortTime() {
        Transaction tr = begin();
        tr.options().setMaxRetryDelay(1);
        tr.options().setTimeout(20_000);
        // Without the cap, fifty of them would take most of a minute.
        for (int i = 0; i < 50; i++) {
            tr = await(tr.onError(new FDBException("again", CONFLICT)));
        }
        assertThat(get(tr, "a")).isNull();
        tr.close();
    }

    @Test
    void onErrorUnwrapsWhatFuturesWrap() {
        Throwable wrapped = new CompletionException(new FDBException("again", CONFLICT));
        await(begin().onError(wrapped)).close();
    }

    @Test
    void onErrorReturnsAForeignExceptionAndLeavesTheTransactionUsable() {
        RuntimeException mine = new IllegalArgumentException("mine");
        Transaction tr = begin();
        CompletableFuture<Transaction> failed = tr.onError(mine);
        assertThatThrownBy(() -> await(failed)).hasRootCause(mine);
        assertThat(get(tr, "a")).isNull();
    }

    @Test
    void onErrorInvalidatesTheTransactionItWasCalledOn() {
        Transaction tr = begin();
        CompletableFuture<Transaction> next = tr.onError(new FDBException("again", CONFLICT));
        assertThatThrownBy(() -> tr.get(key("a"))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(tr::commit).isInstanceOf(IllegalStateException.class);
        await(next).close();
    }

    @Test
    void afterOnErrorTheTransactionReadsAtANewVersion() {
        given("a", "old");
        Transaction tr = begin();
        assertThat(get(tr, "a")).isEqualTo("old");
        given("a", "new");
        try (Transaction fresh = await(tr.onError(new FDBException("again", CONFLICT)))) {
            assertThat(get(fresh, "a")).isEqualTo("new");
        }
    }

    @Test
    void afterOnErrorEarlierReadsAreForgotten() {
        Transaction tr = beginNow();
        get(tr, "a");
        tr.addReadConflictKey(key("b"));
        try (Transaction fresh = await(tr.onError(new FDBException("again", CONFLICT)))) {
            await(fresh.getReadVersion());
            set(fresh, "mark", "");
            given("a", "1", "b", "1");
            await(fresh.commit());
        }
        assertThat(committed("mark")).isEmpty();
    }

    @Test
    void afterOnErrorEarlierWriteConflictsAreForgotten() {
        Transaction tr = begin();
        tr.addWriteConflictKey(key("a"));
        tr.options().setNextWriteNoWriteConflictRange();
        Transaction other = beginNow();
        get(other, "a");
        get(other, "b");
        set(other, "mark", "");
        try (Transaction fresh = await(tr.onError(new FDBException("again", CONFLICT)))) {
            assertThat(await(fresh.getApproximateSize())).isZero();
            set(fresh, "c", "");
            await(fresh.commit());
        }
        await(other.commit());
    }

    @Test
    void aTransactionIsAContextThatRunsOnceAndDoesNotCommit() {
        Transaction tr = begin();
        Transaction seen = tr.run(inner -> {
            set(inner, "a", "1");
            return inner;
        });
        assertThat(seen).isSameAs(tr);
        byte[] value = await(tr.runAsync(inner -> inner.get(key("a"))));
        assertThat(value).isEqualTo(bytes("1"));
        assertThat(committed("a")).isNull();
        await(tr.commit());
        assertThat(committed("a")).isEqualTo("1");
    }

    private int codeOfRun(Consumer<Transaction> body) {
        try {
            commit(body);
            return 0;
        } catch (RuntimeException e) {
            return EngineFutures.codeOf(e);
        }
    }
}
