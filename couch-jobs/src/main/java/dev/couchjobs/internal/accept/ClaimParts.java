package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.idle.Leadership;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.limits.WaitingKeys;
import dev.couchjobs.internal.queue.QueueClearing;
import dev.couchjobs.internal.queue.QueueSource;
import dev.couchjobs.internal.rows.LayoutRow;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.turns.TurnSource;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;

/** What the transactions share that claim jobs of one type. */
final class ClaimParts<D> {
    final TypeKeys keys;
    final Environment environment;
    final InstantSource clock;
    final LayoutRow layoutRow;
    final ClaimWriter<D> writer;
    final QueueSource queue;
    final QueueClearing queueClearing = new QueueClearing();
    final Leadership leadership;
    final TurnSource turns;
    final WaitingKeys waitingKeys;
    final ClaimMemory memory;

    ClaimParts(JobType<D, ?> type, Instance instance) {
        this.keys = instance.keyspace().type(type.name());
        this.environment = instance.environment();
        this.clock = instance.clock();
        this.layoutRow = new LayoutRow(instance.keyspace());
        this.writer = new ClaimWriter<>(type, instance);
        this.queue = new QueueSource(keys, environment.random());
        this.leadership = new Leadership(keys, environment.random());
        this.turns = new TurnSource(keys, environment.random());
        this.waitingKeys = new WaitingKeys(keys, layoutRow, environment);
        this.memory = new ClaimMemory(instance.name().hashCode());
    }

    /** Begins a claim. */
    void beginClaim(Instant now) {
        queue.beginClaim(now);
        turns.beginClaim();
        queueClearing.beginClaim();
    }

    /** Gives up the role of this process, which claims no more jobs for now. */
    CompletableFuture<Leadership.Role> resign(Transaction tx, Leadership.Role role) {
        return leadership.new RoleTransaction(tx, role).resign().thenApply(Leadership.RoleChange::role);
    }
}
