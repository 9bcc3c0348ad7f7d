package dev.couchjobs.internal.notify;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Versionstamp;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.feed.FeedEntry;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
import dev.couchjobs.loop.WatchLooks;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Follows the jobs of one type for all subscribers in this process, in one of two modes.
 *
 * <p><b>By rows</b>, while it follows few jobs: it watches the keys that the next change of each job writes, so changes
 * of other jobs cause no reads. When a watch fires it reads the job and, for subscribers that want all changes, the
 * feed from the last change that they have received. To keep this part of the feed short, it reads all its jobs from
 * time to time ({@link RoundPacing}): a job whose fingerprint is the same has had no change.
 *
 * <p><b>By feed</b>, while it follows many jobs or has too few watches: it reads the feed of the type repeatedly. The
 * pause after each round doubles, up to a second, if the round has delivered no change, and halves otherwise.
 */
final class Notifier implements AutoCloseable {
    private static final int PAGE_MAX = 2_048;
    private static final int WATCHED_JOBS_MAX = 100;
    private static final int TOO_MANY_WATCHES = 1032;

    private final Database database;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final WatchLooks looks;
    private final EventDispatcher dispatcher;
    private final WatchBudget budget;
    private final Consumer<FeedSubscription<?>> onEnd;
    private final BatchSize pageSize = new BatchSize(PAGE_MAX);
    private final Loop loop;

    /** The followed jobs by id. */
    @GuardedBy("this") private final Map<String, FollowedJob> jobs = new HashMap<>();

    @GuardedBy("this") private boolean byFeed;

    @GuardedBy("this") private boolean closed;

    /** Whether FoundationDB has refused a watch; it is never reset, since a notifier without jobs is closed. */
    @GuardedBy("this") private boolean watchesRefused;

    /** How many watches of the budget are reserved. */
    @GuardedBy("this") private int reservedWatches;

    @GuardedBy("this") private final RoundPacing pacing;

    /** The error of a watch that has failed since the present round began. */
    @GuardedBy("this") private @Nullable Throwable watchFailure;

    /** Ends the pause of the present round when a watch on a row fires. */
    @GuardedBy("this") private CompletableFuture<Void> rowChange = new CompletableFuture<>();

    /** @param onEnd receives subscriptions that have ended */
    Notifier(
            Instance instance,
            String typeName,
            EventDispatcher dispatcher,
            WatchBudget budget,
            Consumer<FeedSubscription<?>> onEnd) {
        this.database = instance.database();
        this.pacing = new RoundPacing(instance.environment());
        this.transactions = instance.transactions().named("notify", typeName);
        this.keys = instance.keyspace().type(typeName);
        this.looks = instance.looks();
        this.dispatcher = dispatcher;
        this.budget = budget;
        this.onEnd = onEnd;
        this.loop = new Loop("notifier of " + typeName, instance.environment(), this::round);
        var unused = loop.ended().thenRun(this::loopEnded);
    }

    /** A loop that ends by itself ends with the database of the instance: its subscriptions receive nothing more. */
    private void loopEnded() {
        boolean isOpen;
        synchronized (this) {
            isOpen = !closed;
        }
        if (isOpen) {
            dispatcher.close();
        }
    }

    void add(FeedSubscription<?> subscription) {
        synchronized (this) {
            jobs.computeIfAbsent(
                            subscription.jobId(), id -> new FollowedJob(new JobRef(keys, id), subscription.position()))
                    .add(subscription);
        }
        loop.wakeUp();
    }

    /** {@return whether the notifier no longer follows a job} */
    synchronized boolean remove(FeedSubscription<?> subscription) {
        FollowedJob job = jobs.get(subscription.jobId());
        if (job != null && job.remove(subscription) && !job.hasSubscribers()) {
            jobs.remove(subscription.jobId());
            job.unwatch();
        }
        return jobs.isEmpty();
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        loop.close();
        synchronized (this) {
            unwatchAll();
        }
    }

    private CompletableFuture<Pause> round() {
        ChangeScan scan;
        synchronized (this) {
            if (jobs.isEmpty()) {
                return CompletableFuture.completedFuture(Pause.untilWakeUp());
            }
            chooseMode();
            watchFailure = null;
            scan = new ChangeScan(keys, beginRound(), !byFeed);
        }
        return pageSize.run(tries -> transactions.run(database, tx -> tries.next(size -> scan.run(tx, size))))
                .whenComplete((scanResult, error) -> {
                    if (error != null) {
                        requestReads(scan);
                    }
                })
                .thenApply(scanResult -> {
                    if (requiresOtherJobs(scan, scanResult)) {
                        return Pause.none();
                    }
                    boolean hadChanges = deliverChanges(scan, scanResult);
                    return endRound(scan, scanResult, hadChanges);
                });
    }

