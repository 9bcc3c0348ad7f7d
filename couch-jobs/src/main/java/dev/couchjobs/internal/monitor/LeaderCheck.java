package dev.couchjobs.internal.monitor;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.Environment;
import dev.couchjobs.internal.data.IdleProcesses;
import dev.couchjobs.internal.data.PendingQueue;
import dev.couchjobs.internal.data.Queued;
import dev.couchjobs.internal.data.RankedQueue;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.verbs.Instance;
import dev.couchjobs.internal.verbs.Transactions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out that the process which leads those that wait for jobs does not take them (rfc/017), because it has died or stands
 * still: in two rounds in a row the same job waits, and the same process leads. All idle processes are called then.
 */
final class LeaderCheck {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderCheck.class);

    private final Database database;
    private final Environment environment;
    private final Transactions transactions;
    private final TypeKeys keys;

    // Touched by one round at a time.
    private Seen last = Seen.NOTHING;

    LeaderCheck(Instance instance, Transactions transactions, TypeKeys keys) {
        this.database = instance.database();
        this.environment = instance.environment();
        this.transactions = transactions;
        this.keys = keys;
    }

    /**
     * What a round has seen.
     *
     * @param leader the token of the leader
     * @param jobId a job that may run, if the leader is that of the round before
     */
    record Seen(Optional<Long> leader, Optional<String> jobId) {
        static final Seen NOTHING = new Seen(Optional.empty(), Optional.empty());
    }

    /** Looks, without conflicts. */
    CompletableFuture<Seen> look(ReadTransaction snapshot) {
        CompletableFuture<Optional<String>> jobId =
                last.leader.isPresent() ? waiting(snapshot) : CompletableFuture.completedFuture(Optional.empty());
        return IdleProcesses.leader(snapshot, keys)
                .thenCombine(
                        jobId, (leader, job) -> new Seen(leader, leader.equals(last.leader) ? job : Optional.empty()));
    }

    private CompletableFuture<Optional<String>> waiting(ReadTransaction snapshot) {
        long now = environment.clock().instant().getEpochSecond();
        CompletableFuture<Optional<String>> plain = PendingQueue.first(snapshot, keys, now);
        CompletableFuture<List<Queued>> ranked = RankedQueue.head(snapshot, keys, now, 1);
        return plain.thenCombine(
                ranked,
                (one, others) -> Stream.concat(one.stream(), others.stream().map(Queued::jobId))
                        .findFirst());
    }

    /** Compares it with what the round before has seen, and calls all if nothing has happened. */
    CompletableFuture<?> judge(Seen now) {
        boolean isStuck = now.jobId.isPresent() && now.equals(last);
        last = now;
        return isStuck
                ? callAll(now.leader.orElseThrow(), now.jobId.orElseThrow())
                : CompletableFuture.completedFuture(now);
    }

    private CompletableFuture<?> callAll(long leader, String jobId) {
        return transactions
                .run(
                        database,
                        tx -> IdleProcesses.leader(tx, keys).thenApply(present -> {
                            boolean isSame =
                                    present.filter(one -> one == leader).isPresent();
                            if (isSame) {
                                IdleProcesses.clear(tx, keys);
                            }
                            return isSame;
                        }))
                .thenAccept(called -> {
                    if (called) {
                        LOG.info(
                                "Job {} of {} waits although there are idle processes: the one that was to take it is gone"
                                        + " or stands still. All others are called",
                                jobId,
                                keys.typeName());
                    }
                });
    }
}
