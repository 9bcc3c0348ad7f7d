package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionOptions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Options of a transaction, and their defaults on the database. */
class OptionsContract extends FdbContract {

    private static final int INVALID_VALUE = 2006;
    private static final int TIMED_OUT = 1031;

    @Test
    void withoutReadYourWritesATransactionReadsItsSnapshot() {
        given("a", "old", "b", "old");
        commit(tr -> {
            tr.options().setReadYourWritesDisable();
            set(tr, "a", "own");
            tr.clear(key("b"));
            assertThat(get(tr, "a")).isEqualTo("old");
            assertThat(rows(tr.getRange(prefixKeys().all()))).containsExactly("a=old", "b=old");
            assertThat(getKey(tr, from("a\0"))).isEqualTo("b");
        });
        assertThat(committed()).containsExactly("a=own");
    }

    @Test
    void withoutReadYourWritesReadsStillConflict() {
        Transaction tr = begin();
        tr.options().setReadYourWritesDisable();
        set(tr, "a", "own");
        get(tr, "a");
        given("a", "1");
        assertFailsWith(CONFLICT, tr.commit());
    }

    @Test
    void withoutReadYourWritesWatchesAreDisabled() {
        Transaction tr = begin();
        tr.options().setReadYourWritesDisable();
        assertFailsWith(1034, tr.watch(key("a")));
    }

    @Test
    void readYourWritesCannotBeDisabledAfterAnOperation() {
        Transaction afterRead = begin();
        get(afterRead, "a");
        afterRead.options().setReadYourWritesDisable();
        assertFailsWith(2000, afterRead.commit());
        Transaction afterWrite = begin();
        set(afterWrite, "a", "1");
        afterWrite.options().setReadYourWritesDisable();
        assertFailsWith(2000, afterWrite.get(key("a")));
    }

    @Test
    void readYourWritesCanBeDisabledAfterTheReadVersionIsKnown() {
        Transaction tr = beginNow();
        tr.options().setReadYourWritesDisable();
        set(tr, "a", "own");
        assertThat(get(tr, "a")).isNull();
    }

    @Test
    void aTimeoutEndsTheTransaction() {
        Transaction tr = begin();
        tr.options().setTimeout(1);
        assertThat(readUntilItFails(tr)).isEqualTo(TIMED_OUT);
        assertFailsWith(TIMED_OUT, tr.commit());
        assertFailsWith(TIMED_OUT, tr.onError(new FDBException("again", CONFLICT)));
    }

    @Test
    void aTimeoutGoesOnThroughResets() {
        Transaction tr = begin();
        tr.options().setTimeout(200);
        CompletableFuture<Transaction> again = tr.onError(new FDBException("again", CONFLICT));
        int code = EngineFutures.codeOf(again);
        if (code == 0) { // unless the time was up before that
            try (Transaction fresh = again.join()) {
                code = readUntilItFails(fresh);
            }
        }
        assertThat(code).isEqualTo(TIMED_OUT);
    }

    @Test
    void aTimeoutOfZeroIsNone() {
        Transaction tr = begin();
        tr.options().setTimeout(0);
        set(tr, "a", "1");
        await(tr.commit());
    }

    /** A time-out comes before the five seconds after which any transaction is too old. */
    private int readUntilItFails(Transaction tr) {
        int code = 0;
        while (code == 0) {
            code = EngineFutures.codeOf(tr.get(key("a")));
        }
        return code;
    }