    /**
     * Whether the feed contains changes of other jobs, whose watches have not fired yet. Then the next round reads
     * these jobs too, since changes of one type are delivered in the order of their commits.
     */
    private synchronized boolean requiresOtherJobs(ChangeScan scan, ChangeScan.ScanResult scanResult) {
        Set<FollowedJob> scannedJobs =
                scan.snapshots().stream().map(FollowedJob.JobSnapshot::job).collect(Collectors.toSet());
        Set<FollowedJob> otherJobs = new HashSet<>();
        for (FeedEntry entry : scanResult.entries()) {
            FollowedJob job = jobs.get(entry.jobId());
            if (job != null && !scannedJobs.contains(job) && job.wantsAllChanges() && job.isNew(entry.sequence())) {
                otherJobs.add(job);
            }
        }
        if (otherJobs.isEmpty()) {
            return false;
        }
        otherJobs.forEach(FollowedJob::requestRead);
        scannedJobs.forEach(FollowedJob::requestRead);
        scanResult.watches().values().forEach(armed -> armed.forEach(watch -> watch.cancel(false)));
        return true;
    }

    /** Chooses the mode. It changes from feed to rows only at half the number of jobs, so that it seldom changes. */
    @GuardedBy("this") private void chooseMode() {
        int watches =
                jobs.values().stream().mapToInt(FollowedJob::watchesAtMost).sum();
        int jobsMax = byFeed ? WATCHED_JOBS_MAX / 2 : WATCHED_JOBS_MAX;
        if (!watchesRefused && jobs.size() <= jobsMax && budget.tryReserve(watches - reservedWatches)) {
            reservedWatches = watches;
            byFeed = false;
        } else {
            unwatchAll();
            byFeed = true;
        }
    }

    @GuardedBy("this") private void unwatchAll() {
        jobs.values().forEach(FollowedJob::unwatch);
        budget.tryReserve(-reservedWatches);
        reservedWatches = 0;
    }

    /** Takes snapshots of the jobs that this round reads. */
    @GuardedBy("this") private List<FollowedJob.JobSnapshot> beginRound() {
        boolean isRefresh = byFeed || isTimeToRefresh();
        return jobs.values().stream()
                .filter(job -> isRefresh || job.needsRead() || !job.isWatched())
                .map(FollowedJob::beginRound)
                .toList();
    }

    /** Whether this round reads all jobs: their refresh is overdue, or it began although no job needs a read. */
    @GuardedBy("this") private boolean isTimeToRefresh() {
        return pacing.isTimeToRefresh() || jobs.values().stream().noneMatch(FollowedJob::needsRead);
    }

    private synchronized void requestReads(ChangeScan scan) {
        scan.snapshots().forEach(snapshot -> snapshot.job().requestRead());
    }

    /** {@return whether there was a change to deliver} */
    private boolean deliverChanges(ChangeScan scan, ChangeScan.ScanResult scanResult) {
        Map<String, FollowedJob.JobSnapshot> changed = new HashMap<>();
        scanResult.changed().forEach(snapshot -> changed.put(snapshot.ref().id(), snapshot));
        boolean hadChanges = false;
        for (FeedEntry entry : scanResult.entries()) {
            FollowedJob.JobSnapshot snapshot = changed.get(entry.jobId());
            if (snapshot != null) {
                deliver(snapshot, new PendingChange(entry.sequence(), entry.state()));
                hadChanges = true;
            }
        }
        Set<FollowedJob.JobSnapshot> byState = new HashSet<>(scanResult.trimmed());
        if (scan.byRows()) {
            scan.snapshots().stream().filter(snapshot -> !snapshot.allChanges()).forEach(byState::add);
        }
        for (FollowedJob.JobSnapshot snapshot : byState) {
            Optional<JobState> state = Optional.ofNullable(
                            scanResult.fingerprints().get(snapshot.ref().id()))
                    .flatMap(JobFingerprint::state);
            boolean isDeliveredFromFeed = changed.containsKey(snapshot.ref().id())
                    && !scanResult.trimmed().contains(snapshot);
            if (state.isPresent() && !isDeliveredFromFeed) {
                deliver(snapshot, new PendingChange(scanResult.readUpTo(), state.get()));
                hadChanges = true;
            }
        }
        return hadChanges;
    }

