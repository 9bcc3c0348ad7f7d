package dev.couchjobs.internal.worker;

import com.apple.foundationdb.Database;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.internal.accept.Exchange;
import dev.couchjobs.internal.accept.JoiningClaim;
import dev.couchjobs.internal.claims.Disposition;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.verbs.FinishTransaction;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the ends of the jobs of a worker. Ends that are decided while a transaction is under way go together into the
 * next, whatever the types of their jobs: the jobs of a thousand types cost as few transactions as those of one. An end
 * that cannot be written is tried again until its claim is lost or this is closed.
 *
 * <p>A portion that cannot be written is tried again in halves. An end that fails in a portion of its own is tried
 * alone from then on, in a loop with a back-off of its own: a damaged row delays no other end. Once any of these is
 * written, the database may have recovered, and the rest join the others again.
 */
final class Finisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Finisher.class);
    private static final int BATCH_MAX = 100;
    /** The size of several results in one transaction; a single result may be larger. */
    private static final int BYTES_MAX = 1_000_000;

    private final Database database;
    private final ActivityRows activities;
    private final FinishTransaction finishTransaction;
    private final Exchange exchange;
    private final Executor executor;
    private final RunReports reports;
    private final BatchSize batchSize = new BatchSize(BATCH_MAX);
    private final Loop portions;
    private final Loop singles;

    @GuardedBy("this") private final Deque<Decided> decided = new ArrayDeque<>();

    @GuardedBy("this") private final Deque<Decided> failedAlone = new ArrayDeque<>();

    /** The types of ends that wait and may let other jobs begin. */
    @GuardedBy("this") private final Set<HandledType<?>> freeing = new LinkedHashSet<>(0);

    @GuardedBy("this") private boolean needsWakeUp;

    @GuardedBy("this") private int unwritten;

    @GuardedBy("this") private @Nullable CompletableFuture<Void> drained;

    /** Whether a loop has ended, with the database or with this: nothing more is written. */
    @GuardedBy("this") private boolean hasEnded;

    /**
     * A run whose disposition is decided.
     *
     * @param mayBeWritten whether an earlier transaction has failed, which may nevertheless have committed
     */
    private record Decided(JobRun<?> run, boolean mayBeWritten) {
        Disposition disposition() {
            return run.disposition();
        }

        Decided afterError() {
            return new Decided(run, true);
        }
    }

    Finisher(ActivityRows activities, Instance instance) {
        this.activities = activities;
        this.database = instance.database();
        this.finishTransaction = new FinishTransaction(instance);
        this.exchange = new Exchange(instance);
        this.executor = instance.executor();
        this.reports = new RunReports(instance);
        this.portions = new Loop("finisher", instance.environment(), instance.executor(), this::writePortion);
        this.singles =
                new Loop("finisher of failed ends", instance.environment(), instance.executor(), this::writeSingle);
        var unused = CompletableFuture.anyOf(portions.ended(), singles.ended()).thenRun(this::loopEnded);
    }

    /** Adds a run whose disposition is decided. Its end is written after the next {@link #write}. */
    synchronized void add(JobRun<?> run) {
        reports.decided(run);
        needsWakeUp |= decided.isEmpty();
        decided.add(new Decided(run, false));
        if (run.mayFreeOthers()) {
            freeing.add(run.type());
        }
        unwritten++;
    }

    /**
     * Writes the ends that wait, and lets types claim: in one transaction where possible.
     *
     * @param claiming types that are to claim
     */
    void write(Collection<HandledType<?>> claiming) {
        Set<HandledType<?>> joining = exchange(claiming);
        for (HandledType<?> type : claiming) {
            if (!joining.contains(type)) {
                type.letClaim();
            }
        }
        wake();
    }

    /**
     * Writes the ends that wait together with the next claims of some types: of those that are to claim, and of those
     * in which the ends may let other jobs begin.
     *
     * @return the types
     */
    private Set<HandledType<?>> exchange(Collection<HandledType<?>> claiming) {
        Set<HandledType<?>> types;
        boolean wasToWake;
        synchronized (this) {
            if (decided.isEmpty() || decided.element().mayBeWritten() || (claiming.isEmpty() && freeing.isEmpty())) {
                return Set.of();
            }
            types = new LinkedHashSet<>(claiming);
            types.addAll(freeing);
            freeing.clear();
            wasToWake = needsWakeUp;
            needsWakeUp = false; // to ask for the demand of a claim is an event, after which ends are written
        }
        Set<HandledType<?>> joining = new HashSet<>();
        List<JoiningClaim> claims = new ArrayList<>();
        int demand = 0;
        for (HandledType<?> type : types) {
            Optional<JoiningClaim> claim = demand < BATCH_MAX ? type.joinClaim() : Optional.empty();
            if (claim.isPresent()) {
                demand += claim.get().demand();
                claims.add(claim.get());
                joining.add(type);
            }
        }
        if (claims.isEmpty()) {
            restoreWakeUp(wasToWake);
        } else {
            start(claims);
        }
        return joining;
    }

    /** Takes the ends that wait when it runs: by then there may be more of them. */
    private void start(List<JoiningClaim> claims) {
        try {
            executor.execute(() -> {
                List<Decided> ends = takePortion();
                if (areEndsLeft()) {
                    portions.wakeUp();
                }
                var unused = write(ends, (requests, rows) -> exchange.run(requests, rows, claims))
                        .whenComplete((done, error) -> {
                            claims.forEach(JoiningClaim::abandon); // those that the exchange has not come to
                            portionEnded(ends, error);
                        });
            });
        } catch (Throwable e) { // the database is closed, or there is no thread
            claims.forEach(JoiningClaim::abandon);
            portions.wakeUp();
        }
    }

    private synchronized void restoreWakeUp(boolean wasToWake) {
        needsWakeUp |= wasToWake;
    }

    private synchronized boolean areEndsLeft() {
        return !decided.isEmpty();
    }

    private void portionEnded(List<Decided> ends, @Nullable Throwable error) {
        batchSize.ended(error);
        if (error != null) {
            tryAgain(ends);
            portions.wakeUp();
        }
    }

    /** Starts a round, unless one is under way. */
    private void wake() {
        synchronized (this) {
            if (!needsWakeUp) {
                return;
            }
            needsWakeUp = false;
        }
        portions.wakeUp();
    }

    /**
     * {@return a future that completes when the ends of all runs that are added so far are written, or none can be any
     * more}
     */
    synchronized CompletableFuture<Void> drained() {
        if (unwritten == 0 || hasEnded) {
            return CompletableFuture.completedFuture(null);
        }
        if (drained == null) {
            drained = new CompletableFuture<>();
        }
        return drained;
    }

    @Override
    public void close() {
        portions.close();
        singles.close();
    }

    private CompletableFuture<Pause> writePortion() {
        List<Decided> portion = takePortion();
        if (portion.isEmpty()) {
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        return write(portion, this::endAll)
                .whenComplete((done, error) -> {
                    batchSize.ended(error);
                    if (error != null) {
                        tryAgain(portion);
                    }
                })
                .thenApply(done -> Pause.none());
    }

    private CompletableFuture<List<FinishTransaction.FinishResult>> endAll(
            List<FinishTransaction.FinishRequest> requests, List<byte[]> activityRows) {
        return finishTransaction.endAll(database, requests, activityRows);
    }

    private CompletableFuture<Pause> writeSingle() {
        Decided single;
        synchronized (this) {
            single = failedAlone.poll();
        }
        if (single == null) {
            return CompletableFuture.completedFuture(Pause.untilWakeUp());
        }
        return write(List.of(single), this::endAll)
                .whenComplete((done, error) -> {
                    if (error == null) {
                        joinOthersAgain();
                    } else {
                        addFailedAlone(single);
                    }
                })
                .thenApply(done -> Pause.none());
    }

    /** Writes the ends of claims, with the shared activity rows that they empty. */
    private interface Writer {
        CompletableFuture<List<FinishTransaction.FinishResult>> write(
                List<FinishTransaction.FinishRequest> requests, List<byte[]> activityRows);
    }

    private CompletableFuture<?> write(List<Decided> ends, Writer writer) {
        List<JobRun<?>> runs = new ArrayList<>(ends.size());
        List<FinishTransaction.FinishRequest> requests = new ArrayList<>(ends.size());
        for (Decided end : ends) {
            runs.add(end.run());
            requests.add(new FinishTransaction.FinishRequest(end.run().job(), end.disposition()));
        }
        return CompletableFuture.completedFuture(requests)
                .thenCompose(all -> writer.write(all, activities.emptiedBy(runs))) // a closed database throws
                .thenAccept(results -> {
                    activities.leave(runs);
                    report(ends, results);
                    countWritten(ends.size());
                });
    }

    /** Reports ends, and logs the outcomes that were discarded because their claims are lost. */
    private void report(List<Decided> portion, List<FinishTransaction.FinishResult> results) {
        for (int i = 0; i < portion.size(); i++) {
            Decided end = portion.get(i);
            JobRow after = results.get(i).after();
            if (after != null) {
                reports.ended(end.run(), end.disposition(), after);
            }
            if (results.get(i).isLost()) {
                reportLost(end);
            }
        }
    }

    /** A job that is released or put back has no outcome to discard. */
    private void reportLost(Decided end) {
        reports.lost(end.run(), false);
        if (!(end.disposition() instanceof Disposition.Released || end.disposition() instanceof Disposition.PutBack)) {
            end.run().markHalted();
            LOG.info(
                    "The claim on {} is lost: it expired, or the job was removed; its outcome was not written{}",
                    end.run(),
                    end.mayBeWritten() ? ", unless by an earlier try whose result is unknown" : "");
        }
    }

    private synchronized List<Decided> takePortion() {
        int jobsMax = batchSize.now();
        List<Decided> portion = new ArrayList<>(Math.min(jobsMax, decided.size()));
        long bytes = 0;
        while (portion.size() < jobsMax && !decided.isEmpty()) {
            Decided next = decided.element();
            bytes += bytes(next.disposition());
            if (!portion.isEmpty() && bytes > BYTES_MAX) {
                break;
            }
            portion.add(decided.remove());
        }
        return portion;
    }

    /** {@return the approximate size that a disposition adds to the transaction} */
    private static int bytes(Disposition disposition) {
        return disposition instanceof Disposition.Succeeded success
                ? success.result().map(json -> json.length).orElse(0)
                : 0;
    }

    /** Ends that could not be written come first again, in smaller portions. */
    private void tryAgain(List<Decided> portion) {
        if (portion.size() == 1) {
            addFailedAlone(portion.get(0));
            singles.wakeUp();
            return;
        }
        synchronized (this) {
            for (int i = portion.size() - 1; i >= 0; i--) {
                decided.addFirst(portion.get(i).afterError());
            }
        }
    }

    private synchronized void addFailedAlone(Decided end) {
        failedAlone.add(end.afterError());
    }

    private void joinOthersAgain() {
        synchronized (this) {
            decided.addAll(failedAlone);
            failedAlone.clear();
        }
        portions.wakeUp();
    }

    private void countWritten(int ends) {
        CompletableFuture<Void> drainedNow;
        synchronized (this) {
            unwritten -= ends;
            drainedNow = takeIfDrained();
        }
        complete(drainedNow);
    }

    private void loopEnded() {
        CompletableFuture<Void> drainedNow;
        synchronized (this) {
            hasEnded = true;
            drainedNow = takeIfDrained();
        }
        complete(drainedNow);
    }

    @GuardedBy("this") private @Nullable CompletableFuture<Void> takeIfDrained() {
        if (unwritten > 0 && !hasEnded) {
            return null;
        }
        CompletableFuture<Void> drainedNow = drained;
        drained = null;
        return drainedNow;
    }

    private static void complete(@Nullable CompletableFuture<Void> drainedNow) {
        if (drainedNow != null) {
            drainedNow.complete(null);
        }
    }
}
