package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.StreamingMode;
import dev.couchjobs.fdb.testing.Samples;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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

    /** What is in the database at the start: no row, all rows, or any of them. */
    static Map<Integer, String> rows(Samples samples) {
        int density = samples.choice(Alphabet.SIZE + 1);
        Map<Integer, String> rows = new HashMap<>();
        for (int key = 0; key < Alphabet.SIZE; key++) {
            if (samples.choice(Alphabet.SIZE) < density) {
                rows.put(key, value(samples));
            }
        }
        return rows;
    }

    static TransactionCall any(Samples samples) {
        return samples.oneOf(
                RandomCalls::get,
                RandomCalls::getKey,
                RandomCalls::getRange,
                RandomCalls::getSelected,
                RandomCalls::put,
                RandomCalls::clear,
                RandomCalls::clearRange,
                RandomCalls::mutate,
                RandomCalls::declare);
    }

    private static TransactionCall get(Samples samples) {
        return new TransactionCall.Get(key(samples), isSnapshot(samples));
    }

    private static TransactionCall getKey(Samples samples) {
        return new TransactionCall.GetKey(selector(samples), isSnapshot(samples));
    }

    private static TransactionCall getRange(Samples samples) {
        int limit = limit(samples);
        return new TransactionCall.GetRange(
                bound(samples),
                bound(samples),
                limit,
                samples.anyBoolean(),
                limit == 0 ? StreamingMode.ITERATOR : samples.of(StreamingMode.values()),
                isSnapshot(samples));
    }

    private static TransactionCall getSelected(Samples samples) {
        return new TransactionCall.GetSelected(
                selector(samples), selector(samples), limit(samples), samples.anyBoolean(), isSnapshot(samples));
    }

    private static TransactionCall put(Samples samples) {
        return new TransactionCall.Put(key(samples), value(samples));
    }

    private static TransactionCall clear(Samples samples) {
        return new TransactionCall.Clear(key(samples));
    }

    private static TransactionCall clearRange(Samples samples) {
        int one = bound(samples);
        int other = bound(samples);
        return new TransactionCall.ClearRange(Math.min(one, other), Math.max(one, other));
    }

    private static TransactionCall mutate(Samples samples) {
        return new TransactionCall.Mutate(samples.of(MUTATIONS), key(samples), value(samples));
    }

    private static TransactionCall declare(Samples samples) {
        int one = bound(samples);
        int other = bound(samples);
        return new TransactionCall.Declare(Math.min(one, other), Math.max(one, other), samples.anyBoolean());
    }

    private static Selector selector(Samples samples) {
        return new Selector(bound(samples), samples.anyBoolean(), samples.between(-3, 4));
    }

    private static int key(Samples samples) {
        return samples.choice(Alphabet.SIZE);
    }

    private static int bound(Samples samples) {
        return samples.choice(Alphabet.SIZE + 1);
    }

    private static int limit(Samples samples) {
        return samples.of(0, 0, 0, 0, 1, 1, 2, 3, 4);
    }

    private static boolean isSnapshot(Samples samples) {
        return samples.isOneOf(5);
    }

    /** Short, and of bytes whose order depends on their sign. */
    private static String value(Samples samples) {
        return samples.text(3, "\0\1\u007f\u0080\u00ff");
    }
}
