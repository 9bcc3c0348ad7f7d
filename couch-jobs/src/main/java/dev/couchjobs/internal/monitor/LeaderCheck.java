package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.data.IdleProcesses;
import dev.couchjobs.internal.data.TypeInUse;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.transactions.Transactions;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds a leader of the waiting processes that takes no jobs (rfc/017), because it has died, is suspended, or has a
 * clock that is behind: in two consecutive looks the same runnable job waits and the same process leads. The check then
 * wakes all idle processes.
 *
 * <p>The process that monitors the type looks. It publishes what it has seen with its lease, because its own clock may
 * be behind.
 */
final class LeaderCheck {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderCheck.class);

    private final Database database;
    private final InstantSource clock;
    private final Transactions transactions;
    private final TypeKeys keys;

    private static final int LOOKS_MAX = 256;

    /** The job of the last look, if it could run. */
    @GuardedBy("this") private Optional<TypeInUse.NextJob> last = Optional.empty();
    /**
     * The job of the last wake-up. If it still waits, the clock of this process may be ahead, so the wake-ups for it
     * become ever rarer.
     */
    @GuardedBy("this") private String calledFor = "";

    @GuardedBy("this") private int looksBetweenCalls;

    @GuardedBy("this") private int looksToNextCall;

    LeaderCheck(Instance instance, Transactions transactions, TypeKeys keys) {
        this.database = instance.database();
        this.clock = instance.clock();
        this.transactions = transactions;
        this.keys = keys;
    }

    /** {@return the job of a further look, if it could run at the look before and is not taken} */
    synchronized Optional<TypeInUse.NextJob> stuck(Optional<TypeInUse.NextJob> next) {
        long now = clock.instant().getEpochSecond();
        Optional<TypeInUse.NextJob> due = next.filter(job -> job.scheduledTime() <= now);
        Optional<TypeInUse.NextJob> stuck = due.filter(job -> due.equals(last) && isStuck(job.jobId()));
        last = due;
        return stuck;
    }

    @GuardedBy("this") private boolean isStuck(String jobId) {
        if (!jobId.equals(calledFor)) {
            calledFor = jobId;
            looksBetweenCalls = 1;
            looksToNextCall = 0;
        }
        if (looksToNextCall > 0) {
            looksToNextCall--;
            return false;
        }
        looksBetweenCalls = Math.min(LOOKS_MAX, 2 * looksBetweenCalls);
        looksToNextCall = looksBetweenCalls;
        return true;
    }

    /** Wakes all idle processes, unless another process leads by now. */
    CompletableFuture<?> wakeAll(TypeInUse.NextJob stuck) {
        return transactions
                .run(
                        database,
                        tx -> IdleProcesses.leader(tx, keys).thenApply(present -> {
                            boolean isSame =
                                    present.filter(one -> one == stuck.leader()).isPresent();
                            if (isSame) {
                                IdleProcesses.clear(tx, keys);
                            }
                            return isSame;
                        }))
                .thenAccept(called -> {
                    if (called) {
                        LOG.info(
                                "Job {} of {} waits although there are idle processes: the one that was to take it"
                                        + " is gone,"
                                        + " stands still, or has a clock that is behind. All others are called",
                                stuck.jobId(),
                                keys.typeName());
                    }
                });
    }
}
