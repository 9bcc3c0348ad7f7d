package dev.couchjobs.fdb.contract;

import static com.apple.foundationdb.MutationType.SET_VERSIONSTAMPED_KEY;
import static com.apple.foundationdb.MutationType.SET_VERSIONSTAMPED_VALUE;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys and values that carry the commit version, and the rule that they cannot be read before it is known. */
class VersionstampContract extends FdbContract {

    private static final int UNREADABLE = 1036;

    @Test
    void aStampStartsWithTheCommittedVersion() {
        Transaction tr = begin();
        set(tr, "a", "1");
        CompletableFuture<byte[]> stamp = tr.getVersionstamp();
        await(tr.commit());

        assertThat(await(stamp)).hasSize(VersionstampOperands.LENGTH);
        assertThat(VersionstampOperands.version(await(stamp))).isEqualTo(tr.getCommittedVersion());
    }

    @Test
    void aStampedValueHoldsTheStampAtItsOffset() {
        byte[] stamp = stampOf(tr -> stampValue(tr, "a", "before", "after"));
        assertThat(value("a")).isEqualTo(ByteArrayUtil.join(bytes("before"), stamp, bytes("after")));
    }

    @Test
    void aStampedKeyHoldsTheStampAtItsOffset() {
        byte[] stamp = stampOf(tr -> stampKey(tr, "k", "after", "value"));
        assertThat(onlyRow().getKey()).isEqualTo(ByteArrayUtil.join(key("k"), stamp, bytes("after")));
        assertThat(onlyRow().getValue()).isEqualTo(bytes("value"));
    }

    @Test
    void allStampsOfOneTransactionAreTheSame() {
        stampOf(tr -> {
            stampKey(tr, "k", "\0\0", "");
            stampKey(tr, "k", "\0\1", "");
            stampValue(tr, "v", "", "");
        });
        List<KeyValue> keys = rows("k");
        assertThat(keys).hasSize(2);
        assertThat(stampIn(keys.get(0))).isEqualTo(stampIn(keys.get(1))).isEqualTo(value("v"));
    }

    @Test
    void aStampedKeyReadsAsATupleVersionstamp() {
        byte[] stamp = stampOf(tr -> {
            byte[] packed = Tuple.from(Versionstamp.complete(VersionstampOperands.PLACEHOLDER, 7))
                    .pack();
            tr.mutate(
                    SET_VERSIONSTAMPED_KEY,
                    ByteArrayUtil.join(key(""), packed, VersionstampOperands.offset(key("").length + 1)),
                    bytes(""));
        });
        byte[] key = onlyRow().getKey();
        Tuple tuple = Tuple.fromBytes(key, key("").length, key.length - key("").length);
        assertThat(tuple.getVersionstamp(0)).isEqualTo(Versionstamp.complete(stamp, 7));
    }

    @Test
    void userVersionsOrderTheStampsOfOneTransaction() {
        stampOf(tr -> {
            for (int userVersion : new int[] {2, 0, 65_535, 1}) {
                byte[] packed = Tuple.from(Versionstamp.complete(VersionstampOperands.PLACEHOLDER, userVersion))
                        .pack();
                tr.mutate(
                        SET_VERSIONSTAMPED_KEY,
                        ByteArrayUtil.join(key(""), packed, VersionstampOperands.offset(key("").length + 1)),
                        bytes(""));
            }
        });
        assertThat(rows(""))
                .extracting(row -> Tuple.fromBytes(row.getKey(), key("").length, row.getKey().length - key("").length)
                        .getVersionstamp(0)
                        .getUserVersion())
                .containsExactly(0, 1, 2, 65_535);
    }

    @Test
    void laterCommitsHaveGreaterStamps() {
        for (int i = 0; i < 20; i++) {
            String name = "" + i;
            stampOf(tr -> stampKey(tr, "k", name, name));
        }
        assertThat(rows("k"))
                .extracting(row -> text(row.getValue()))
                .startsWith("0", "1", "2")
                .endsWith("19");
    }

    @Test
    void concurrentCommitsHaveDistinctStampsInCommitOrder() {
        List<Transaction> transactions = new ArrayList<>();
        List<CompletableFuture<byte[]>> stamps = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Transaction tr = beginNow();
            stampKey(tr, "k", "", "");
            stampValue(tr, "last", "", "");
            stamps.add(tr.getVersionstamp());
            transactions.add(tr);
        }
        List<CompletableFuture<Void>> commits =
                transactions.stream().map(Transaction::commit).toList();
        commits.forEach(FdbContract::await);

