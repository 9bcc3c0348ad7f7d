package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import org.junit.jupiter.api.Test;

/** Conflict ranges that a transaction declares, and those that it leaves out. */
class DeclaredConflictsContract extends ConcurrentContract {

    @Test
    void aDeclaredReadConflictCountsAsARead() {
        assertConflict(tr -> tr.addReadConflictKey(key("b")), other -> set(other, "b", "1"));
        assertConflict(tr -> tr.addReadConflictRange(key("c"), key("e")), other -> other.clear(key("d")));
        assertNoConflict(tr -> tr.addReadConflictRange(key("c"), key("e")), other -> set(other, "e", "1"));
    }

    @Test
    void aDeclaredReadConflictIsLikeAReadWhereOwnWritesDetermineTheKey() {
        assertNoConflict(
                tr -> {
                    set(tr, "b", "own");
                    tr.addReadConflictKey(key("b"));
                },
                other -> set(other, "b", "1"));
        assertConflict(
                tr -> {
                    tr.addReadConflictKey(key("b"));
                    set(tr, "b", "own");
                },
                other -> set(other, "b", "1"));
    }

    @Test
    void aDeclaredWriteConflictCountsAsAWrite() {
        assertConflict(tr -> get(tr, "b"), other -> other.addWriteConflictKey(key("b")));
        assertConflict(tr -> get(tr, "d"), other -> other.addWriteConflictRange(key("c"), key("e")));
        assertNoConflict(tr -> get(tr, "e"), other -> other.addWriteConflictRange(key("c"), key("e")));
    }

    @Test
    void aDeclaredWriteConflictMakesATransactionConflict() {
        Transaction tr = beginNow();
        get(tr, "b");
        tr.addWriteConflictKey(key("x"));
        given("b", "1");
        assertFailsWith(CONFLICT, tr.commit());
    }

    @Test
    void aDeclaredWriteConflictAloneIsCommittedAtAVersion() {
        Transaction tr = beginNow();
        tr.addWriteConflictKey(key("x"));
        await(tr.commit());
        assertThat(tr.getCommittedVersion()).isGreaterThan(await(tr.getReadVersion()));
    }

    @Test
    void aWriteWithoutConflictRangeStillMakesItsOwnTransactionConflict() {
        Transaction tr = beginNow();
        get(tr, "b");
        tr.options().setNextWriteNoWriteConflictRange();
        set(tr, "x", "1");
        given("b", "1");
        assertFailsWith(CONFLICT, tr.commit());
    }

    @Test
    void aWriteWithoutConflictRangeGoesUnnoticed() {
        assertNoConflict(tr -> get(tr, "b"), other -> {
            other.options().setNextWriteNoWriteConflictRange();
            set(other, "b", "1");
        });
        assertNoConflict(tr -> get(tr, "b"), other -> {
            other.options().setNextWriteNoWriteConflictRange();
            other.clear(range("a", "c"));
        });
        assertThat(committed("b")).isNull();
    }

    @Test
    void onlyTheNextWriteIsWithoutConflictRange() {
        assertConflict(tr -> get(tr, "d"), other -> {
            other.options().setNextWriteNoWriteConflictRange();
            set(other, "b", "1");
            set(other, "d", "1");
        });
    }
}