    private void deliver(FollowedJob.JobSnapshot snapshot, PendingChange change) {
        for (FeedSubscription<?> subscription : snapshot.subscribers()) {
            if (!dispatcher.deliver(subscription, change)) {
                onEnd.accept(subscription);
            }
        }
    }

    private synchronized Pause endRound(ChangeScan scan, ChangeScan.ScanResult scanResult, boolean hadChanges) {
        Set<FollowedJob.JobSnapshot> changed = new HashSet<>(scanResult.changed());
        Set<FollowedJob.JobSnapshot> trimmed = new HashSet<>(scanResult.trimmed());
        for (FollowedJob.JobSnapshot snapshot : scan.snapshots()) {
            FollowedJob job = snapshot.job();
            String id = snapshot.ref().id();
            List<CompletableFuture<Void>> armed = scanResult.watches().getOrDefault(id, List.of());
            if (jobs.get(id) != job) {
                armed.forEach(watch -> watch.cancel(false));
                continue;
            }
            job.advanceTo(
                    receivedUpTo(snapshot, scanResult, changed, trimmed),
                    scanResult.fingerprints().get(id));
            if (snapshot.allChanges() != job.wantsAllChanges()) { // subscribers were added or removed meanwhile
                armed.forEach(watch -> watch.cancel(false));
                job.requestRead();
                continue;
            }
            if (scanResult.hasMore() && changed.contains(snapshot) && !trimmed.contains(snapshot)) {
                job.requestRead();
            }
            if (!armed.isEmpty()) {
                watch(job, armed);
            }
        }
        if (scanResult.hasMore()) {
            return Pause.none();
        }
        return byFeed
                ? pacing.afterFeed(
                        hadChanges, looks.await(scanResult.typeWatch().orElseThrow()))
                : afterRows(scan, scanResult);
    }

    private static Versionstamp receivedUpTo(
            FollowedJob.JobSnapshot snapshot,
            ChangeScan.ScanResult scanResult,
            Set<FollowedJob.JobSnapshot> changed,
            Set<FollowedJob.JobSnapshot> trimmed) {
        if (!scanResult.hasMore() || !changed.contains(snapshot) || trimmed.contains(snapshot)) {
            return scanResult.readUpTo();
        }
        List<FeedEntry> entries = scanResult.entries();
        return entries.isEmpty()
                ? snapshot.receivedUpTo()
                : later(snapshot.receivedUpTo(), entries.get(entries.size() - 1).sequence());
    }

    private static Versionstamp later(Versionstamp left, Versionstamp right) {
        return left.compareTo(right) > 0 ? left : right;
    }

    @GuardedBy("this") private void watch(FollowedJob job, List<CompletableFuture<Void>> armed) {
        if (byFeed || closed) {
            armed.forEach(watch -> watch.cancel(false));
            return;
        }
        job.watch(armed);
        armed.forEach(watch -> {
            var unused = watch.whenComplete((value, error) -> watchCompleted(job, watch, error));
        });
    }

    /** Ends the pause, unless this process has cancelled the watch and so removed it from the job. */
    private void watchCompleted(FollowedJob job, CompletableFuture<Void> watch, @Nullable Throwable error) {
        CompletableFuture<Void> wakeUp;
        synchronized (this) {
            if (!job.isWatchedBy(watch)) {
                return;
            }
            job.unwatch();
            job.requestRead();
            wakeUp = rowChange;
            if (error != null && isRefused(error)) {
                watchesRefused = true;
            } else if (error != null) {
                watchFailure = error;
            }
        }
        if (error == null || isRefused(error)) {
            wakeUp.complete(null);
        } else {
            wakeUp.completeExceptionally(error); // the loop backs off, and then reads the job
        }
    }

    private static boolean isRefused(Throwable error) {
        return RootCauses.hasCode(error, TOO_MANY_WATCHES);
    }

    @GuardedBy("this") private Pause afterRows(ChangeScan scan, ChangeScan.ScanResult scanResult) {
        boolean wasRefresh = scan.snapshots().size() == jobs.size();
        if (wasRefresh) {
            boolean allChanges = jobs.values().stream().anyMatch(FollowedJob::wantsAllChanges);
            pacing.refreshed(scanResult.lastChange(), allChanges);
        }
        rowChange = new CompletableFuture<>();
        if (watchFailure != null) {
            rowChange.completeExceptionally(watchFailure);
        } else if (jobs.values().stream().anyMatch(FollowedJob::needsRead)) {
            rowChange.complete(null);
        }
        return pacing.afterRows(rowChange);
    }
}
