package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.async.AsyncIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Range reads: bounds, limits, both directions, streaming modes and the iterator. */
class RangesContract extends FdbContract {

    private static final int MANY = 2_000;

    @BeforeEach
    void fill() {
        given("b", "B", "d", "D", "f", "F", "h", "H");
    }

    @Test
    void aRangeIncludesItsBeginAndExcludesItsEnd() {
        Transaction tr = begin();
        assertThat(rows(tr.getRange(key("b"), key("f")))).containsExactly("b=B", "d=D");
        assertThat(rows(tr.getRange(key("b\0"), key("f\0")))).containsExactly("d=D", "f=F");
        assertThat(rows(tr.getRange(new Range(key("c"), key("c5"))))).isEmpty();
    }

    @Test
    void anEmptyOrInvertedRangeHasNoRows() {
        Transaction tr = begin();
        assertThat(rows(tr.getRange(key("d"), key("d")))).isEmpty();
        assertThat(rows(tr.getRange(key("f"), key("b")))).isEmpty();
        assertThat(rows(tr.getRange(key("f"), key("b"), 2, true))).isEmpty();
    }

    @Test
    void aLimitTakesTheFirstRowsOfTheDirection() {
        Transaction tr = begin();
        assertThat(rows(tr.getRange(prefixKeys().all(), 2))).containsExactly("b=B", "d=D");
        assertThat(rows(tr.getRange(prefixKeys().all(), 2, true))).containsExactly("h=H", "f=F");
        assertThat(rows(tr.getRange(prefixKeys().all(), 9))).hasSize(4);
        assertThat(rows(tr.getRange(prefixKeys().all(), ReadTransaction.ROW_LIMIT_UNLIMITED)))
                .hasSize(4);
    }

    @Test
    void reverseIsTheSameRowsBackwards() {
        Transaction tr = begin();
        assertThat(rows(tr.getRange(key("d"), key("h"), 0, true))).containsExactly("f=F", "d=D");
    }

    @Test
    void selectorsMayBoundARange() {
        Transaction tr = begin();
        assertThat(rows(tr.getRange(KeySelector.lastLessThan(key("f")), KeySelector.firstGreaterThan(key("f")))))
                .containsExactly("d=D", "f=F");
        assertThat(rows(tr.getRange(from("b").add(1), from("h").add(-1)))).containsExactly("d=D");
        assertThat(rows(tr.getRange(from("a").add(2), from("z"), 1))).containsExactly("f=F");
        assertThat(rows(tr.getRange(from("c"), KeySelector.lastLessOrEqual(key("g")))))
                .containsExactly("d=D");
    }

    @Test
    void selectorsMayBoundAReverseRange() {
        Transaction tr = begin();
        assertThat(rows(tr.getRange(
                        KeySelector.lastLessThan(key("f")), KeySelector.firstGreaterThan(key("h")), 2, true)))
                .containsExactly("h=H", "f=F");
        assertThat(rows(tr.getRange(from("b").add(1), from("h").add(-1), 0, true)))
                .containsExactly("d=D");
    }

    @Test
    void selectorsThatResolveInTheWrongOrderGiveNoRows() {
        Transaction tr = begin();
        assertThat(rows(tr.getRange(from("b").add(2), from("f")))).isEmpty();
        assertThat(rows(tr.getRange(from("f"), from("h").add(-2)))).isEmpty();
    }

    @Test
    void selectorBoundsCountOwnWrites() {
        commit(tr -> {
            set(tr, "c", "1");
            tr.clear(key("d"));
            assertThat(rows(tr.getRange(from("b").add(1), from("z").add(-1)))).containsExactly("c=1", "f=F");
            assertThat(rows(tr.getRange(from("b").add(1), from("z").add(-1), 1, true)))
                    .containsExactly("f=F");
        });
    }

    @ParameterizedTest
    @EnumSource(StreamingMode.class)
    void everyStreamingModeGivesTheSameRows(StreamingMode mode) {
        List<String> expected = fillMany();
        Transaction tr = begin();
        List<String> seen = new ArrayList<>();
        for (KeyValue row : tr.getRange(key("m"), key("n"), MANY, false, mode)) {
            seen.add(prefixKeys().name(row.getKey()));
        }
        assertThat(seen).isEqualTo(expected);
        assertThat(await(tr.getRange(key("m"), key("n"), MANY, false, mode).asList()))
                .hasSize(MANY);
    }

