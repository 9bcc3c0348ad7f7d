package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import org.junit.jupiter.api.Test;

/** Sets, clears and what a commit makes of them. */
class WritesContract extends FdbContract {

    @Test
    void theLastSetOfAKeyWins() {
        commit(tr -> {
            set(tr, "a", "1");
            set(tr, "a", "2");
        });
        assertThat(committed("a")).isEqualTo("2");
    }

    @Test
    void clearRemovesOneKey() {
        given("a", "1", "a\0", "2", "b", "3");
        commit(tr -> tr.clear(key("a")));
        assertThat(committed()).containsExactly("a\0=2", "b=3");
    }

    @Test
    void clearingAMissingKeyChangesNothing() {
        given("a", "1");
        commit(tr -> tr.clear(key("b")));
        assertThat(committed()).containsExactly("a=1");
    }

    @Test
    void aClearedRangeIncludesItsBeginAndExcludesItsEnd() {
        given("a", "1", "b", "2", "b5", "3", "c", "4", "d", "5");
        commit(tr -> tr.clear(key("b"), key("d")));
        assertThat(committed()).containsExactly("a=1", "d=5");
    }

    @Test
    void anEmptyRangeClearsNothing() {
        given("a", "1");
        commit(tr -> tr.clear(key("a"), key("a")));
        assertThat(committed()).containsExactly("a=1");
    }

    @Test
    void aRangeThatStartsWithAPrefixClearsThatPrefixOnly() {
        given("a", "1", "b", "2", "b\u00ff", "3", "c", "4");
        commit(tr -> tr.clear(Range.startsWith(key("b"))));
        assertThat(committed()).containsExactly("a=1", "c=4");
    }

    @Test
    void writesApplyInTheOrderTheyWereMade() {
        given("a", "old", "b", "old", "c", "old");
        commit(tr -> {
            set(tr, "a", "1");
            tr.clear(range("a", "c"));
            set(tr, "b", "2");
            tr.clear(key("c"));
            tr.mutate(MutationType.ADD, key("c"), bytes("3"));
        });
        assertThat(committed()).containsExactly("b=2", "c=3");
    }

    @Test
    void nothingIsVisibleBeforeCommit() {
        Transaction tr = begin();
        set(tr, "a", "1");
        assertThat(committed("a")).isNull();
    }

    @Test
    void aTransactionThatIsClosedWithoutCommitLeavesNothing() {
        try (Transaction tr = database().createTransaction()) {
            set(tr, "a", "1");
            assertThat(get(tr, "a")).isEqualTo("1");
        }
        assertThat(committed("a")).isNull();
    }

    @Test
    void allWritesOfACommitAppearTogether() {
        given("a", "0", "b", "0");
        for (int i = 1; i <= 20; i++) {
            Transaction before = beginNow();
            given("a", "" + i, "b", "" + i);
            assertThat(get(before, "a")).isEqualTo(get(before, "b"));
            Transaction after = beginNow();
            assertThat(get(after, "a")).isEqualTo(get(after, "b")).isEqualTo("" + i);
        }
    }

    @Test
    void theCallersArraysMayBeReusedAfterTheCall() {
        byte[] key = key("a");
        byte[] value = bytes("1");
        commit(tr -> {
            tr.set(key, value);
            key[key.length - 1] = 'b';
            value[0] = '2';
            assertThat(rows(tr.getRange(prefixKeys().all()))).containsExactly("a=1");
            key[key.length - 1] = 'a';
            value[0] = '1';
        });
        assertThat(committed()).containsExactly("a=1");
    }

    @Test
    void aThousandRowsFitInOneTransaction() {
        commit(tr -> {
            for (int i = 0; i < 1_000; i++) {
                set(tr, "%04d".formatted(i), "x".repeat(1_000));
            }
        });
        assertThat(committed()).hasSize(1_000);
    }

    @Test
    void nullKeysAndValuesAreRefused() {
        Transaction tr = begin();
        assertThatThrownBy(() -> tr.set(missing(), bytes("1"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tr.set(key("a"), missing())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tr.clear(missing(), key("a"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tr.mutate(MutationType.ADD, key("a"), missing()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @SuppressWarnings("NullAway") // The point of the test.
    private static byte[] missing() {
        return null;
    }
}