        List<byte[]> sorted = stamps.stream()
                .map(FdbContract::await)
                .sorted(ByteArrayUtil::compareUnsigned)
                .toList();
        assertThat(rows("k")).extracting(VersionstampContract::stampIn).containsExactlyElementsOf(sorted);
        assertThat(sorted).doesNotHaveDuplicates();
        assertThat(value("last")).isEqualTo(sorted.get(49));
    }

    @Test
    void aReadOnlyTransactionHasNoStamp() {
        Transaction tr = begin();
        get(tr, "a");
        CompletableFuture<byte[]> stamp = tr.getVersionstamp();
        await(tr.commit());
        assertFailsWith(2021, stamp);
    }

    @Test
    void aConflictFailsTheStamp() {
        Transaction tr = beginNow();
        get(tr, "a");
        stampValue(tr, "a", "", "");
        CompletableFuture<byte[]> stamp = tr.getVersionstamp();
        given("a", "1");

        assertFailsWith(CONFLICT, tr.commit());
        assertFailsWith(2020, stamp);
    }

    @Test
    void aResetFailsTheStamp() {
        Transaction tr = begin();
        set(tr, "a", "1");
        CompletableFuture<byte[]> stamp = tr.getVersionstamp();
        await(tr.onError(new FDBException("again", CONFLICT))).close();
        assertThat(EngineFutures.codeOf(stamp)).isNotZero();
    }

    @Test
    void aStampedValueCannotBeReadBeforeCommit() {
        given("a", "old", "b", "B");
        Transaction tr = begin();
        stampValue(tr, "a", "", "");

        assertFailsWith(UNREADABLE, tr.get(key("a")));
        assertFailsWith(UNREADABLE, tr.snapshot().get(key("a")));
        assertFailsWith(UNREADABLE, tr.getRange(prefixKeys().all()).asList());
        assertThat(get(tr, "b")).isEqualTo("B");
    }

    @Test
    void whereAStampedKeyMayLandCannotBeReadBeforeCommit() {
        given("a", "A", "z", "Z");
        Transaction tr = begin();
        stampKey(tr, "k", "", "");

        assertFailsWith(UNREADABLE, tr.getRange(Range.startsWith(key("k"))).asList());
        assertFailsWith(UNREADABLE, tr.get(key("k" + "\u00ff".repeat(VersionstampOperands.LENGTH - 1) + "\0")));
        assertThat(get(tr, "a")).isEqualTo("A");
        assertThat(rows(tr.getRange(range("m", "zz")))).containsExactly("z=Z");
    }

    @Test
    void readingWhatIsUnreadableFailsTheCommitToo() {
        Transaction tr = begin();
        stampValue(tr, "a", "", "");
        assertFailsWith(UNREADABLE, tr.get(key("a")));
        assertFailsWith(UNREADABLE, tr.commit());
    }

    @Test
    void aCommitThatFailsWithItsReadsLeavesTheVersionstampOpenUntilTheTransactionEnds() {
        Transaction tr = begin();
        stampValue(tr, "a", "", "");
        assertFailsWith(UNREADABLE, tr.get(key("a")));
        CompletableFuture<byte[]> stamp = tr.getVersionstamp();
        assertFailsWith(UNREADABLE, tr.commit());
        assertThat(stamp).isNotDone();
        tr.close();
        assertFailsWith(1025, stamp);
    }

    @Test
    void aSetOverAStampedValueStaysUnreadableAndAClearDoesNot() {
        Transaction tr = begin();
        stampValue(tr, "a", "", "");
        set(tr, "a", "set");
        assertFailsWith(UNREADABLE, tr.get(key("a")));
        tr.clear(key("a"));
        assertThat(get(tr, "a")).isNull();
        set(tr, "a", "again");
        assertThat(get(tr, "a")).isEqualTo("again");
    }

    @Test
    void anUnreadableKeyCanBeReadByOptionAsItWasGiven() {
        Transaction tr = begin();
        tr.options().setBypassUnreadable();
        stampValue(tr, "a", "before", "");
        assertThat(get(tr, "a")).startsWith("before");
    }

    /** The rows up to the limit do not depend on where exactly the other end is. */
    @Test
    void aLimitedRangeIsReadWhoseOtherEndLiesBehindWhatIsUnreadable() {
        given("b", "B", "e", "E");
        KeySelector behind = KeySelector.firstGreaterOrEqual(key("c")).add(1);
        Transaction tr = begin();
        tr.set(key("e"), bytes("own"));
        tr.clear(key("f"), key("h"));
        tr.mutate(SET_VERSIONSTAMPED_KEY, VersionstampOperands.operand(key("v"), bytes("")), bytes(""));
        KeySelector begin = KeySelector.firstGreaterOrEqual(key("a"));
        assertThat(rows(tr.snapshot().getRange(KeySelector.firstGreaterThan(key("c")), behind, 1, true)))
                .containsExactly("e=own");
        assertThat(rows(tr.getRange(begin, behind.add(2), 2))).containsExactly("b=B", "e=own");
        assertFailsWith(UNREADABLE, tr.getRange(begin, behind.add(2), 3).asList());
        assertFailsWith(UNREADABLE, tr.getRange(begin, behind.add(2), 1, true).asList());
    }

    /** The client compares the two ends as soon as it has counted over its own keys, before it fetches anything. */
    @ParameterizedTest
    @CsvSource({"a, 2, a, 3", "f, 3, f, 4", "ee, 3, d, 4"})
    void anEmptyRangeIsReadWhoseEndsLieBehindWhatIsUnreadable(
            String beginBase, int beginOffset, String endBase, int endOffset) {
        KeySelector begin = new KeySelector(key(beginBase), true, beginOffset);
        KeySelector end = new KeySelector(key(endBase), false, endOffset);
        Transaction tr = begin();
        set(tr, endBase, "");
        stampValue(tr, "wde", "", "");
        stampKey(tr, "v", "", "");
        assertThat(rows(tr.getRange(begin, end, 0, true))).isEmpty();
        assertThat(rows(tr.getRange(begin, end, 0, false))).isEmpty();
        assertThat(rows(tr.snapshot().getRange(begin, end, 0, true))).isEmpty();
        assertThat(rows(tr.snapshot().getRange(begin, end, 0, false))).isEmpty();
        tr.close();
    }

    @Test
    void aStampedKeyIsUnreadableWhereAnotherMayComeToLie() {
        stampOf(other -> stampKey(other, "v", "", ""));
        KeySelector begin = new KeySelector(key("b"), true, 1);
        KeySelector end = new KeySelector(key("g\u00ff"), false, 2);
        Transaction tr = begin();
        stampKey(tr, "v", "", "");
        assertFailsWith(UNREADABLE, tr.getRange(begin, end, 6, true).asList());
        assertFailsWith(UNREADABLE, tr.getRange(begin, end, 6, false).asList());
        tr.close();
    }

    @Test
    void noSelectorStepsOverWhatIsUnreadable() {
        given("a", "A", "m", "M", "z", "Z");
        Transaction tr = begin();
        stampValue(tr, "m", "", "");
        assertFailsWith(UNREADABLE, tr.getKey(KeySelector.firstGreaterThan(key("a"))));
        assertFailsWith(UNREADABLE, tr.getKey(KeySelector.lastLessThan(key("z"))));
        assertFailsWith(UNREADABLE, tr.getRange(range("a", "zz"), 0, true).asList());
        assertThat(rows(tr.getRange(range("a", "zz"), 1))).containsExactly("a=A");
        assertThat(rows(tr.getRange(range("a", "zz"), 1, true))).containsExactly("z=Z");
    }

    @Test
    void aReaderOfTheRangeConflictsWithAStampedKey() {
        Transaction tr = beginNow();
        rows(tr.getRange(Range.startsWith(key("k"))));
        set(tr, "mark", "");
        stampOf(other -> stampKey(other, "k", "", ""));
        assertFailsWith(CONFLICT, tr.commit());
    }

    @Test
    void anOffsetOutsideTheOperandIsAnError() {
        Transaction tr = begin();
        tr.mutate(
                SET_VERSIONSTAMPED_VALUE,
                key("a"),
                ByteArrayUtil.join(VersionstampOperands.PLACEHOLDER, VersionstampOperands.offset(1)));
        assertFailsWith(2000, tr.commit());
        Transaction other = begin();
        other.mutate(
                SET_VERSIONSTAMPED_KEY, ByteArrayUtil.join(key("a"), VersionstampOperands.offset(1_000)), bytes(""));
        assertFailsWith(2000, other.commit());
        Transaction negative = begin();
        negative.mutate(
                SET_VERSIONSTAMPED_VALUE,
                key("a"),
                ByteArrayUtil.join(VersionstampOperands.PLACEHOLDER, VersionstampOperands.offset(-1)));
        assertFailsWith(2000, negative.commit());
        Transaction without = begin();
        without.mutate(SET_VERSIONSTAMPED_VALUE, key("a"), bytes("abc"));
        assertFailsWith(2000, without.commit());
    }

    private byte[] stampOf(Consumer<Transaction> writes) {
        return await(database().run(tr -> {
            writes.accept(tr);
            return tr.getVersionstamp();
        }));
    }

    private void stampKey(Transaction tr, String before, String after, String value) {
        tr.mutate(SET_VERSIONSTAMPED_KEY, VersionstampOperands.operand(key(before), bytes(after)), bytes(value));
    }

    private void stampValue(Transaction tr, String name, String before, String after) {
        tr.mutate(SET_VERSIONSTAMPED_VALUE, key(name), VersionstampOperands.operand(bytes(before), bytes(after)));
    }

    private byte[] value(String name) {
        return database().read(tr -> await(tr.get(key(name))));
    }

    private List<KeyValue> rows(String prefix) {
        return database()
                .read(tr -> await(tr.getRange(Range.startsWith(key(prefix))).asList()));
    }

    private KeyValue onlyRow() {
        List<KeyValue> rows = rows("");
        assertThat(rows).hasSize(1);
        return rows.get(0);
    }

    /** The stamp of a key that {@link #stampKey} made with a prefix of one letter. */
    private static byte[] stampIn(KeyValue row) {
        int begin = new PrefixKeys().key("k").length;
        return Arrays.copyOfRange(row.getKey(), begin, begin + VersionstampOperands.LENGTH);
    }
}
