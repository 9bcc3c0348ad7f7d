package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is too large or out of range, and the code that says so. */
class LimitsContract extends FdbContract {

    private static final int TRANSACTION_TOO_LARGE = 2101;
    private static final int KEY_TOO_LARGE = 2102;
    private static final int VALUE_TOO_LARGE = 2103;
    private static final int OUTSIDE_LEGAL_RANGE = 2004;
    private static final int INVERTED_RANGE = 2005;

    private static final byte[] SYSTEM_KEY = {(byte) 0xff, 'x'};
    private static final byte[] END_OF_KEYS = {(byte) 0xff};

    @Test
    void aKeyOfTenThousandBytesFits() {
        byte[] key = keyOfLength(10_000);
        commit(tr -> tr.set(key, bytes("1")));
        assertThat(committed()).hasSize(1);
    }

    @Test
    void aLongerKeyPoisonsTheTransaction() {
        assertPoisoned(KEY_TOO_LARGE, tr -> tr.set(keyOfLength(10_001), bytes("1")));
        assertPoisoned(KEY_TOO_LARGE, tr -> tr.mutate(MutationType.ADD, keyOfLength(10_001), bytes("1")));
    }

    @Test
    void aLongerKeyIsSimplyNotThere() {
        Transaction tr = begin();
        assertThat(await(tr.get(keyOfLength(10_001)))).isNull();
        tr.clear(keyOfLength(10_001));
        await(tr.commit());
    }

    @Test
    void aLongerKeyCannotBeWatched() {
        assertFailsWith(KEY_TOO_LARGE, begin().watch(keyOfLength(10_001)));
    }

    @Test
    void aValueOfAHundredThousandBytesFits() {
        given("a", "x".repeat(100_000));
        assertThat(committed("a")).hasSize(100_000);
    }

    @Test
    void aLongerValuePoisonsTheTransaction() {
        assertPoisoned(VALUE_TOO_LARGE, tr -> set(tr, "a", "x".repeat(100_001)));
        assertPoisoned(VALUE_TOO_LARGE, tr -> tr.mutate(MutationType.BYTE_MAX, key("a"), bytes("x".repeat(100_001))));
    }

    @Test
    void theOffsetOfAVersionstampCountsTowardsTheLimit() {
        byte[] largestKey = VersionstampOperands.operand(
                keyOfLength(10_000 - VersionstampOperands.LENGTH - Integer.BYTES), new byte[0]);
        byte[] largestValue = VersionstampOperands.operand(
                new byte[100_000 - VersionstampOperands.LENGTH - Integer.BYTES], new byte[0]);
        commit(tr -> tr.mutate(MutationType.SET_VERSIONSTAMPED_KEY, largestKey, largestValue));
        commit(tr -> tr.mutate(MutationType.SET_VERSIONSTAMPED_VALUE, key("v"), largestValue));
        assertThat(committed()).hasSize(2);
        assertPoisoned(
                KEY_TOO_LARGE,
                tr -> tr.mutate(
                        MutationType.SET_VERSIONSTAMPED_KEY,
                        VersionstampOperands.operand(
                                keyOfLength(10_001 - VersionstampOperands.LENGTH - Integer.BYTES), new byte[0]),
                        bytes("")));
        assertPoisoned(
                VALUE_TOO_LARGE,
                tr -> tr.mutate(
                        MutationType.SET_VERSIONSTAMPED_VALUE,
                        key("v"),
                        VersionstampOperands.operand(
                                new byte[100_001 - VersionstampOperands.LENGTH - Integer.BYTES], new byte[0])));
    }

    @Test
    void theEmptyKeyIsAKey() {
        Transaction tr = begin();
        assertThat(EngineFutures.codeOf(tr.get(new byte[0]))).isZero();
        tr.addWriteConflictKey(new byte[0]);
        await(tr.commit());
    }

    @Test
    void aSizeLimitCanBeLower() {
        Transaction small = begin();
        small.options().setSizeLimit(2_000);
        set(small, "a", "x".repeat(1_000));
        await(small.commit());
        Transaction large = begin();
        large.options().setSizeLimit(2_000);
        set(large, "a", "x".repeat(2_001));
        assertFailsWith(TRANSACTION_TOO_LARGE, large.commit());
    }

    @Test
    void conflictRangesCountTowardsTheSize() {
        Transaction tr = begin();
        tr.options().setSizeLimit(2_000);
        set(tr, "a", "1");
        tr.addReadConflictKey(keyOfLength(1_500));
        assertFailsWith(TRANSACTION_TOO_LARGE, tr.commit());
    }

