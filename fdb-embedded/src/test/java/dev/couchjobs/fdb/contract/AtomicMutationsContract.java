package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What each atomic operation makes of a value, wherever it is folded. */
class AtomicMutationsContract extends FdbContract {

    /** Before, operation and operand, after; null stands for a missing key. */
    record Example(
            MutationType type,
            @Nullable String before,
            String operand,
            @Nullable String after) {
        @Override
        public String toString() {
            return type + " " + printable(before) + " with " + printable(operand) + " gives " + printable(after);
        }

        private static String printable(@Nullable String value) {
            return value == null ? "nothing" : "'" + value.replaceAll("[^!-~]", "?") + "' (" + value.length() + ")";
        }
    }

    static Stream<Example> examples() {
        return Stream.of(arithmetic(), bits(), comparisons(), strings()).flatMap(List::stream);
    }

    private static List<Example> arithmetic() {
        return List.of(
                new Example(MutationType.ADD, null, "\5", "\5"),
                new Example(MutationType.ADD, "", "\5", "\5"),
                new Example(MutationType.ADD, "\3", "\5", "\10"),
                new Example(MutationType.ADD, "\u00ff", "\1", "\0"),
                new Example(MutationType.ADD, "\u00ff\0", "\1\0", "\0\1"),
                new Example(MutationType.ADD, "\u00ff", "\1\0", "\0\1"),
                new Example(MutationType.ADD, "\1\2\3", "\1", "\2"),
                new Example(MutationType.ADD, "\u0005\0", "\u00ff\u00ff", "\4\0"),
                new Example(MutationType.ADD, "\1\2", "", ""),
                new Example(MutationType.ADD, null, "", ""),
                new Example(MutationType.ADD, "\u00ff\u00ff\1", "\1\0", "\0\0"),
                new Example(MutationType.ADD, "\u00ff", "\1\u00ff\u00ff", "\0\0\0"));
    }

    private static List<Example> bits() {
        return List.of(
                new Example(MutationType.BIT_AND, null, "\6", "\6"),
                new Example(MutationType.BIT_AND, "", "\6", "\0"),
                new Example(MutationType.BIT_AND, "\3", "\6", "\2"),
                new Example(MutationType.BIT_AND, "\3", "\6\7", "\2\0"),
                new Example(MutationType.BIT_AND, "\3\3", "\6", "\2"),
                new Example(MutationType.BIT_AND, null, "", ""),
                new Example(MutationType.BIT_AND, "\3", "", ""),
                new Example(MutationType.BIT_OR, null, "\6", "\6"),
                new Example(MutationType.BIT_OR, null, "", ""),
                new Example(MutationType.BIT_OR, "", "\6", "\6"),
                new Example(MutationType.BIT_OR, "\3", "", ""),
                new Example(MutationType.BIT_OR, "\3", "\6", "\7"),
                new Example(MutationType.BIT_OR, "\3", "\6\1", "\7\1"),
                new Example(MutationType.BIT_OR, "\3\3", "\6", "\7"),
                new Example(MutationType.BIT_XOR, null, "\6", "\6"),
                new Example(MutationType.BIT_XOR, "\3", "\6", "\5"),
                new Example(MutationType.BIT_XOR, "\3", "\6\1", "\5\1"),
                new Example(MutationType.BIT_XOR, "\3\3", "\6", "\5"),
                new Example(MutationType.BIT_XOR, null, "", ""),
                new Example(MutationType.BIT_XOR, "", "\6", "\6"),
                new Example(MutationType.BIT_XOR, "\3", "", ""));
    }

    private static List<Example> comparisons() {
        return List.of(
                new Example(MutationType.MAX, null, "\1", "\1"),
                new Example(MutationType.MAX, "\0\1", "\u00ff\0", "\0\1"),
                new Example(MutationType.MAX, "\u00ff\0", "\0\1", "\0\1"),
                new Example(MutationType.MAX, "\7", "\1\0", "\7\0"),
                new Example(MutationType.MAX, "\1\u00ff", "\2", "\2"),
                new Example(MutationType.MAX, "\7\u00ff", "\2", "\7"),
                new Example(MutationType.MAX, "", "\1", "\1"),
                new Example(MutationType.MAX, null, "", ""),
                new Example(MutationType.MAX, "\7", "", ""),
                new Example(MutationType.MAX, "\1\0\u00ff", "\2\0", "\2\0"),
                new Example(MutationType.MIN, null, "\7", "\7"),
                new Example(MutationType.MIN, null, "", ""),
                new Example(MutationType.MIN, "\7", "", ""),
                new Example(MutationType.MIN, "\7", "\7\0", "\7\0"),
                new Example(MutationType.MIN, "\3", "\5\0\0", "\3\0\0"),
                new Example(MutationType.MIN, "\1\0\u00ff", "\2\0", "\1\0"),
                new Example(MutationType.MIN, "", "\7", "\0"),
                new Example(MutationType.MIN, "\0\1", "\u00ff\0", "\u00ff\0"),
                new Example(MutationType.MIN, "\1", "\0\1", "\1\0"),
                new Example(MutationType.MIN, "\1\u00ff", "\2", "\1"),
                new Example(MutationType.BYTE_MAX, null, "b", "b"),
                new Example(MutationType.BYTE_MAX, "a", "b", "b"),
                new Example(MutationType.BYTE_MAX, "ba", "b", "ba"),
                new Example(MutationType.BYTE_MAX, "\u00ff", "b", "\u00ff"),
                new Example(MutationType.BYTE_MAX, null, "", ""),
                new Example(MutationType.BYTE_MAX, "a", "", "a"),
                new Example(MutationType.BYTE_MAX, "a", "a\0", "a\0"),
                new Example(MutationType.BYTE_MIN, null, "", ""),
                new Example(MutationType.BYTE_MIN, "a", "", ""),
                new Example(MutationType.BYTE_MIN, "a", "a\0", "a"),
                new Example(MutationType.BYTE_MIN, null, "b", "b"),
                new Example(MutationType.BYTE_MIN, "a", "b", "a"),
                new Example(MutationType.BYTE_MIN, "", "b", ""),
                new Example(MutationType.BYTE_MIN, "ba", "b", "b"));
    }

