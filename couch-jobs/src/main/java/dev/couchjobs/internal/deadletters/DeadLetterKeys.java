package dev.couchjobs.internal.deadletters;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.Optional;

/** The keys of the dead letters of a type. */
final class DeadLetterKeys {
    private final Subspace dead;

    private DeadLetterKeys(TypeKeys type) {
        dead = type.table("dead");
    }

    static DeadLetterKeys of(TypeKeys type) {
        return type.derived(DeadLetterKeys.class, DeadLetterKeys::new);
    }

    /** The dead letters, in the order of their ends. */
    Subspace dead() {
        return dead;
    }

    byte[] dead(long endedAt, String jobId) {
        return dead.pack(Tuple.from(endedAt, jobId));
    }

    /** The dead letters after a key, or from the first, up to a key, or to the last. */
    Range deadBetween(Optional<byte[]> after, Optional<byte[]> upTo) {
        Range all = dead.range();
        return new Range(
                after.map(ByteArrayUtil::keyAfter).orElse(all.begin),
                upTo.map(ByteArrayUtil::keyAfter).orElse(all.end));
    }

    /** The dead letters before a key, or all of them. */
    Range deadBefore(Optional<byte[]> before) {
        Range all = dead.range();
        return new Range(all.begin, before.orElse(all.end));
    }
}
