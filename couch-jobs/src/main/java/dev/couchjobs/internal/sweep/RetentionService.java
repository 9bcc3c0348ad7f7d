package dev.couchjobs.internal.sweep;

import com.apple.foundationdb.ReadTransactionContext;
import dev.couchjobs.ClockSkew;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.JobArchive;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.ServiceRegistry;
import dev.couchjobs.internal.rows.Layout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** Removes ended jobs in one instance: a sweeper for each type that the instance processes, and its archivers. */
public final class RetentionService implements AutoCloseable {
    private final Instance instance;
    private final ClockCheck clock;
    private final RetentionScanner scanner;
    private final ServiceRegistry<String, RetentionSweeper> sweepers = new ServiceRegistry<>(RetentionSweeper::close);
    private final ServiceRegistry<String, Archiver<?, ?>> archives = new ServiceRegistry<>(Archiver::close);
    private volatile boolean closed;

    /** @param clockSkewBound the largest clock skew at which this process removes jobs */
    public RetentionService(Instance instance, Duration clockSkewBound) {
        this.instance = instance;
        this.clock = new ClockCheck(instance, clockSkewBound);
        this.scanner = new RetentionScanner(instance, clock);
    }

    /** {@return the skew of this process's clock} */
    public CompletableFuture<ClockSkew> clockSkew(ReadTransactionContext context) {
        return closed ? CompletableFuture.failedFuture(new CouchJobsClosedException()) : clock.measure(context);
    }

    /** Starts the sweep of a type, unless it runs. */
    public void sweep(JobType<?, ?> type) {
        sweepers.get(type.name(), unused -> {
            RetentionSweeper sweeper = new RetentionSweeper(instance, type, clock, scanner);
            sweeper.start();
            return sweeper;
        });
    }

    /** Tells the sweeps which layout this process has read last. */
    public void noticed(Layout layout) {
        scanner.noticed(layout);
    }

    /** Ends the sweep of a type. */
    public void release(String typeName) {
        sweepers.release(typeName);
    }

    /** Starts to hand expired jobs of a type to an archive. */
    public <D, R> void archive(JobType<D, R> type, JobArchive<D, R> archive) {
        AtomicBoolean isNew = new AtomicBoolean();
        archives.get(type.name(), unused -> {
            isNew.set(true);
            Archiver<D, R> run = new Archiver<>(instance, type, archive, clock);
            run.start();
            return run;
        });
        if (!isNew.get()) {
            throw new IllegalStateException("The type " + type + " has an archive here already. Give one archive for a"
                    + " type, which may pass the jobs on to several.");
        }
    }

    @Override
    public void close() {
        closed = true;
        scanner.close();
        sweepers.close();
        archives.close();
    }
}
