package dev.couchjobs.internal.activity;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.internal.rows.TypeKeys;

/** The keys of the rows of running jobs of a type. */
final class ActivityKeys {
    private final Subspace activity;
    private final byte[] watchesLost;

    private ActivityKeys(TypeKeys type) {
        activity = type.table("activity");
        watchesLost = type.row("watches_lost");
    }

    static ActivityKeys of(TypeKeys type) {
        return type.derived(ActivityKeys.class, ActivityKeys::new);
    }

    byte[] activityPrefix() {
        return activity.pack();
    }

    byte[] activity(Versionstamp sequence) {
        return activity.pack(sequence);
    }

    /** The rows of all running jobs. */
    Range activities() {
        return activity.range();
    }

    /** The rows of the running jobs whose last heartbeat is at or before a sequence. */
    Range activityUpTo(Versionstamp sequence) {
        return new Range(activity.range().begin, ByteArrayUtil.keyAfter(activity.pack(sequence)));
    }

    Versionstamp sequenceOfActivity(byte[] key) {
        return activity.unpack(key).getVersionstamp(0);
    }

    /** The key that changes when a claim ends other than by its holder. */
    byte[] watchesLost() {
        return watchesLost;
    }
}
