package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.MutationType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads merge the snapshot with what the transaction has written so far. */
class ReadYourWritesContract extends FdbContract {

    @BeforeEach
    void fill() {
        given("b", "B", "d", "D", "f", "F", "h", "H");
    }

    @Test
    void aSetIsRead() {
        commit(tr -> {
            set(tr, "b", "1");
            set(tr, "new", "2");
            assertThat(get(tr, "b")).isEqualTo("1");
            assertThat(get(tr, "new")).isEqualTo("2");
        });
    }

    @Test
    void aClearIsRead() {
        commit(tr -> {
            tr.clear(key("b"));
            assertThat(get(tr, "b")).isNull();
            set(tr, "b", "again");
            assertThat(get(tr, "b")).isEqualTo("again");
        });
    }

    @Test
    void aClearedRangeIsRead() {
        commit(tr -> {
            set(tr, "c", "1");
            tr.clear(range("b", "f"));
            assertThat(get(tr, "b")).isNull();
            assertThat(get(tr, "c")).isNull();
            assertThat(get(tr, "f")).isEqualTo("F");
        });
    }

    @Test
    void anAtomicOperationIsFoldedIntoTheSnapshot() {
        commit(tr -> {
            tr.mutate(MutationType.BYTE_MAX, key("b"), bytes("Z"));
            assertThat(get(tr, "b")).isEqualTo("Z");
            assertThat(get(tr, "d")).isEqualTo("D");
        });
    }

    @Test
    void atomicOperationsFoldInOrder() {
        commit(tr -> {
            tr.mutate(MutationType.APPEND_IF_FITS, key("b"), bytes("1"));
            tr.mutate(MutationType.BYTE_MAX, key("b"), bytes("A"));
            tr.mutate(MutationType.APPEND_IF_FITS, key("b"), bytes("2"));
            assertThat(get(tr, "b")).isEqualTo("B12");
            tr.mutate(MutationType.COMPARE_AND_CLEAR, key("b"), bytes("B12"));
            assertThat(get(tr, "b")).isNull();
        });
        assertThat(committed("b")).isNull();
    }

    @Test
    void aReadMadeBeforeAWriteKeepsItsResult() {
        commit(tr -> {
            var before = tr.get(key("b"));
            set(tr, "b", "1");
            assertThat(text(await(before))).isEqualTo("B");
            assertThat(get(tr, "b")).isEqualTo("1");
        });
    }

    @Test
    void aRangeMergesSetsAndClears() {
        commit(tr -> {
            set(tr, "a", "1");
            set(tr, "d", "2");
            tr.clear(key("f"));
            set(tr, "z", "3");
            assertThat(rows(tr.getRange(prefixKeys().all()))).containsExactly("a=1", "b=B", "d=2", "h=H", "z=3");
            assertThat(rows(tr.getRange(prefixKeys().all(), 0, true)))
                    .containsExactly("z=3", "h=H", "d=2", "b=B", "a=1");
        });
    }

    @Test
    void limitsCountMergedRows() {
        commit(tr -> {
            tr.clear(range("b", "e"));
            set(tr, "c", "1");
            set(tr, "g", "2");
            assertThat(rows(tr.getRange(prefixKeys().all(), 3))).containsExactly("c=1", "f=F", "g=2");
            assertThat(rows(tr.getRange(prefixKeys().all(), 3, true))).containsExactly("h=H", "g=2", "f=F");
        });
    }

    @Test
    void aLimitReachesOverAClearedStretch() {
        commit(tr -> {
            tr.clear(range("b", "h"));
            assertThat(rows(tr.getRange(prefixKeys().all(), 1))).containsExactly("h=H");
        });
    }

    @Test
    void aClearAfterAFirstReadIsSeenByTheNext() {
        commit(tr -> {
            assertThat(rows(tr.getRange(prefixKeys().all()))).hasSize(4);
            tr.clear(range("d", "g"));
            assertThat(rows(tr.getRange(prefixKeys().all()))).containsExactly("b=B", "h=H");
        });
    }

    @Test
    void anAtomicOperationAppearsInRanges() {
        commit(tr -> {
            tr.mutate(MutationType.ADD, key("e"), bytes("1"));
            tr.mutate(MutationType.COMPARE_AND_CLEAR, key("d"), bytes("D"));
            tr.mutate(MutationType.COMPARE_AND_CLEAR, key("f"), bytes("other"));
            assertThat(rows(tr.getRange(range("c", "g")))).containsExactly("e=1", "f=F");
        });
        assertThat(committed()).containsExactly("b=B", "e=1", "f=F", "h=H");
    }

    @Test
    void selectorsStepOverOwnWrites() {
        commit(tr -> {
            set(tr, "c", "1");
            tr.clear(key("d"));
            assertThat(getKey(tr, KeySelector.firstGreaterThan(key("b")))).isEqualTo("c");
            assertThat(getKey(tr, KeySelector.firstGreaterThan(key("b")).add(1)))
                    .isEqualTo("f");
            assertThat(getKey(tr, KeySelector.lastLessThan(key("f")))).isEqualTo("c");
            assertThat(getKey(tr, KeySelector.lastLessThan(key("f")).add(-1))).isEqualTo("b");
        });
    }

    @Test
    void aCompareAndClearThatMatchesHidesTheKeyFromSelectors() {
        commit(tr -> {
            tr.mutate(MutationType.COMPARE_AND_CLEAR, key("d"), bytes("D"));
            assertThat(getKey(tr, KeySelector.firstGreaterThan(key("b")))).isEqualTo("f");
            assertThat(getKey(tr, KeySelector.lastLessThan(key("f")))).isEqualTo("b");
        });
    }

    @Test
    void anIterationThatClearsItsRowsSeesEachOnce() {
        commit(tr -> {
            int seen = 0;
            var rows = tr.getRange(prefixKeys().all()).iterator();
            while (rows.hasNext()) {
                rows.next();
                rows.remove();
                seen++;
            }
            assertThat(seen).isEqualTo(4);
        });
        assertThat(committed()).isEmpty();
    }
}
