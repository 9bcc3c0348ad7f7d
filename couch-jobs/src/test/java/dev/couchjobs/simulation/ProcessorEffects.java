package dev.couchjobs.simulation;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Job;
import java.util.UUID;

/**
 * What processors write besides the jobs, in one transaction with {@code update} or {@code finish}: whose turn it is,
 * and a counter of the finishes of each claim.
 */
final class ProcessorEffects {
    static final Subspace FENCE = new Subspace(Tuple.from("work", "fence"));
    static final Subspace EFFECTS = new Subspace(Tuple.from("work", "effects"));

    private ProcessorEffects() {}

    static void beat(Transaction tx, Job<?> job) {
        tx.set(FENCE.pack(job.id()), Tuple.from(job.lock()).pack());
    }

    static void effect(Transaction tx, Job<?> job) {
        beat(tx, job);
        tx.mutate(MutationType.ADD, EFFECTS.pack(Tuple.from(job.id(), job.lock())), new byte[] {1});
    }

    static UUID holder(byte[] fence) {
        return Tuple.fromBytes(fence).getUUID(0);
    }
}
