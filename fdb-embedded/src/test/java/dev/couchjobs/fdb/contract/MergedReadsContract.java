package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.KeySelector;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Reads before the commit are the reads after it: every selector and every range, in both directions and with limits,
 * over each kind of own write, gives what it gives once the same writes are committed.
 */
class MergedReadsContract extends FdbContract {

    private static final List<String> BOUNDS = List.of("a", "b", "b5", "c", "d", "e", "f", "g", "h", "i");
    private static final int FURTHEST = 4;
    private static final int LARGEST_LIMIT = 3;

    /** Writes over the rows b, d, f and h. */
    record Writes(String description, Consumer<Own> apply) {
        @Override
        public String toString() {
            return description;
        }
    }

    /** The calls that {@link Writes} are made of. */
    record Own(Transaction tr, PrefixKeys keys) {
        void set(String name) {
            tr.set(keys.key(name), bytes("own"));
        }

        void clear(String begin, String end) {
            tr.clear(keys.key(begin), keys.key(end));
        }

        void mutate(MutationType type, String name) {
            tr.mutate(type, keys.key(name), bytes("op"));
        }
    }

    static Stream<Writes> writes() {
        return Stream.of(
                new Writes("rows before, between and behind", own -> {
                    own.set("a");
                    own.set("e");
                    own.set("i");
                }),
                new Writes("rows over rows", own -> {
                    own.set("b");
                    own.set("h");
                }),
                new Writes("a cleared stretch in the middle", own -> own.clear("c", "g")),
                new Writes("cleared ends", own -> {
                    own.clear("a", "c");
                    own.clear("h", "j");
                }),
                new Writes("everything cleared", own -> own.clear("a", "j")),
                new Writes("rows in a cleared stretch", own -> {
                    own.clear("b", "h");
                    own.set("c");
                    own.set("e");
                }),
                new Writes("a clear over own rows", own -> {
                    own.set("c");
                    own.set("e");
                    own.clear("b5", "e");
                }),
                new Writes("atomic operations on rows that are there", own -> {
                    own.mutate(MutationType.ADD, "d");
                    own.mutate(MutationType.APPEND_IF_FITS, "f");
                }),
                new Writes("atomic operations that make rows", own -> {
                    own.mutate(MutationType.MAX, "a");
                    own.mutate(MutationType.BYTE_MIN, "e");
                    own.mutate(MutationType.BIT_OR, "i");
                }),
                new Writes("atomic operations in a cleared stretch", own -> {
                    own.clear("b", "g");
                    own.mutate(MutationType.BIT_AND, "d");
                    own.mutate(MutationType.MIN, "e");
                }),
                new Writes("clears over atomic operations", own -> {
                    own.mutate(MutationType.ADD, "d");
                    own.mutate(MutationType.ADD, "e");
                    own.clear("c", "e");
                    own.mutate(MutationType.BIT_XOR, "d");
                }));
    }

    @ParameterizedTest
    @MethodSource("writes")
    void everySelectorSeesOwnWrites(Writes writes) {
        List<String> before = new ArrayList<>();
        List<String> beforeInSnapshot = new ArrayList<>();
        given("b", "B", "d", "D", "f", "F", "h", "H");
        commit(tr -> {
            writes.apply().accept(new Own(tr, prefixKeys()));
            before.addAll(selected(tr));
            beforeInSnapshot.addAll(selected(tr.snapshot()));
        });
        List<String> after = database().read(this::selected);
        assertThat(before).isEqualTo(after);
        assertThat(beforeInSnapshot).isEqualTo(after);
    }

    @ParameterizedTest
    @MethodSource("writes")
    void everyRangeSeesOwnWrites(Writes writes) {
        List<String> before = new ArrayList<>();
        List<String> beforeInSnapshot = new ArrayList<>();
        given("b", "B", "d", "D", "f", "F", "h", "H");
        commit(tr -> {
            writes.apply().accept(new Own(tr, prefixKeys()));
            before.addAll(ranges(tr));
            beforeInSnapshot.addAll(ranges(tr.snapshot()));
        });
        List<String> after = database().read(this::ranges);
        assertThat(before).isEqualTo(after);
        assertThat(beforeInSnapshot).isEqualTo(after);
    }

    private List<String> selected(ReadTransaction tr) {
        List<String> questions = new ArrayList<>();
        List<CompletableFuture<byte[]>> answers = new ArrayList<>();
        for (String base : BOUNDS) {
            for (int offset = -FURTHEST; offset <= FURTHEST; offset++) {
                for (boolean orEqual : new boolean[] {false, true}) {
                    questions.add(base + (orEqual ? " or equal, " : ", ") + offset);
                    answers.add(tr.getKey(new KeySelector(key(base), orEqual, offset)));
                }
            }
        }
        return answered(
                questions,
                answers.stream().map(each -> prefixKeys().name(await(each))).toList());
    }

    private List<String> ranges(ReadTransaction tr) {
        List<String> questions = new ArrayList<>();
        List<CompletableFuture<List<String>>> answers = new ArrayList<>();
        for (String begin : BOUNDS) {
            for (String end : BOUNDS) {
                for (int limit = 0; limit <= LARGEST_LIMIT; limit++) {
                    for (boolean reverse : new boolean[] {false, true}) {
                        questions.add(begin + " to " + end + ", " + limit + (reverse ? " back" : ""));
                        answers.add(tr.getRange(key(begin), key(end), limit, reverse)
                                .asList()
                                .thenApply(rows -> prefixKeys().rows(rows)));
                    }
                }
            }
        }
        return answered(
                questions, answers.stream().map(each -> await(each).toString()).toList());
    }

    private static List<String> answered(List<String> questions, List<String> answers) {
        List<String> both = new ArrayList<>();
        for (int i = 0; i < questions.size(); i++) {
            both.add(questions.get(i) + ": " + answers.get(i));
        }
        return both;
    }
}
