package dev.couchjobs.fdb.contract.property;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.StreamingMode;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.contract.EngineFutures;
import dev.couchjobs.fdb.contract.PrefixKeys;
import java.util.List;

/** One call on a transaction, which can be made of an engine and of the model; the results are rendered alike. */
sealed interface TransactionCall {

    /** What a write gives. */
    String DONE = "done";

    /** What the model gives when it cannot tell what the result should be. */
    String UNKNOWN = "unknown";

    /** Makes the call on the engine and waits for it. */
    String run(Transaction tr, PrefixKeys keys);

    /** Makes the call on the model. */
    String run(Model model);

    /** Notes what the call reads and writes, given what the transaction sees before it. */
    void trace(Model view, ReadWriteSet accesses);

    /** Whether the call is a read that takes part in conflicts. */
    default boolean isSerializableRead() {
        return false;
    }

    default boolean isWrite() {
        return false;
    }

    default boolean isCompareAndClear() {
        return false;
    }

    /** A call that only reads. */
    sealed interface Read extends TransactionCall {

        boolean snapshot();

        String run(ReadTransaction tr, PrefixKeys keys);

        void traceRead(Model view, ReadWriteSet accesses);

        @Override
        default String run(Transaction tr, PrefixKeys keys) {
            return run(snapshot() ? tr.snapshot() : (ReadTransaction) tr, keys);
        }

        @Override
        default void trace(Model view, ReadWriteSet accesses) {
            if (!snapshot()) {
                traceRead(view, accesses);
            }
        }

        @Override
        default boolean isSerializableRead() {
            return !snapshot();
        }
    }

    /** A call that only writes. */
    sealed interface Write extends TransactionCall {

        void apply(Transaction tr, PrefixKeys keys);

        void apply(Model model);

        @Override
        default String run(Transaction tr, PrefixKeys keys) {
            apply(tr, keys);
            return DONE;
        }

        @Override
        default String run(Model model) {
            apply(model);
            return DONE;
        }

        @Override
        default boolean isWrite() {
            return true;
        }
    }

    /** {@code get}. */
    record Get(int key, boolean snapshot) implements Read {
        @Override
        public String run(ReadTransaction tr, PrefixKeys keys) {
            byte[] value = EngineFutures.await(tr.get(keys.key(Alphabet.name(key))));
            return value == null ? "nothing" : "'" + PrefixKeys.text(value) + "'";
        }

        @Override
        public String run(Model model) {
            String value = model.get(key);
            return value == null ? "nothing" : "'" + value + "'";
        }

        @Override
        public void traceRead(Model view, ReadWriteSet accesses) {
            accesses.readKey(key);
        }
    }

    /** {@code getKey}. */
    record GetKey(Selector selector, boolean snapshot) implements Read {
        @Override
        public String run(ReadTransaction tr, PrefixKeys keys) {
            return keys.name(EngineFutures.await(tr.getKey(selector.in(keys))));
        }

        @Override
        public String run(Model model) {
            int key = model.resolve(selector);
            return key < 0 ? "<" : key < Alphabet.SIZE ? Alphabet.name(key) : ">";
        }

        @Override
        public void traceRead(Model view, ReadWriteSet accesses) {
            accesses.readSelector(selector, view.resolve(selector));
        }
    }

    /** {@code getRange} between two keys. */
    record GetRange(int begin, int end, int limit, boolean reverse, StreamingMode mode, boolean snapshot)
            implements Read {
        @Override
        public String run(ReadTransaction tr, PrefixKeys keys) {
            byte[] from = keys.key(Alphabet.name(begin));
            byte[] to = keys.key(Alphabet.name(end));
            return keys.rows(EngineFutures.await(
                            tr.getRange(from, to, limit, reverse, mode).asList()))
                    .toString();
        }

        @Override
        public String run(Model model) {
            return model.render(model.range(begin, end, limit, reverse)).toString();
        }

        @Override
        public void traceRead(Model view, ReadWriteSet accesses) {
            if (begin < end) {
                List<Integer> rows = view.range(begin, end, limit, reverse);
                if (limit == 0 || rows.size() < limit) {
                    accesses.readRange(begin, end);
                } else if (reverse) {
                    accesses.readBackTo(rows.get(limit - 1), end);
                } else {
                    accesses.readUpTo(begin, rows.get(limit - 1));
                }
            }
        }
    }

