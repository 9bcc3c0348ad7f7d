package dev.couchjobs.internal.descent;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.job.JobRow;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The generation of the jobs that are added: one more than that of the job whose handler adds them, and 0 for others. A
 * handler adds what its thread adds, and what is added in a transaction in which the claim on its job was read.
 */
public final class Descent {
    /** From this generation on a type has a note, by which health warns. */
    public static final int NOTED_FROM = 100;

    private static final ThreadLocal<Integer> OF_THREAD = ThreadLocal.withInitial(() -> 0);

    private Descent() {}

    /** Runs the handler of a job on this thread. */
    public static void around(int descent, Runnable handler) {
        int outer = OF_THREAD.get();
        OF_THREAD.set(descent + 1);
        try {
            handler.run();
        } finally {
            restore(outer);
        }
    }

    private static void restore(int outer) {
        if (outer == 0) {
            OF_THREAD.remove();
        } else {
            OF_THREAD.set(outer);
        }
    }

    /** Records that the holder of a job uses a transaction. */
    public static void usedByHolder(Transaction tx, JobRow job) {
        JobStore.state(tx, OfTransaction.class, OfTransaction::new)
                .next
                .accumulateAndGet(job.options().descent() + 1, Math::max);
    }

    /** {@return the generation of a job that this thread adds} */
    public static int ofAddition() {
        return OF_THREAD.get();
    }

    /** {@return the generation of a job that this thread adds in a context} */
    public static int ofAddition(TransactionContext context) {
        return context instanceof Transaction tx ? Math.max(ofAddition(), ofAdditionIn(tx)) : ofAddition();
    }

    private static int ofAdditionIn(Transaction tx) {
        return JobStore.stateOf(tx, OfTransaction.class)
                .map(known -> known.next.get())
                .orElse(0);
    }

    private static final class OfTransaction {
        final AtomicInteger next = new AtomicInteger();
    }
}
