package dev.couchjobs.internal.retention;

import com.apple.foundationdb.ReadTransactionContext;
import dev.couchjobs.ClockSkew;
import dev.couchjobs.JobArchive;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.loop.Workers;
import dev.couchjobs.internal.verbs.Instance;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** What one instance does to remove jobs that have ended: a sweep for each type that it processes, and its archives. */
public final class Retirement implements AutoCloseable {
    private final Instance instance;
    private final Clocks clocks;
    private final DueLook looks;
    private final Workers<String, Sweep> sweeps = new Workers<>(Sweep::close);
    private final Workers<String, ArchiveRun<?, ?>> archives = new Workers<>(ArchiveRun::close);

    /** @param clockSkewBound how far a clock may be off before nothing is removed by it */
    public Retirement(Instance instance, Duration clockSkewBound) {
        this.instance = instance;
        this.clocks = new Clocks(instance, clockSkewBound);
        this.looks = new DueLook(instance, clocks);
    }

    /** {@return how this process's clock stands to others} */
    public CompletableFuture<ClockSkew> clockSkew(ReadTransactionContext context) {
        return clocks.measure(context);
    }

    /** Starts to remove jobs of a type when their time is up, unless that has been started before. */
    public void sweep(JobType<?, ?> type) {
        sweeps.get(type.name(), unused -> {
            Sweep sweep = new Sweep(instance, type, clocks, looks);
            sweep.start();
            return sweep;
        });
    }

    /** Removes no more jobs of a type. */
    public void release(String typeName) {
        sweeps.release(typeName);
    }

    /** Starts to hand jobs of a type to an archive when their time is up. */
    public <D, R> void archive(JobType<D, R> type, JobArchive<D, R> archive) {
        AtomicBoolean isNew = new AtomicBoolean();
        archives.get(type.name(), unused -> {
            isNew.set(true);
            ArchiveRun<D, R> run = new ArchiveRun<>(instance, type, archive, clocks);
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
        looks.close();
        sweeps.close();
        archives.close();
    }
}