    @Test
    void systemKeysCannotBeWritten() {
        assertPoisoned(OUTSIDE_LEGAL_RANGE, tr -> tr.set(SYSTEM_KEY, bytes("1")));
        assertPoisoned(OUTSIDE_LEGAL_RANGE, tr -> tr.set(END_OF_KEYS, bytes("1")));
        assertPoisoned(OUTSIDE_LEGAL_RANGE, tr -> tr.clear(SYSTEM_KEY));
        assertPoisoned(OUTSIDE_LEGAL_RANGE, tr -> tr.clear(key("z"), SYSTEM_KEY));
        assertPoisoned(OUTSIDE_LEGAL_RANGE, tr -> tr.mutate(MutationType.ADD, SYSTEM_KEY, bytes("1")));
        assertPoisoned(OUTSIDE_LEGAL_RANGE, tr -> tr.addReadConflictRange(key("a"), SYSTEM_KEY));
        assertPoisoned(OUTSIDE_LEGAL_RANGE, tr -> tr.addWriteConflictRange(key("a"), SYSTEM_KEY));
    }

    @Test
    void systemKeysCannotBeRead() {
        Transaction tr = begin();
        assertFailsWith(OUTSIDE_LEGAL_RANGE, tr.get(SYSTEM_KEY));
        assertFailsWith(OUTSIDE_LEGAL_RANGE, tr.get(END_OF_KEYS));
        assertFailsWith(OUTSIDE_LEGAL_RANGE, tr.getKey(KeySelector.lastLessThan(SYSTEM_KEY)));
        assertFailsWith(OUTSIDE_LEGAL_RANGE, tr.getRange(key("a"), SYSTEM_KEY).asList());
        assertFailsWith(OUTSIDE_LEGAL_RANGE, tr.watch(SYSTEM_KEY));
        assertThat(get(tr, "a")).isNull();
        await(tr.commit());
    }

    @Test
    void systemKeysCanBeReadByOption() {
        Transaction tr = begin();
        tr.options().setReadSystemKeys();
        assertThat(await(tr.get(new byte[] {(byte) 0xff, '/', 'n', 'o', 'n', 'e'})))
                .isNull();
        tr.set(SYSTEM_KEY, bytes("1"));
        assertFailsWith(OUTSIDE_LEGAL_RANGE, tr.commit());
    }

    @Test
    void theEndOfTheKeysIsALegalBound() {
        given("a", "1");
        Transaction tr = begin();
        assertThat(await(tr.getRange(key("a"), END_OF_KEYS, 1).asList())).hasSize(1);
        assertThat(getKey(tr, KeySelector.firstGreaterOrEqual(END_OF_KEYS))).isEqualTo(">");
    }

    @Test
    void anInvertedClearPoisonsTheTransaction() {
        assertPoisoned(INVERTED_RANGE, tr -> tr.clear(key("b"), key("a")));
    }

    @Test
    void anInvertedConflictRangeIsRefusedAtOnce() {
        Transaction tr = begin();
        assertThatThrownBy(() -> tr.addReadConflictRange(key("b"), key("a")))
                .isInstanceOfSatisfying(
                        FDBException.class, e -> assertThat(e.getCode()).isEqualTo(INVERTED_RANGE));
        assertThatThrownBy(() -> tr.addWriteConflictRange(key("b"), key("a")))
                .isInstanceOfSatisfying(
                        FDBException.class, e -> assertThat(e.getCode()).isEqualTo(INVERTED_RANGE));
    }

    @Test
    void anInvertedRangeHasNoSizeAndNoSplits() {
        Transaction tr = begin();
        assertFailsWith(INVERTED_RANGE, tr.getEstimatedRangeSizeBytes(key("b"), key("a")));
        assertFailsWith(INVERTED_RANGE, tr.getRangeSplitPoints(key("b"), key("a"), 1_000));
    }

    @Test
    void aNegativeRowLimitIsInvalid() {
        assertFailsWith(2012, begin().getRange(prefixKeys().all(), -2).asList());
    }

    @Test
    void aPoisonedTransactionIsWholeAgainAfterOnError() {
        Transaction tr = begin();
        tr.set(keyOfLength(10_001), bytes("1"));
        assertFailsWith(KEY_TOO_LARGE, tr.get(key("a")));
        try (Transaction fresh = await(tr.onError(new FDBException("again", CONFLICT)))) {
            set(fresh, "a", "1");
            await(fresh.commit());
        }
        assertThat(committed()).containsExactly("a=1");
    }

    /** The call returns; every later read and the commit fail. */
    private void assertPoisoned(int code, Consumer<Transaction> call) {
        Transaction tr = begin();
        call.accept(tr);
        assertFailsWith(code, tr.get(key("a")));
        assertFailsWith(code, tr.getRange(prefixKeys().all()).asList());
        assertFailsWith(code, tr.getReadVersion());
        assertFailsWith(code, tr.commit());
    }

    private byte[] keyOfLength(int length) {
        return key("x".repeat(length - key("").length));
    }
}
