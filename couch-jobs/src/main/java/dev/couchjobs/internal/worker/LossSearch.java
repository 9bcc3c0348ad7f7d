package dev.couchjobs.internal.worker;

import com.apple.foundationdb.Database;
import dev.couchjobs.internal.activity.LostClaims;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.ArmedWatch;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import dev.couchjobs.loop.WatchLooks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Finds lost claims among the runs of one type in a worker. A watch fires when some claim of the type ends other than
 * by its holder, for example because a job was cancelled; the search then reads the rows of all runs, and arms the
 * watch again in the same transaction.
 *
 * <p>Without runs there is no watch. Most jobs end before the first search, and cost nothing.
 */
final class LossSearch<D> implements AutoCloseable {
    /** The delay of a search, so that many losses in a row cause few searches. */
    private static final Duration DELAY = Duration.ofMillis(100);

    private enum Phase {
        SUSPENDED,
        DELAYED,
        WATCHING
    }

    private final HandledType<D> type;
    private final Database database;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final WatchLooks looks;
    private final Loop loop;

    // Touched by one round at a time.
    private Phase phase = Phase.SUSPENDED;

    LossSearch(HandledType<D> type, Instance instance) {
        this.type = type;
        this.database = instance.database();
        this.transactions =
                instance.transactions().named("search lost", type.type().name()).untagged();
        this.keys = instance.keyspace().type(type.type().name());
        this.looks = instance.looks();
        this.loop = new Loop(
                "search for lost claims of " + type.type(), instance.environment(), instance.executor(), this::round);
    }

    /** The worker holds jobs of the type again, or no longer. */
    void runsChanged() {
        loop.wakeUp();
    }

    @Override
    public void close() {
        loop.close();
    }

    private CompletableFuture<Pause> round() {
        if (type.held().isEmpty()) {
            phase = Phase.SUSPENDED;
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        return switch (phase) {
            case SUSPENDED -> delay(HeartbeatSender.FIRST_READ_DELAY);
            case WATCHING -> delay(DELAY);
            case DELAYED -> search();
        };
    }

    private CompletableFuture<Pause> delay(Duration time) {
        phase = Phase.DELAYED;
        return CompletableFuture.completedFuture(Pause.atMost(time));
    }

    /** What a search has found, and the watch for the next losses. */
    private record Found(List<Heartbeat.Lost> lost, ArmedWatch watch) {}

    /** {@return the pause until the next loss} */
    private CompletableFuture<Pause> search() {
        List<JobRun<?>> held = type.held();
        return transactions
                .run(database, tx -> Heartbeat.findLost(tx, held).thenCombine(LostClaims.watch(tx, keys), Found::new))
                .thenApply(found -> {
                    if (!found.lost().isEmpty()) {
                        type.lost(found.lost());
                    }
                    phase = Phase.WATCHING;
                    return Pause.until(looks.await(found.watch()));
                });
    }
}