    @Test
    void aResetForgetsEveryOptionButTimeoutRetryLimitAndDelay() {
        Transaction tr = begin();
        tr.options().setSizeLimit(1_000);
        tr.options().setSnapshotRywDisable();
        tr.options().setRetryLimit(1);
        Transaction fresh = await(tr.onError(new FDBException("again", CONFLICT)));
        set(fresh, "a", "x".repeat(1_001));
        assertThat(get(fresh.snapshot(), "a")).hasSize(1_001);
        await(fresh.commit());
        assertFailsWith(CONFLICT, fresh.onError(new FDBException("again", CONFLICT)));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 31, 10_000_001})
    void aSizeLimitOutOfRangeIsRefused(int limit) {
        assertRefused(INVALID_VALUE, options -> options.setSizeLimit(limit));
    }

    @Test
    void negativeTimeoutsDelaysAndRetriesAreRefused() {
        assertRefused(INVALID_VALUE, options -> options.setTimeout(-1));
        assertRefused(INVALID_VALUE, options -> options.setMaxRetryDelay(-1));
        assertRefused(INVALID_VALUE, options -> options.setRetryLimit(-2));
    }

    @Test
    void anOptionThatDoesNotExistIsRefusedAtOnce() {
        assertThatThrownBy(() -> begin().options().getOptionConsumer().setOption(31_337, null))
                .isInstanceOfSatisfying(
                        FDBException.class, e -> assertThat(e.getCode()).isEqualTo(2007));
    }

    @Test
    void hintsAreAcceptedAndChangeNothing() {
        commit(tr -> {
            tr.options().setPriorityBatch();
            tr.options().setCausalReadRisky();
            tr.options().setCausalWriteRisky();
            tr.options().setReadPriorityLow();
            tr.options().setReadServerSideCacheDisable();
            tr.options().setDebugTransactionIdentifier("contract");
            tr.options().setLockAware();
            tr.options().setUsedDuringCommitProtectionDisable();
            set(tr, "a", "1");
        });
        assertThat(committed("a")).isEqualTo("1");
    }

    @Test
    void aTransactionMayHaveFiveTags() {
        commit(tr -> {
            for (int i = 0; i < 4; i++) {
                tr.options().setTag("tag" + i);
            }
            tr.options().setTag("tag0");
            tr.options().setAutoThrottleTag("x".repeat(255));
            set(tr, "a", "1");
        });
        assertThat(committed("a")).isEqualTo("1");
    }

    @Test
    void aSixthTagIsRefused() {
        assertRefused(2109, options -> {
            for (int i = 0; i <= 5; i++) {
                options.setTag("tag" + i);
            }
        });
    }

    @Test
    void aTagThatIsTooLongIsRefused() {
        assertRefused(2110, options -> options.setTag("x".repeat(256)));
        assertRefused(2110, options -> options.setAutoThrottleTag("x".repeat(256)));
    }

    @Test
    void anIdentifierHasOneToAHundredBytes() {
        commit(tr -> {
            tr.options().setDebugTransactionIdentifier("\u00fc".repeat(50));
            set(tr, "a", "1");
        });
        assertThat(committed("a")).isEqualTo("1");
        assertRefused(INVALID_VALUE, options -> options.setDebugTransactionIdentifier("\u00fc".repeat(50) + "x"));
        assertRefused(INVALID_VALUE, options -> options.setDebugTransactionIdentifier(""));
    }

    @Test
    void aTransactionHasOneIdentifier() {
        commit(tr -> {
            tr.options().setDebugTransactionIdentifier("same");
            tr.options().setDebugTransactionIdentifier("same");
            set(tr, "a", "1");
        });
        assertThat(committed("a")).isEqualTo("1");
        assertRefused(2000, options -> {
            options.setDebugTransactionIdentifier("one");
            options.setDebugTransactionIdentifier("another");
        });
    }

    @Test
    void aResetForgetsTagsAndIdentifier() {
        Transaction tr = begin();
        tr.options().setDebugTransactionIdentifier("one");
        for (int i = 0; i < 5; i++) {
            tr.options().setTag("tag" + i);
        }
        Transaction fresh = await(tr.onError(new FDBException("again", CONFLICT)));
        fresh.options().setDebugTransactionIdentifier("another");
        fresh.options().setTag("sixth");
        set(fresh, "a", "1");
        await(fresh.commit());
        fresh.close();
    }

    @Test
    void aTransactionWithoutIdentifierCannotBeLogged() {
        assertRefused(2000, TransactionOptions::setLogTransaction);
    }

    @Test
    void aDatabaseGivesItsDefaultsToEveryTransaction() {
        try (Database limited = engine.open()) {
            limited.options().setTransactionSizeLimit(1_000);
            Transaction tr = begin(limited);
            set(tr, "a", "x".repeat(1_001));
            assertFailsWith(2101, tr.commit());
        }
    }

    @Test
    void aTransactionOverridesTheDefaultOfItsDatabase() {
        try (Database limited = engine.open()) {
            limited.options().setTransactionRetryLimit(0);
            Transaction strict = begin(limited);
            assertFailsWith(CONFLICT, strict.onError(new FDBException("again", CONFLICT)));
            Transaction patient = begin(limited);
            patient.options().setRetryLimit(1);
            await(patient.onError(new FDBException("again", CONFLICT))).close();
        }
    }

    @Test
    void theDefaultsOfADatabaseSurviveAReset() {
        AtomicInteger attempts = new AtomicInteger();
        try (Database limited = engine.open()) {
            limited.options().setTransactionRetryLimit(2);
            assertThatThrownBy(() -> limited.run(tr -> {
                        attempts.incrementAndGet();
                        throw new FDBException("again", CONFLICT);
                    }))
                    .satisfies(e -> assertThat(EngineFutures.codeOf((RuntimeException) e))
                            .isEqualTo(CONFLICT));
        }
        assertThat(attempts).hasValue(3);
    }

    @Test
    void snapshotsMissOwnWritesByDefaultOfTheDatabase() {
        try (Database database = engine.open()) {
            database.options().setSnapshotRywDisable();
            Transaction tr = begin(database);
            set(tr, "a", "own");
            assertThat(get(tr.snapshot(), "a")).isNull();
            assertThat(get(tr, "a")).isEqualTo("own");
        }
    }

    @Test
    void aTransactionTimesOutByDefaultOfTheDatabase() {
        try (Database database = engine.open()) {
            database.options().setTransactionTimeout(1);
            assertThat(readUntilItFails(begin(database))).isEqualTo(TIMED_OUT);
        }
    }

    @Test
    void unreadableKeysCanBeReadByDefaultOfTheDatabase() {
        try (Database database = engine.open()) {
            database.options().setTransactionBypassUnreadable();
            Transaction tr = begin(database);
            tr.mutate(
                    MutationType.SET_VERSIONSTAMPED_VALUE,
                    key("a"),
                    VersionstampOperands.operand(bytes("before"), new byte[0]));
            assertThat(get(tr, "a")).startsWith("before");
        }
    }

    @Test
    void retryDelaysAreCappedByDefaultOfTheDatabase() {
        try (Database database = engine.open()) {
            database.options().setTransactionMaxRetryDelay(1);
            database.options().setTransactionTimeout(20_000);
            Transaction tr = begin(database);
            // Without the cap, fifty of them would take most of a minute.
            for (int i = 0; i < 50; i++) {
                tr = await(tr.onError(new FDBException("again", CONFLICT)));
            }
            assertThat(get(tr, "a")).isNull();
            tr.close();
        }
    }

    @Test
    void aDefaultIsForTransactionsThatBeginLater() {
        try (Database limited = engine.open()) {
            Transaction earlier = begin(limited);
            get(earlier, "a");
            limited.options().setTransactionSizeLimit(1_000);
            set(earlier, "a", "x".repeat(1_001));
            await(earlier.commit());
        }
    }

    private void assertRefused(int code, Consumer<TransactionOptions> option) {
        Transaction tr = begin();
        option.accept(tr.options());
        assertFailsWith(code, tr.get(key("a")));
        assertFailsWith(code, tr.commit());
    }
}
