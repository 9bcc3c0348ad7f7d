package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * How a key selector becomes a key. What lies outside the prefix is not ours: a selector that runs off its end is only
 * known to be beyond our own neighbours.
 */
class SelectorsContract extends FdbContract {

    private static final byte[] FIRST_KEY = {};
    private static final byte[] END_OF_KEYS = {(byte) 0xff};

    @BeforeEach
    void fill() {
        given("b", "", "d", "", "f", "", "h", "");
    }

    @Test
    void firstGreaterOrEqualFindsTheKeyItselfOrTheNext() {
        assertResolves(KeySelector.firstGreaterOrEqual(key("d")), "d");
        assertResolves(KeySelector.firstGreaterOrEqual(key("d\0")), "f");
        assertResolves(KeySelector.firstGreaterOrEqual(key("a")), "b");
    }

    /**
     * As seen on 7.3.69: the client counts every key that it calculates with, and finds out later that it has no value.
     */
    @Test
    void aKeyThatCompareAndClearRemovesIsCountedUntilTheCommit() {
        Transaction tr = begin();
        tr.mutate(MutationType.COMPARE_AND_CLEAR, key("d"), bytes(""));
        assertThat(selected(tr, KeySelector.firstGreaterOrEqual(key("b")).add(1)))
                .isEqualTo("f");
        assertThat(selected(tr, KeySelector.firstGreaterOrEqual(key("b")).add(2)))
                .isEqualTo("f");
        assertThat(selected(tr, KeySelector.firstGreaterOrEqual(key("b")).add(3)))
                .isEqualTo("h");
        assertThat(selected(tr, KeySelector.lastLessThan(key("f")))).isEqualTo("b");
        assertThat(selected(tr, KeySelector.lastLessThan(key("h")).add(-1))).isEqualTo("b");
        assertThat(rows(
                        tr,
                        KeySelector.firstGreaterOrEqual(key("b")),
                        KeySelector.firstGreaterOrEqual(key("b")).add(2)))
                .containsExactly("b");
        await(tr.commit());
        assertThat(selected(begin(), KeySelector.firstGreaterOrEqual(key("b")).add(2)))
                .isEqualTo("h");
    }

    @Test
    void aKeyThatIsNotThereIsCountedOnceItHasBeenComparedToBeCleared() {
        Transaction tr = begin();
        tr.mutate(MutationType.COMPARE_AND_CLEAR, key("c"), bytes("x"));
        assertThat(selected(tr, KeySelector.firstGreaterOrEqual(key("b")).add(2)))
                .isEqualTo("d");
        tr.clear(key("c"));
        assertThat(selected(tr, KeySelector.firstGreaterOrEqual(key("b")).add(2)))
                .isEqualTo("f");
    }

    private String selected(Transaction tr, KeySelector selector) {
        return prefixKeys().name(await(tr.getKey(selector)));
    }

    private List<String> rows(Transaction tr, KeySelector begin, KeySelector end) {
        return await(tr.getRange(begin, end).asList()).stream()
                .map(row -> prefixKeys().name(row.getKey()))
                .toList();
    }

    @Test
    void firstGreaterThanSkipsTheKeyItself() {
        assertResolves(KeySelector.firstGreaterThan(key("d")), "f");
        assertResolves(KeySelector.firstGreaterThan(key("c")), "d");
    }

    @Test
    void lastLessOrEqualFindsTheKeyItselfOrThePrevious() {
        assertResolves(KeySelector.lastLessOrEqual(key("d")), "d");
        assertResolves(KeySelector.lastLessOrEqual(key("e")), "d");
    }

    @Test
    void lastLessThanSkipsTheKeyItself() {
        assertResolves(KeySelector.lastLessThan(key("d")), "b");
        assertResolves(KeySelector.lastLessThan(key("z")), "h");
    }

    @Test
    void offsetsStepForwardAndBack() {
        assertResolves(from("b").add(2), "f");
        assertResolves(from("h").add(-2), "d");
        assertResolves(KeySelector.lastLessThan(key("f")).add(2), "h");
        assertResolves(KeySelector.firstGreaterThan(key("b")).add(-1), "b");
    }

    @Test
    void offsetsRunOffTheEndsOfThePrefix() {
        assertResolves(from("h").add(1), ">");
        assertResolves(KeySelector.lastLessThan(key("b")), "<");
        assertResolves(from("b").add(10), ">");
        assertResolves(from("b").add(-10), "<");
    }

    @Test
    void theEndsOfTheDatabaseBoundEverySelector() {
        Transaction tr = begin();
        assertThat(await(tr.getKey(KeySelector.lastLessThan(FIRST_KEY)))).isEqualTo(FIRST_KEY);
        assertThat(await(tr.getKey(KeySelector.firstGreaterOrEqual(END_OF_KEYS))))
                .isEqualTo(END_OF_KEYS);
        assertThat(await(tr.getKey(KeySelector.firstGreaterThan(END_OF_KEYS)))).isEqualTo(END_OF_KEYS);
        byte[] last = await(tr.getKey(KeySelector.lastLessThan(END_OF_KEYS)));
        assertThat(ByteArrayUtil.compareUnsigned(last, key("h"))).isNotNegative();
    }

    @Test
    void aClearedKeyIsSteppedOver() {
        commit(tr -> tr.clear(key("d")));
        assertResolves(from("c"), "f");
        assertResolves(KeySelector.lastLessThan(key("f")), "b");
    }

    @Test
    void snapshotReadsResolveTheSame() {
        Transaction tr = begin();
        set(tr, "e", "");
        assertThat(getKey(tr.snapshot(), KeySelector.firstGreaterThan(key("d"))))
                .isEqualTo("e");
        assertThat(getKey(tr, KeySelector.firstGreaterThan(key("d")))).isEqualTo("e");
    }

    @Test
    void selectorsSeeTheVersionOfTheirTransaction() {
        Transaction tr = beginNow();
        given("c", "");
        assertThat(getKey(tr, KeySelector.firstGreaterThan(key("b")))).isEqualTo("d");
    }

    private void assertResolves(KeySelector selector, String expected) {
        assertThat(getKey(begin(), selector)).isEqualTo(expected);
    }
}