    private static List<Example> strings() {
        String full = "x".repeat(99_999);
        return List.of(
                new Example(MutationType.APPEND_IF_FITS, null, "b", "b"),
                new Example(MutationType.APPEND_IF_FITS, "a", "b", "ab"),
                new Example(MutationType.APPEND_IF_FITS, null, "", ""),
                new Example(MutationType.APPEND_IF_FITS, "", "b", "b"),
                new Example(MutationType.APPEND_IF_FITS, "a", "", "a"),
                new Example(MutationType.APPEND_IF_FITS, "a", "x".repeat(100_000), "a"),
                new Example(MutationType.APPEND_IF_FITS, full, "b", full + "b"),
                new Example(MutationType.APPEND_IF_FITS, full, "bb", full),
                new Example(MutationType.COMPARE_AND_CLEAR, null, "b", null),
                new Example(MutationType.COMPARE_AND_CLEAR, null, "", null),
                new Example(MutationType.COMPARE_AND_CLEAR, "b", "", "b"),
                new Example(MutationType.COMPARE_AND_CLEAR, "b", "b\0", "b"),
                new Example(MutationType.COMPARE_AND_CLEAR, "b", "b", null),
                new Example(MutationType.COMPARE_AND_CLEAR, "a", "b", "a"),
                new Example(MutationType.COMPARE_AND_CLEAR, "ba", "b", "ba"),
                new Example(MutationType.COMPARE_AND_CLEAR, "", "", null));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void appliesToTheCommittedValue(Example example) {
        prepare(example);
        commit(tr -> mutate(tr, example));
        assertThat(committed("a")).isEqualTo(example.after());
    }

    @ParameterizedTest
    @MethodSource("examples")
    void foldsIntoReadsOfItsTransaction(Example example) {
        prepare(example);
        commit(tr -> {
            mutate(tr, example);
            assertThat(get(tr, "a")).isEqualTo(example.after());
        });
        assertThat(committed("a")).isEqualTo(example.after());
    }

    @ParameterizedTest
    @MethodSource("examples")
    void foldsIntoAnOwnWriteOfItsTransaction(Example example) {
        given("a", "something else");
        commit(tr -> {
            if (example.before() == null) {
                tr.clear(key("a"));
            } else {
                set(tr, "a", example.before());
            }
            mutate(tr, example);
            assertThat(get(tr, "a")).isEqualTo(example.after());
        });
        assertThat(committed("a")).isEqualTo(example.after());
    }

    @Test
    void additionsOfConcurrentTransactionsAllCount() {
        List<Transaction> adders = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            Transaction tr = beginNow();
            tr.mutate(MutationType.ADD, key("sum"), bytes("\1\0"));
            adders.add(tr);
        }
        adders.forEach(tr -> await(tr.commit()));

        assertThat(committed("sum")).isEqualTo("\n\0");
    }

    @Test
    void severalOperationsOnOneKeyApplyInOrder() {
        given("a", "\1");
        commit(tr -> {
            tr.mutate(MutationType.ADD, key("a"), bytes("\2"));
            tr.mutate(MutationType.BIT_XOR, key("a"), bytes("\7"));
            tr.mutate(MutationType.APPEND_IF_FITS, key("a"), bytes("\1"));
        });
        assertThat(committed("a")).isEqualTo("\4\1");
    }

    @Test
    void aSetAfterAnOperationReplacesIt() {
        commit(tr -> {
            tr.mutate(MutationType.ADD, key("a"), bytes("\1"));
            set(tr, "a", "set");
            tr.mutate(MutationType.ADD, key("b"), bytes("\1"));
            tr.clear(key("b"));
        });
        assertThat(committed()).containsExactly("a=set");
    }

    private void prepare(Example example) {
        if (example.before() != null) {
            given("a", example.before());
        }
    }

    private void mutate(Transaction tr, Example example) {
        tr.mutate(example.type(), key("a"), bytes(example.operand()));
    }
}
