package dev.couchjobs.internal.limits;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;
import dev.couchjobs.internal.rows.TypeKeys;

/** The keys of the limits of a type and of its limit keys. */
public final class LimitKeys {
    private static final int NUMBER_BYTES_MAX = 1 + Long.BYTES;

    private final Subspace limits;
    private final Subspace pausedKeys;
    private final Subspace limited;
    private final byte[] limitedPrefix;
    private final Subspace slots;
    private final Subspace slotRequests;
    private final byte[] rules;
    private final Subspace running;
    private final byte[] watchesEnds;

    private LimitKeys(TypeKeys type) {
        limits = type.table("limits");
        pausedKeys = type.table("paused_keys");
        limited = type.table("limited");
        limitedPrefix = limited.pack();
        slots = type.table("slots");
        slotRequests = type.table("slot_requests");
        rules = type.row("rules");
        running = type.table("running");
        watchesEnds = type.row("watches_ends");
    }

    public static LimitKeys of(TypeKeys type) {
        return type.derived(LimitKeys.class, LimitKeys::new);
    }

    /** How many jobs of each limit key may run at once: by limit key, and at the subspace's own key for all others. */
    Subspace limits() {
        return limits;
    }

    /** The limit keys that are paused. */
    Subspace pausedKeys() {
        return pausedKeys;
    }

    /** The jobs that are due and wait for a slot of their limit key, by limit key. */
    Subspace limited() {
        return limited;
    }

    /** A key in the limited queue: the highest priority first, and the oldest first within a priority. */
    byte[] limited(String limitKey, int priority, long since, String jobId) {
        return new TupleWriter(limitedPrefix, limitKey.length() + jobId.length() + 2 * NUMBER_BYTES_MAX + 4)
                .add(limitKey)
                .add(-(long) priority)
                .add(since)
                .add(jobId)
                .toBytes();
    }

    /** Reads the path of a row in the limited queue: limit key, negative priority, enqueue time and id. */
    TupleReader readLimited(byte[] key) {
        return TupleReader.below(limitedPrefix, key);
    }

    /** How many slots of each limit key are taken. */
    Subspace slots() {
        return slots;
    }

    /** The limit keys whose jobs have begun to wait since a claim has looked. */
    Subspace slotRequests() {
        return slotRequests;
    }

    /** The row with the number of running jobs that a shard of the limit of the type counts. */
    byte[] running(int shard) {
        return running.pack(shard);
    }

    Range running() {
        return running.range();
    }

    int runningShard(byte[] key) {
        return Math.toIntExact(running.unpack(key).getLong(0));
    }

    /** The key of the rules that claims of the type respect. */
    byte[] rules() {
        return rules;
    }

    /** The key that changes when a job of the type no longer runs, in instances whose types may have rules. */
    public byte[] watchesEnds() {
        return watchesEnds;
    }
}
