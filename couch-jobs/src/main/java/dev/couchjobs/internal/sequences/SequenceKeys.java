package dev.couchjobs.internal.sequences;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.rows.TypeKeys;

/** The keys of the sequences of a type. */
final class SequenceKeys {
    private final Subspace sequences;
    private final Subspace sequenceQueue;

    private SequenceKeys(TypeKeys type) {
        sequences = type.table("sequences");
        sequenceQueue = type.table("sequence_queue");
    }

    static SequenceKeys of(TypeKeys type) {
        return type.derived(SequenceKeys.class, SequenceKeys::new);
    }

    /** The sequences with jobs. */
    Subspace sequences() {
        return sequences;
    }

    /** A job behind the current one of a sequence. */
    byte[] sequenceQueue(String name, long number) {
        return sequenceQueue.pack(Tuple.from(name, number));
    }

    /** The jobs behind the current one of a sequence. */
    Range sequenceQueue(String name) {
        return sequenceQueue.get(name).range();
    }

    long numberInSequence(byte[] key) {
        return sequenceQueue.unpack(key).getLong(1);
    }
}
