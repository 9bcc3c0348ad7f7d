package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Which reads conflict with which writes of others. */
class ConflictsContract extends ConcurrentContract {

    @Test
    void aKeyReadConflictsWithASetOfIt() {
        assertConflict(tr -> get(tr, "b"), other -> set(other, "b", "1"));
        assertConflict(tr -> get(tr, "missing"), other -> set(other, "missing", "1"));
    }

    @Test
    void evenASetToTheSameValueConflicts() {
        assertConflict(tr -> get(tr, "b"), other -> set(other, "b", "B"));
    }

    @Test
    void aKeyReadConflictsWithClearsAndAtomicOperations() {
        assertConflict(tr -> get(tr, "b"), other -> other.clear(key("b")));
        assertConflict(tr -> get(tr, "c"), other -> other.clear(range("a", "z")));
        assertConflict(tr -> get(tr, "b"), other -> other.mutate(MutationType.ADD, key("b"), bytes("\0")));
    }

    @Test
    void aKeyReadDoesNotConflictWithItsNeighbours() {
        assertNoConflict(tr -> get(tr, "b"), other -> {
            set(other, "a", "1");
            set(other, "b\0", "1");
            other.clear(range("b\0", "z"));
        });
    }

    @Test
    void aRangeReadConflictsWithRowsThatAppearVanishOrChange() {
        assertConflict(tr -> rows(tr.getRange(range("a", "e"))), other -> set(other, "c", "1"));
        assertConflict(tr -> rows(tr.getRange(range("a", "e"))), other -> other.clear(key("d")));
        assertConflict(tr -> rows(tr.getRange(range("a", "e"))), other -> set(other, "b", "1"));
        assertConflict(tr -> rows(tr.getRange(range("x", "y"))), other -> set(other, "x", "1"));
    }

    @Test
    void aRangeReadDoesNotConflictOutsideItsBounds() {
        assertNoConflict(tr -> rows(tr.getRange(range("b", "f"))), other -> {
            set(other, "a", "1");
            set(other, "f", "1");
            other.clear(range("f", "z"));
        });
    }

    /** A gap in the isolation of FoundationDB's client, which the embedded engine has, too. */
    @Test
    void aRangeReadThatStartsAtAKeyItsTransactionComparedAndClearedDoesNotConflictThere() {
        assertNoConflict(
                tr -> {
                    tr.mutate(MutationType.COMPARE_AND_CLEAR, key("d"), bytes("D"));
                    assertThat(rows(tr.getRange(from("d"), from("d").add(1)))).isEmpty();
                },
                other -> set(other, "d", "1"));
    }

    @Test
    void aLimitShortensWhatARangeReadConflictsWith() {
        assertNoConflict(tr -> rows(tr.getRange(range("a", "z"), 2)), other -> set(other, "d\0", "1"));
        assertConflict(tr -> rows(tr.getRange(range("a", "z"), 2)), other -> set(other, "d", "1"));
        assertConflict(tr -> rows(tr.getRange(range("a", "z"), 2)), other -> set(other, "a", "1"));
    }

    @Test
    void aLimitShortensAReverseRangeFromTheOtherSide() {
        assertNoConflict(tr -> rows(tr.getRange(range("a", "z"), 2, true)), other -> set(other, "e", "1"));
        assertConflict(tr -> rows(tr.getRange(range("a", "z"), 2, true)), other -> set(other, "f", "1"));
        assertConflict(tr -> rows(tr.getRange(range("a", "z"), 2, true)), other -> set(other, "x", "1"));
    }

    @Test
    void aLimitDoesNotShortenWhatTheFarBoundDependsOn() {
        assertConflict(
                tr -> rows(tr.getRange(
                        from("a"), KeySelector.lastLessThan(key("z")).add(-1), 1)),
                other -> other.clear(range("f", "z")));
        assertConflict(
                tr -> rows(tr.getRange(from("a").add(1), from("z"), 1, true)), other -> other.clear(range("a", "g")));
    }

    @Test
    void aLimitThatIsNotReachedShortensNothing() {
        assertConflict(tr -> rows(tr.getRange(range("a", "z"), 10)), other -> set(other, "x", "1"));
    }

    @Test
    void anIterationThatStopsEarlyConflictsOnlyWithWhatItFetched() {
        commit(tr -> {
            for (int i = 0; i < 500; i++) {
                set(tr, "row%03d".formatted(i), "x".repeat(1_000));
            }
        });
        Transaction one = beginNow();
        Transaction other = beginNow();
        one.getRange(range("row", "rox")).iterator().next();
        other.getRange(range("row", "rox")).iterator().next();
        set(one, "mark", "");
        set(other, "mark", "");

        given("row499", "changed");
        await(one.commit());
        given("row000", "changed");
        assertFailsWith(CONFLICT, other.commit());
    }

