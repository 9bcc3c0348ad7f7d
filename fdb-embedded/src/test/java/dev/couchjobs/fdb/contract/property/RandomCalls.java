package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.StreamingMode;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Random operations. */
final class RandomCalls {

    private static final List<MutationType> MUTATIONS = List.of(
            MutationType.ADD,
            MutationType.BIT_AND,
            MutationType.BIT_OR,
            MutationType.BIT_XOR,
            MutationType.MAX,
            MutationType.MIN,
            MutationType.BYTE_MAX,
            MutationType.BYTE_MIN,
            MutationType.APPEND_IF_FITS,
            MutationType.COMPARE_AND_CLEAR);

    private RandomCalls() {}

    /** What is in the database at the start. */
    static Arbitrary<Map<Integer, String>> rows() {
        return Arbitraries.maps(keys(), values()).ofMaxSize(Alphabet.SIZE);
    }

    static Arbitrary<TransactionCall> all() {
        return Arbitraries.oneOf(List.of(
                gets(),
                getKeys(),
                getRanges(),
                selected(),
                puts(),
                clears(),
                clearRanges(),
                mutates(),
                declarations()));
    }

    private static Arbitrary<TransactionCall> gets() {
        return Combinators.combine(keys(), snapshots()).as(TransactionCall.Get::new);
    }

    private static Arbitrary<TransactionCall> getKeys() {
        return Combinators.combine(selectors(), snapshots()).as(TransactionCall.GetKey::new);
    }

    private static Arbitrary<TransactionCall> getRanges() {
        return Combinators.combine(
                        bounds(), bounds(), limits(), flags(), Arbitraries.of(StreamingMode.class), snapshots())
                .as((begin, end, limit, reverse, mode, snapshot) -> new TransactionCall.GetRange(
                        begin, end, limit, reverse, limit == 0 ? StreamingMode.ITERATOR : mode, snapshot));
    }

    private static Arbitrary<TransactionCall> selected() {
        return Combinators.combine(selectors(), selectors(), limits(), flags(), snapshots())
                .as(TransactionCall.GetSelected::new);
    }

    private static Arbitrary<TransactionCall> puts() {
        return Combinators.combine(keys(), values()).as(TransactionCall.Put::new);
    }

    private static Arbitrary<TransactionCall> clears() {
        return keys().map(TransactionCall.Clear::new);
    }

    private static Arbitrary<TransactionCall> clearRanges() {
        return Combinators.combine(bounds(), bounds())
                .as((one, other) -> new TransactionCall.ClearRange(Math.min(one, other), Math.max(one, other)));
    }

    private static Arbitrary<TransactionCall> mutates() {
        return Combinators.combine(Arbitraries.of(MUTATIONS), keys(), values()).as(TransactionCall.Mutate::new);
    }

    private static Arbitrary<TransactionCall> declarations() {
        return Combinators.combine(bounds(), bounds(), flags())
                .as((one, other, write) ->
                        new TransactionCall.Declare(Math.min(one, other), Math.max(one, other), write));
    }

    private static Arbitrary<Selector> selectors() {
        return Combinators.combine(bounds(), flags(), Arbitraries.integers().between(-3, 4))
                .as(Selector::new);
    }

    private static Arbitrary<Integer> keys() {
        return Arbitraries.integers().between(0, Alphabet.SIZE - 1);
    }

    private static Arbitrary<Integer> bounds() {
        return Arbitraries.integers().between(0, Alphabet.SIZE);
    }

    private static Arbitrary<Integer> limits() {
        return Arbitraries.frequency(Tuple.of(4, 0), Tuple.of(2, 1), Tuple.of(1, 2), Tuple.of(1, 3), Tuple.of(1, 4));
    }

    private static Arbitrary<Boolean> flags() {
        return Arbitraries.of(false, true);
    }

    private static Arbitrary<Boolean> snapshots() {
        return Arbitraries.frequency(Tuple.of(4, false), Tuple.of(1, true));
    }

    /** Short, and of bytes whose order depends on their sign. */
    private static Arbitrary<String> values() {
        return Arbitraries.strings()
                .withChars('\0', '\1', '\u007f', '\u0080', '\u00ff')
                .ofMaxLength(3);
    }
}
