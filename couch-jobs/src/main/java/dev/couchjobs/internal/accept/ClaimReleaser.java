package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Database;
import dev.couchjobs.Job;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.transactions.Transactions;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Releases jobs whose callers no longer wait for them: they are pending again, as before the claim. */
final class ClaimReleaser {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimReleaser.class);

    private final Database database;
    private final InstantSource clock;
    private final Keyspace keyspace;
    private final Transactions transactions;

    ClaimReleaser(Instance instance) {
        this.database = instance.database();
        this.clock = instance.clock();
        this.keyspace = instance.keyspace();
        this.transactions = instance.transactions();
    }

    /** Releases a job in the background; logs a failure. */
    void release(Job<?> job) {
        JobRef ref = keyspace.job(job.type().name(), job.id());
        var unused = transactions
                .named("release", job.type().name())
                .run(
                        database,
                        tx -> JobStore.of(tx).edit(ref, before -> {
                            before.filter(row -> row.isHeldBy(job.lock()))
                                    .ifPresent(row -> JobStore.of(tx).save(ref, row, row.putBack(clock.millis())));
                            return CompletableFuture.completedFuture(ref);
                        }))
                .exceptionally(error -> {
                    LOG.warn("{} could not be released; it becomes pending when its lease expires", job, error);
                    return ref;
                });
    }
}
