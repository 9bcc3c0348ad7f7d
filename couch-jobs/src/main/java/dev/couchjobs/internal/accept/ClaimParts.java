package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.LayoutRow;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.limits.Admission;
import dev.couchjobs.internal.limits.Allowance;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What the claims of one type in this process share: their parts, and what one has found, which the next expects. */
final class ClaimParts<D> {
    final TypeKeys keys;
    final Environment environment;
    final InstantSource clock;
    final LayoutRow layoutRow;
    final ClaimWriter<D> writer;
    final CandidateSelector selector;
    final QueueClearing queueClearing = new QueueClearing();
    final Leadership leadership;
    final Admission admission;
    /** Adapts to conflicts over turns. */
    final SkipDistance turnSkipDistance = new SkipDistance();

    /** The allowance of the last claim. */
    volatile Allowance lastAllowance = Allowance.UNLIMITED;
    /** The shard of the limit of the type that the next claim uses if it can: most claims then meet no others there. */
    volatile int homeShard;
    /** How many jobs may be claimed ahead of their start, by what the last claim has left of its allowance. */
    volatile int prefetchMax = Integer.MAX_VALUE;
    /** Whether jobs of the instance have had turn keys, as far as this process knows. */
    volatile boolean mayHaveTurns;
    /** Whether there were turns when the last claim read them. */
    volatile boolean hadTurns;
    /** The turn key behind which the next claim reads requests. */
    volatile @Nullable String requestsAfter;

    ClaimParts(JobType<D, ?> type, Instance instance) {
        this.keys = instance.keyspace().type(type.name());
        this.environment = instance.environment();
        this.clock = instance.clock();
        this.layoutRow = new LayoutRow(instance.keyspace());
        this.writer = new ClaimWriter<>(type, instance);
        this.selector = new CandidateSelector(keys, environment.random());
        this.leadership = new Leadership(keys, environment.random());
        this.admission = new Admission(environment);
        this.homeShard = instance.name().hashCode();
    }

    /** Gives up the role of this process, which claims no more jobs for now. */
    CompletableFuture<Leadership.Role> resign(Transaction tx, Leadership.Role role) {
        return leadership.new RoleTransaction(tx, role).resign().thenApply(Leadership.RoleChange::role);
    }
}
