package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.idle.IdleProcesses;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.limits.Allowance;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.internal.types.TypeInUse;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds a leader of the idle processes that does not claim jobs (rfc/017), because it has died, is suspended, or has a
 * clock that is behind: in two consecutive rounds the same runnable job waits and the same process is the leader. The
 * check then wakes all idle processes.
 *
 * <p>The process that monitors the type checks. It publishes the waiting job with its lease, because its own clock may
 * be behind.
 */
final class LeaderCheck {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderCheck.class);
    private static final int ROUNDS_BETWEEN_WAKE_UPS_MAX = 256;

    private enum Result {
        WOKEN,
        OTHER_LEADER,
        NOT_ALLOWED
    }

    private final Database database;
    private final InstantSource clock;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final Allowance.Home home;
    private final LayoutRow layoutRow;

    /** The first waiting job in the last round, if it could run. */
    @GuardedBy("this") private Optional<TypeInUse.NextJob> last = Optional.empty();
    /**
     * The job of the last wake-up. If it still waits, the clock of this process may be ahead, so the wake-ups for it
     * become ever rarer.
     */
    @GuardedBy("this") private String wokenFor = "";

    @GuardedBy("this") private int roundsBetweenWakeUps;

    @GuardedBy("this") private int roundsToNextWakeUp;

    LeaderCheck(Instance instance, Transactions transactions, TypeKeys keys) {
        this.home = new Allowance.Home(0, instance.environment().random());
        this.database = instance.database();
        this.clock = instance.clock();
        this.transactions = transactions;
        this.keys = keys;
        this.layoutRow = new LayoutRow(instance.keyspace());
    }

    /** {@return the first waiting job, if it could already run in the last round and a wake-up is due} */
    synchronized Optional<TypeInUse.NextJob> unclaimed(Optional<TypeInUse.NextJob> next) {
        long now = clock.instant().getEpochSecond();
        Optional<TypeInUse.NextJob> due = next.filter(job -> job.scheduledTime() <= now);
        Optional<TypeInUse.NextJob> unclaimed = due.filter(job -> due.equals(last) && isWakeUpDue(job.jobId()));
        last = due;
        return unclaimed;
    }

    @GuardedBy("this") private boolean isWakeUpDue(String jobId) {
        if (!jobId.equals(wokenFor)) {
            wokenFor = jobId;
            roundsBetweenWakeUps = 1;
            roundsToNextWakeUp = 0;
        }
        if (roundsToNextWakeUp > 0) {
            roundsToNextWakeUp--;
            return false;
        }
        roundsBetweenWakeUps = Math.min(ROUNDS_BETWEEN_WAKE_UPS_MAX, 2 * roundsBetweenWakeUps);
        roundsToNextWakeUp = roundsBetweenWakeUps;
        return true;
    }

    /** Forgets that the job waited, since the rules of the type allow no claim. */
    private synchronized void expectLater() {
        wokenFor = "";
    }

    /** Wakes all idle processes, unless another process is the leader now, or no job may be claimed. */
    CompletableFuture<?> wakeAll(TypeInUse.NextJob unclaimed) {
        return transactions
                .run(
                        database,
                        tx -> IdleProcesses.leader(tx, keys)
                                .thenCombine(Allowance.read(tx, keys, layoutRow, false, home), (leader, allowance) -> {
                                    boolean isSame = leader.filter(token -> token == unclaimed.leader())
                                            .isPresent();
                                    if (isSame && allowance.jobs() > 0) {
                                        IdleProcesses.clear(tx, keys);
                                    }
                                    if (allowance.jobs() == 0) {
                                        return Result.NOT_ALLOWED;
                                    }
                                    return isSame ? Result.WOKEN : Result.OTHER_LEADER;
                                }))
                .thenAccept(result -> {
                    if (result == Result.NOT_ALLOWED) {
                        expectLater();
                    } else if (result == Result.WOKEN) {
                        LOG.info(
                                "Job {} of {} waits although there are idle processes: their leader has died, is"
                                        + " suspended, or has a clock that is behind. All idle processes are woken",
                                unclaimed.jobId(),
                                keys.typeName());
                    }
                });
    }
}