    @ParameterizedTest
    @EnumSource(StreamingMode.class)
    void everyStreamingModeHonoursTheLimitBackwards(StreamingMode mode) {
        List<String> expected = fillMany();
        List<String> seen = new ArrayList<>();
        for (KeyValue row : begin().getRange(key("m"), key("n"), 700, true, mode)) {
            seen.add(prefixKeys().name(row.getKey()));
        }
        assertThat(seen).hasSize(700).startsWith(expected.get(MANY - 1)).endsWith(expected.get(MANY - 700));
    }

    private List<String> fillMany() {
        List<String> names =
                IntStream.range(0, MANY).mapToObj("m%05d"::formatted).toList();
        commit(tr -> names.forEach(name -> set(tr, name, "x".repeat(100))));
        return names;
    }

    @Test
    void exactModeNeedsALimit() {
        assertFailsWith(
                2210,
                begin().getRange(prefixKeys().all(), 0, false, StreamingMode.EXACT)
                        .asList());
    }

    @Test
    void exactModeWithoutALimitIsTheErrorEvenOfACancelledTransaction() {
        Transaction tr = begin();
        tr.cancel();
        assertFailsWith(
                2210,
                tr.getRange(prefixKeys().all(), 0, false, StreamingMode.EXACT).asList());
    }

    @Test
    void hasNextDoesNotConsumeAndNextDoesNotNeedIt() {
        AsyncIterator<KeyValue> rows = begin().getRange(prefixKeys().all()).iterator();
        assertThat(rows.hasNext()).isTrue();
        assertThat(rows.hasNext()).isTrue();
        assertThat(prefixKeys().name(rows.next().getKey())).isEqualTo("b");
        assertThat(prefixKeys().name(rows.next().getKey())).isEqualTo("d");
        assertThat(await(rows.onHasNext())).isTrue();
    }

    @Test
    void theEndOfARangeHasNoNext() {
        AsyncIterator<KeyValue> rows = begin().getRange(prefixKeys().all(), 1).iterator();
        rows.next();
        assertThat(rows.hasNext()).isFalse();
        assertThat(await(rows.onHasNext())).isFalse();
        assertThatThrownBy(rows::next).satisfies(e -> assertThat(e.toString()).contains("NoSuchElementException"));
    }

    @Test
    void aRangeCanBeIteratedAgain() {
        var range = begin().getRange(prefixKeys().all());
        assertThat(rows(range)).hasSize(4);
        assertThat(rows(range)).hasSize(4);
        assertThat(range.iterator().next().getValue()).isEqualTo(bytes("B"));
    }

    @Test
    void aCancelledIteratorRefusesToGoOn() {
        AsyncIterator<KeyValue> rows = begin().getRange(prefixKeys().all()).iterator();
        rows.next();
        rows.cancel();
        assertThatThrownBy(rows::next).isInstanceOf(CancellationException.class);
        assertThatThrownBy(rows::onHasNext).isInstanceOf(CancellationException.class);
    }

    @Test
    void aRangeReadSeesTheVersionOfItsTransaction() {
        Transaction tr = beginNow();
        given("a", "late", "b", "late");
        commit(other -> other.clear(key("f")));

        assertThat(rows(tr.getRange(prefixKeys().all()))).containsExactly("b=B", "d=D", "f=F", "h=H");
    }

    @Test
    void rowsLargerThanABatchArriveWhole() {
        commit(tr -> {
            for (int i = 0; i < 20; i++) {
                set(tr, "large" + (char) ('a' + i), ("" + i).repeat(40_000));
            }
        });
        List<KeyValue> rows =
                await(begin().getRange(Range.startsWith(key("large"))).asList());
        assertThat(rows).hasSize(20);
        assertThat(text(rows.get(11).getValue())).isEqualTo("11".repeat(40_000));
    }
}