    /** {@code getRange} between two selectors; what it conflicts with is not modelled. */
    record GetSelected(Selector begin, Selector end, int limit, boolean reverse, boolean snapshot) implements Read {
        @Override
        public String run(ReadTransaction tr, PrefixKeys keys) {
            return keys.rows(EngineFutures.await(tr.getRange(begin.in(keys), end.in(keys), limit, reverse)
                            .asList()))
                    .toString();
        }

        @Override
        public String run(Model model) {
            boolean foreignRowsComeFirst = reverse ? model.isPastEnd(end) : model.isBeforeBegin(begin);
            return limit > 0 && foreignRowsComeFirst
                    ? UNKNOWN
                    : model.render(model.range(begin, end, limit, reverse)).toString();
        }

        @Override
        public void traceRead(Model view, ReadWriteSet accesses) {
            accesses.readSomething();
        }
    }

    /** {@code set}. */
    record Put(int key, String value) implements Write {
        @Override
        public void apply(Transaction tr, PrefixKeys keys) {
            tr.set(keys.key(Alphabet.name(key)), PrefixKeys.bytes(value));
        }

        @Override
        public void apply(Model model) {
            model.set(key, value);
        }

        @Override
        public void trace(Model view, ReadWriteSet accesses) {
            accesses.overwriteKey(key);
        }
    }

    /** {@code clear} of a key. */
    record Clear(int key) implements Write {
        @Override
        public void apply(Transaction tr, PrefixKeys keys) {
            tr.clear(keys.key(Alphabet.name(key)));
        }

        @Override
        public void apply(Model model) {
            model.clear(key, key + 1);
        }

        @Override
        public void trace(Model view, ReadWriteSet accesses) {
            accesses.overwriteKey(key);
        }
    }

    /** {@code clear} of a range. */
    record ClearRange(int begin, int end) implements Write {
        @Override
        public void apply(Transaction tr, PrefixKeys keys) {
            tr.clear(keys.key(Alphabet.name(begin)), keys.key(Alphabet.name(end)));
        }

        @Override
        public void apply(Model model) {
            model.clear(begin, end);
        }

        @Override
        public void trace(Model view, ReadWriteSet accesses) {
            accesses.overwrite(begin, end);
        }
    }

    /** {@code mutate}. */
    record Mutate(MutationType type, int key, String operand) implements Write {
        @Override
        public boolean isCompareAndClear() {
            return type == MutationType.COMPARE_AND_CLEAR;
        }

        @Override
        public void apply(Transaction tr, PrefixKeys keys) {
            tr.mutate(type, keys.key(Alphabet.name(key)), PrefixKeys.bytes(operand));
        }

        @Override
        public void apply(Model model) {
            model.mutate(type, key, operand);
        }

        @Override
        public void trace(Model view, ReadWriteSet accesses) {
            accesses.mutateKey(key);
        }
    }

    /** A declared conflict range, of reads or of writes. */
    record Declare(int begin, int end, boolean write) implements TransactionCall {
        @Override
        public String run(Transaction tr, PrefixKeys keys) {
            byte[] from = keys.key(Alphabet.name(begin));
            byte[] to = keys.key(Alphabet.name(end));
            if (write) {
                tr.addWriteConflictRange(from, to);
            } else {
                tr.addReadConflictRange(from, to);
            }
            return DONE;
        }

        @Override
        public String run(Model model) {
            return DONE;
        }

        @Override
        public void trace(Model view, ReadWriteSet accesses) {
            if (write) {
                accesses.writeRange(begin, end);
            } else {
                accesses.readRange(begin, end);
            }
        }
    }
}
