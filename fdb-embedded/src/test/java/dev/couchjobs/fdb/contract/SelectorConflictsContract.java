package dev.couchjobs.fdb.contract;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** How far a read conflicts that walks over rows: selectors with offsets, and ranges that a limit or own writes cut. */
class SelectorConflictsContract extends ConcurrentContract {

    /** More steps than there are rows, whatever else a cluster holds. */
    private static final int FAR = 10_000;

    @Test
    void aForwardOffsetConflictsWithEveryRowItSteppedOver() {
        Consumer<Transaction> read = tr -> getKey(tr, from("c").add(2));
        assertConflict(read, other -> set(other, "c", ""));
        assertConflict(read, other -> other.clear(key("f")));
        assertConflict(read, other -> set(other, "g", ""));
        assertConflict(read, other -> set(other, "h", ""));
        assertNoConflict(read, other -> {
            set(other, "b9", "");
            set(other, "h\0", "");
        });
    }

    @Test
    void aBackwardOffsetConflictsWithEveryRowItSteppedOver() {
        Consumer<Transaction> read =
                tr -> getKey(tr, KeySelector.lastLessThan(key("g")).add(-1));
        assertConflict(read, other -> set(other, "f9", ""));
        assertConflict(read, other -> other.clear(key("f")));
        assertConflict(read, other -> set(other, "d", ""));
        assertNoConflict(read, other -> {
            set(other, "c9", "");
            set(other, "g", "");
        });
    }

    @Test
    void aSelectorThatRunsOffTheRowsConflictsWithRowsThatAppearThere() {
        Consumer<Transaction> forward = tr -> getKey(tr, from("h").add(5));
        assertConflict(forward, other -> set(other, "i", ""));
        assertNoConflict(forward, other -> set(other, "g", ""));
        Consumer<Transaction> backward = tr -> getKey(tr, from("b").add(-5));
        assertConflict(backward, other -> set(other, "a", ""));
        assertNoConflict(backward, other -> set(other, "b", ""));
    }

    @Test
    void aSelectorThatFindsAnOwnRowConflictsOnlyBeforeIt() {
        Consumer<Transaction> read = tr -> {
            set(tr, "c5", "own");
            getKey(tr, from("c"));
        };
        assertConflict(read, other -> set(other, "c3", ""));
        assertNoConflict(read, other -> {
            set(other, "c5", "");
            other.clear(key("d"));
        });
    }

    @Test
    void aSelectorThatSkipsAnOwnClearConflictsOnlyAroundIt() {
        Consumer<Transaction> read = tr -> {
            tr.clear(range("c", "g"));
            getKey(tr, from("b5"));
        };
        assertConflict(read, other -> set(other, "b7", ""));
        assertConflict(read, other -> set(other, "g5", ""));
        assertConflict(read, other -> other.clear(key("h")));
        assertNoConflict(read, other -> set(other, "e", ""));
        assertNoConflict(read, other -> other.clear(range("c", "g")));
    }

    @Test
    void aBackwardSelectorThatFindsAnOwnRowConflictsOnlyBehindIt() {
        Consumer<Transaction> read = tr -> {
            set(tr, "e", "own");
            getKey(tr, KeySelector.lastLessThan(key("f")));
        };
        assertConflict(read, other -> set(other, "e5", ""));
        assertNoConflict(read, other -> {
            set(other, "e", "");
            other.clear(key("d"));
        });
    }

    @Test
    void aSelectorThatFindsAnOwnAtomicOperationConflictsWithItsKey() {
        assertConflict(
                tr -> {
                    tr.mutate(MutationType.ADD, key("d"), bytes("\1"));
                    getKey(tr, from("c"));
                },
                other -> other.clear(key("d")));
    }

    @Test
    void aLimitedRangeOfOwnRowsConflictsWithNothing() {
        assertNoConflict(
                tr -> {
                    set(tr, "c", "own");
                    rows(tr.getRange(range("c", "z"), 1));
                },
                other -> other.clear(range("a", "z")));
        assertNoConflict(
                tr -> {
                    set(tr, "x", "own");
                    rows(tr.getRange(range("a", "x\0"), 1, true));
                },
                other -> other.clear(range("a", "z")));
    }

    @Test
    void aLimitCountsOwnRowsBeforeItCutsTheConflict() {
        Consumer<Transaction> forward = tr -> {
            set(tr, "c", "own");
            rows(tr.getRange(range("a", "z"), 2));
        };
        assertConflict(forward, other -> set(other, "a", ""));
        assertConflict(forward, other -> set(other, "b5", ""));
        assertNoConflict(forward, other -> set(other, "c5", ""));
        Consumer<Transaction> backward = tr -> {
            set(tr, "g", "own");
            rows(tr.getRange(range("a", "z"), 2, true));
        };
        assertConflict(backward, other -> set(other, "i", ""));
        assertConflict(backward, other -> set(other, "g5", ""));
        assertNoConflict(backward, other -> set(other, "f", ""));
    }

    @Test
    void aLimitedRangeOverAnOwnClearConflictsOnlyWhereItIsNotCleared() {
        Consumer<Transaction> read = tr -> {
            tr.clear(range("b", "e"));
            rows(tr.getRange(range("a", "z"), 1));
        };
        assertConflict(read, other -> set(other, "a", ""));
        assertConflict(read, other -> set(other, "e", ""));
        assertConflict(read, other -> set(other, "f", ""));
        assertNoConflict(read, other -> {
            set(other, "c", "");
            set(other, "g", "");
        });
    }

    @Test
    void boundsThatHaveCrossedConflictOnlyBetweenTheirBases() {
        assertConflictOnlyBetweenBases(from("c").add(FAR), from("f"));
        assertConflictOnlyBetweenBases(from("c").add(FAR), from("f").add(1));
        assertConflictOnlyBetweenBases(from("c").add(FAR), from("f").add(FAR - 100));
        assertConflictOnlyBetweenBases(from("c").add(FAR), from("f").add(-FAR));
        assertConflictOnlyBetweenBases(from("c").add(-1), from("f").add(-FAR));
        assertConflictOnlyBetweenBases(from("c").add(-FAR + 100), from("f").add(-FAR));
    }

    /** {@code c} and {@code f} are the bases. */
    private void assertConflictOnlyBetweenBases(KeySelector begin, KeySelector end) {
        for (boolean reverse : new boolean[] {false, true}) {
            Consumer<Transaction> read =
                    tr -> rows(tr.getRange(begin, end, ReadTransaction.ROW_LIMIT_UNLIMITED, reverse));
            assertConflict(read, other -> set(other, "c", ""));
            assertConflict(read, other -> set(other, "e", ""));
            assertNoConflict(read, other -> {
                set(other, "b", "");
                set(other, "f", "");
            });
        }
    }

    @Test
    void boundsThatLeaveTheRowsOnTheSameSideConflictUpToThere() {
        assertConflict(
                tr -> rows(tr.getRange(from("c").add(FAR - 100), from("f").add(FAR))), other -> set(other, "i", ""));
        assertConflict(
                tr -> rows(tr.getRange(from("c").add(-FAR), from("f").add(-FAR + 100))), other -> set(other, "a", ""));
    }

    @Test
    void anEmptyOrInvertedRangeConflictsWithNothing() {
        assertNoConflict(
                tr -> {
                    rows(tr.getRange(range("d", "d")));
                    rows(tr.getRange(range("f", "b")));
                },
                other -> other.clear(range("a", "z")));
    }
}