    @Test
    void aForwardSelectorConflictsFromItsBaseToItsResult() {
        Consumer<Transaction> read = tr -> getKey(tr, KeySelector.firstGreaterOrEqual(key("c")));
        assertConflict(read, other -> set(other, "c5", "1"));
        assertConflict(read, other -> other.clear(key("d")));
        assertNoConflict(read, other -> {
            set(other, "b", "1");
            set(other, "d\0", "1");
        });
    }

    @Test
    void aBackwardSelectorConflictsFromItsResultToItsBase() {
        Consumer<Transaction> read = tr -> getKey(tr, KeySelector.lastLessThan(key("e")));
        assertConflict(read, other -> set(other, "d5", "1"));
        assertConflict(read, other -> other.clear(key("d")));
        assertNoConflict(read, other -> {
            set(other, "c", "1");
            set(other, "e", "1");
        });
    }

    @Test
    void aSelectorThatExcludesItsBaseDoesNotConflictThere() {
        assertNoConflict(tr -> getKey(tr, KeySelector.firstGreaterThan(key("d"))), other -> set(other, "d", "1"));
        assertConflict(tr -> getKey(tr, KeySelector.lastLessOrEqual(key("d"))), other -> set(other, "d", "1"));
    }

    @Test
    void whatOwnWritesDetermineDoesNotConflict() {
        assertNoConflict(
                tr -> {
                    set(tr, "b", "own");
                    tr.clear(range("d", "g"));
                    get(tr, "b");
                    get(tr, "f");
                    rows(tr.getRange(range("d", "g")));
                },
                other -> {
                    set(other, "b", "1");
                    set(other, "e", "1");
                });
    }

    @Test
    void aRangeConflictsBetweenOwnWrites() {
        Consumer<Transaction> read = tr -> {
            set(tr, "c", "own");
            tr.clear(key("d"));
            rows(tr.getRange(range("b", "f")));
        };
        assertConflict(read, other -> set(other, "c5", "1"));
        assertNoConflict(read, other -> {
            set(other, "c", "1");
            set(other, "d", "1");
        });
    }

    @Test
    void aReadBeforeOwnWriteConflicts() {
        assertConflict(
                tr -> {
                    get(tr, "b");
                    set(tr, "b", "own");
                },
                other -> set(other, "b", "1"));
    }

    @Test
    void anAtomicOperationDoesNotConflictUntilItIsRead() {
        assertNoConflict(tr -> tr.mutate(MutationType.ADD, key("b"), bytes("\1")), other -> set(other, "b", "1"));
        assertConflict(
                tr -> {
                    tr.mutate(MutationType.ADD, key("b"), bytes("\1"));
                    get(tr, "b");
                },
                other -> set(other, "b", "1"));
    }

    @Test
    void anAtomicOperationOnAnOwnSetIsDetermined() {
        assertNoConflict(
                tr -> {
                    set(tr, "b", "0");
                    tr.mutate(MutationType.ADD, key("b"), bytes("\1"));
                    assertThat(get(tr, "b")).isEqualTo("1");
                },
                other -> set(other, "b", "x"));
    }

    @Test
    void blindWritesNeverConflict() {
        assertNoConflict(
                tr -> {
                    set(tr, "b", "1");
                    tr.clear(range("c", "z"));
                },
                other -> {
                    set(other, "b", "2");
                    set(other, "d", "2");
                });
    }

    @Test
    void aTransactionWithoutWritesNeverConflicts() {
        Transaction tr = beginNow();
        rows(tr.getRange(prefixKeys().all()));
        given("b", "1");
        await(tr.commit());
        assertThat(tr.getCommittedVersion()).isEqualTo(-1);
    }

    @Test
    void aTransactionThatFailedConflictsWithNobody() {
        assertNoConflict(tr -> get(tr, "x"), other -> {
            Transaction failed = beginNow();
            get(failed, "b");
            set(failed, "x", "1");
            given("b", "1");
            assertFailsWith(CONFLICT, failed.commit());
        });
    }

    @Test
    void aConflictLeavesNothingBehind() {
        Transaction tr = beginNow();
        get(tr, "b");
        set(tr, "x", "1");
        tr.clear(key("d"));
        given("b", "1");

        assertFailsWith(CONFLICT, tr.commit());
        assertThat(committed()).containsExactly("b=1", "d=D", "f=F", "h=H");
    }

    @Test
    void ofTwoThatReadWhatTheOtherWritesOneCommits() {
        Transaction one = beginNow();
        Transaction two = beginNow();
        get(one, "b");
        get(two, "d");
        set(one, "d", "1");
        set(two, "b", "2");

        await(one.commit());
        assertFailsWith(CONFLICT, two.commit());
    }
}
