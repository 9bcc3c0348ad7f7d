package dev.couchjobs.internal.worker;

import com.apple.foundationdb.Database;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.verbs.FinishTransaction;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the ends of the jobs of one type: those that end while one transaction is under way go together into the next.
 * An end that cannot be written is tried again until its job is another's or this is closed.
 */
final class Finisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Finisher.class);
    private static final int BATCH_MAX = 100;
    /** What several results may come to in one transaction; one alone may be larger. */
    private static final int BYTES_MAX = 1_000_000;

    private final Database database;
    private final ActivityRows activities;
    private final JobType<?, ?> type;
    private final FinishTransaction finishTransaction;
    private final BatchSize batch = new BatchSize(BATCH_MAX);
    private final Loop loop;

    @GuardedBy("this") private final Deque<End> ended = new ArrayDeque<>();

    @GuardedBy("this") private boolean asleep;

    @GuardedBy("this") private int underWay;

    @GuardedBy("this") private @Nullable CompletableFuture<Void> drained;

    /**
     * A job that has ended, and how.
     *
     * @param mayBeWritten whether an earlier transaction has failed, which may nevertheless have committed
     */
    private record End(JobRun<?> run, Disposition disposition, boolean mayBeWritten) {
        End afterFailure() {
            return new End(run, disposition, true);
        }
    }

    Finisher(ActivityRows activities, JobType<?, ?> type, Instance instance) {
        this.activities = activities;
        this.type = type;
        this.database = instance.database();
        this.finishTransaction = new FinishTransaction(instance);
        this.loop = new Loop("finisher of " + type, instance.environment(), database.getExecutor(), this::round);
    }

    /** Takes in a job whose end is settled, to be written after the next {@link #wake}. */
    synchronized void add(JobRun<?> run, Disposition disposition) {
        asleep |= ended.isEmpty();
        ended.add(new End(run, disposition, false));
    }

    /** Begins to write, unless that goes on anyway. */
    void wake() {
        synchronized (this) {
            if (!asleep) {
                return;
            }
            asleep = false;
        }
        loop.wakeUp();
    }

    /** {@return when everything has been written that has been added so far} */
    synchronized CompletableFuture<Void> drained() {
        if (ended.isEmpty() && underWay == 0) {
            return CompletableFuture.completedFuture(null);
        }
        if (drained == null) {
            drained = new CompletableFuture<>();
        }
        return drained;
    }

    @Override
    public void close() {
        loop.close();
    }

    private CompletableFuture<Pause> round() {
        List<End> some = takeSome();
        if (some.isEmpty()) {
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        List<JobRun<?>> runs = new ArrayList<>(some.size());
        List<FinishTransaction.FinishRequest> all = new ArrayList<>(some.size());
        for (End end : some) {
            runs.add(end.run());
            all.add(new FinishTransaction.FinishRequest(end.run().job(), end.disposition()));
        }
        return CompletableFuture.completedFuture(all)
                .thenCompose(each -> finishTransaction.endAll(
                        database, type, each, activities.emptiedBy(runs))) // a closed database throws
                .whenComplete((results, error) -> {
                    if (error == null) {
                        activities.left(runs);
                        haltLost(some, results);
                    }
                    roundEnded(some, error);
                })
                .thenApply(done -> Pause.none());
    }

    /** The handlers of these jobs have returned, or were told to stop: their outcomes are discarded. */
    private static void haltLost(List<End> ends, List<FinishTransaction.FinishResult> results) {
        for (int i = 0; i < ends.size(); i++) {
            End end = ends.get(i);
            if (results.get(i).isLost() && !(end.disposition() instanceof Disposition.Released)) {
                end.run().lose();
                LOG.info(
                        "The claim on {} is lost: it expired, or the job was removed; its outcome was not written{}",
                        end.run(),
                        end.mayBeWritten() ? ", unless by an earlier try whose result is unknown" : "");
            }
        }
    }

    private synchronized List<End> takeSome() {
        int most = batch.now();
        List<End> some = new ArrayList<>(Math.min(most, ended.size()));
        long bytes = 0;
        while (some.size() < most && !ended.isEmpty()) {
            bytes += bytes(ended.element().disposition());
            if (!some.isEmpty() && bytes > BYTES_MAX) {
                break;
            }
            some.add(ended.remove());
        }
        underWay = some.size();
        return some;
    }

    /** About how much an end adds to what a job takes anyway. */
    private static int bytes(Disposition disposition) {
        return disposition instanceof Disposition.Succeeded success
                ? success.result().map(json -> json.length).orElse(0)
                : 0;
    }

    /**
     * What could not be written comes first again, in smaller portions, and one that cannot be written alone comes
     * last: it must not keep the others back.
     */
    private void roundEnded(List<End> some, @Nullable Throwable error) {
        batch.ended(error);
        CompletableFuture<Void> nobodyLeft = null;
        synchronized (this) {
            underWay = 0;
            if (error != null) {
                putBack(some);
            } else if (ended.isEmpty()) {
                nobodyLeft = drained;
                drained = null;
            }
        }
        if (nobodyLeft != null) {
            nobodyLeft.complete(null);
        }
    }

    @GuardedBy("this") private void putBack(List<End> some) {
        if (some.size() == 1) {
            ended.add(some.get(0).afterFailure());
            return;
        }
        for (int i = some.size() - 1; i >= 0; i--) {
            ended.addFirst(some.get(i).afterFailure());
        }
    }
}
