package dev.couchjobs.internal.notify;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.tuple.Versionstamp;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.data.FeedEntry;
import dev.couchjobs.internal.data.JobFingerprint;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.loop.BatchSize;
import dev.couchjobs.internal.loop.RootCauses;
import dev.couchjobs.internal.transactions.Transactions;
import dev.couchjobs.loop.Loop;
import dev.couchjobs.loop.Pause;
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
 * Follows the jobs of one type for all subscribers in this process, in one of two ways.
 *
 * <p><b>By rows</b>, while there are few jobs: it watches the keys that the next change of each job writes, so the
 * changes of other jobs cost nothing. When a watch fires it reads the job and, for subscribers who want every change,
 * the feed from where they were told up to. So that this is not far, it looks at its jobs every few seconds while the
 * type is busy: those that are as they were have had no change up to then.
 *
 * <p><b>By feed</b>, while there are many jobs, or not enough watches: it reads the feed of the type, again and again,
 * with a pause after each round that doubles up to a second when there was nothing for a subscriber in it, and halves
 * when there was.
 */
final class Notifier implements AutoCloseable {
    private static final int PAGE_MAX = 2_048;
    private static final int WATCHED_JOBS_MAX = 100;
    private static final int TOO_MANY_WATCHES = 1032;

    private final Database database;
    private final Transactions transactions;
    private final TypeKeys keys;
    private final EventDispatcher dispatcher;
    private final WatchBudget budget;
    private final Consumer<FeedSubscription<?>> onEnd;
    private final BatchSize page = new BatchSize(PAGE_MAX);
    private final Loop loop;

    @GuardedBy("this") private final Map<String, FollowedJob> followeds = new HashMap<>();

    @GuardedBy("this") private boolean byFeed;

    @GuardedBy("this") private boolean closed;

    /** Set when FoundationDB has refused a watch; stays until nothing is followed any more. */
    @GuardedBy("this") private boolean watchesRefused;

    /** What of the budget is taken. */
    @GuardedBy("this") private int budgeted;

    @GuardedBy("this") private final RoundPacing pacing;

    /** Why a watch has failed since the present round began, or while its pause lasts. */
    @GuardedBy("this") private @Nullable Throwable watchFailure;

    /** Completes when a watch on a row fires, if a pause waits for it. */
    @GuardedBy("this") private CompletableFuture<Void> fired = new CompletableFuture<>();

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
        this.dispatcher = dispatcher;
        this.budget = budget;
        this.onEnd = onEnd;
        this.loop = new Loop("notifier of " + typeName, instance.environment(), this::round);
    }

    void add(FeedSubscription<?> subscription) {
        synchronized (this) {
            followeds
                    .computeIfAbsent(
                            subscription.jobId(), id -> new FollowedJob(new JobRef(keys, id), subscription.position()))
                    .add(subscription);
        }
        loop.wakeUp();
    }

    /** {@return whether it follows no job any more} */
    synchronized boolean remove(FeedSubscription<?> subscription) {
        FollowedJob job = followeds.get(subscription.jobId());
        if (job != null && job.remove(subscription) && !job.isWanted()) {
            followeds.remove(subscription.jobId());
            job.unwatch();
        }
        return followeds.isEmpty();
    }

    @Override
    public void close() {
        loop.close();
        synchronized (this) {
            closed = true;
            unwatchAll();
        }
    }

    private CompletableFuture<Pause> round() {
        ChangeScan scan;
        synchronized (this) {
            if (followeds.isEmpty()) {
                return CompletableFuture.completedFuture(Pause.untilWakeUp());
            }
            chooseMode();
            watchFailure = null;
            scan = new ChangeScan(keys, looks(), !byFeed);
        }
        return page.run(tries -> transactions.run(database, tx -> tries.next(size -> scan.run(tx, size))))
                .whenComplete((scanResult, error) -> {
                    if (error != null) {
                        lookAgain(scan);
                    }
                })
                .thenApply(scanResult -> {
                    if (isJoinedByOthers(scan, scanResult)) {
                        return Pause.none();
                    }
                    boolean wasNews = tell(scan, scanResult);
                    return endRound(scan, scanResult, wasNews);
                });
    }

    /**
     * Whether the feed contains other jobs whose watches have not fired yet. Then the round repeats with these,
     * since changes of one type are delivered in the order of their commits.
     */
    private synchronized boolean isJoinedByOthers(ChangeScan scan, ChangeScan.ScanResult scanResult) {
        Set<FollowedJob> looked =
                scan.looks().stream().map(FollowedJob.Look::job).collect(Collectors.toSet());
        Set<FollowedJob> others = new HashSet<>();
        for (FeedEntry entry : scanResult.entries()) {
            FollowedJob job = followeds.get(entry.jobId());
            if (job != null && !looked.contains(job) && job.wantsAllChanges() && job.isNew(entry.sequence())) {
                others.add(job);
            }
        }
        if (others.isEmpty()) {
            return false;
        }
        others.forEach(FollowedJob::makeDue);
        looked.forEach(FollowedJob::makeDue);
        scanResult.watches().values().forEach(armed -> armed.forEach(watch -> watch.cancel(false)));
        return true;
    }

    /**
     * Goes back from the feed to rows only when there are far fewer, so that it does not change its way all the time.
     */
    @GuardedBy("this") private void chooseMode() {
        int watches =
                followeds.values().stream().mapToInt(FollowedJob::watchesAtMost).sum();
        int jobsMax = byFeed ? WATCHED_JOBS_MAX / 2 : WATCHED_JOBS_MAX;
        if (!watchesRefused && followeds.size() <= jobsMax && budget.take(watches - budgeted)) {
            budgeted = watches;
            byFeed = false;
        } else {
            unwatchAll();
            byFeed = true;
        }
    }

    @GuardedBy("this") private void unwatchAll() {
        followeds.values().forEach(FollowedJob::unwatch);
        budget.take(-budgeted);
        budgeted = 0;
    }

    @GuardedBy("this") private List<FollowedJob.Look> looks() {
        boolean isRefresh = byFeed || isTimeToRefresh();
        return followeds.values().stream()
                .filter(job -> isRefresh || job.isDue() || !job.isWatched())
                .map(FollowedJob::look)
                .toList();
    }

    /** Either that was what this round has waited for, or it has been put off by others. */
    @GuardedBy("this") private boolean isTimeToRefresh() {
        return pacing.isTimeToRefresh() || followeds.values().stream().noneMatch(FollowedJob::isDue);
    }

    private synchronized void lookAgain(ChangeScan scan) {
        scan.looks().forEach(look -> look.job().makeDue());
    }

    /** {@return whether there was anything to deliver} */
    private boolean tell(ChangeScan scan, ChangeScan.ScanResult scanResult) {
        Map<String, FollowedJob.Look> changed = new HashMap<>();
        scanResult.changed().forEach(look -> changed.put(look.ref().id(), look));
        boolean wasNews = false;
        for (FeedEntry entry : scanResult.entries()) {
            FollowedJob.Look look = changed.get(entry.jobId());
            if (look != null) {
                tell(look, new PendingChange(entry.sequence(), entry.state()));
                wasNews = true;
            }
        }
        Set<FollowedJob.Look> byState = new HashSet<>(scanResult.behind());
        if (scan.byRows()) {
            scan.looks().stream().filter(look -> !look.withLog()).forEach(byState::add);
        }
        for (FollowedJob.Look look : byState) {
            Optional<JobState> state = Optional.ofNullable(
                            scanResult.fingerprints().get(look.ref().id()))
                    .flatMap(JobFingerprint::state);
            boolean isToldByFeed =
                    changed.containsKey(look.ref().id()) && !scanResult.behind().contains(look);
            if (state.isPresent() && !isToldByFeed) {
                tell(look, new PendingChange(scanResult.now(), state.get()));
                wasNews = true;
            }
        }
        return wasNews;
    }

    private void tell(FollowedJob.Look look, PendingChange change) {
        for (FeedSubscription<?> subscription : look.subscribers()) {
            if (!dispatcher.deliver(subscription, change)) {
                onEnd.accept(subscription);
            }
        }
    }

    private synchronized Pause endRound(ChangeScan scan, ChangeScan.ScanResult scanResult, boolean wasNews) {
        Set<FollowedJob.Look> changed = new HashSet<>(scanResult.changed());
        Set<FollowedJob.Look> behind = new HashSet<>(scanResult.behind());
        for (FollowedJob.Look look : scan.looks()) {
            FollowedJob job = look.job();
            String id = look.ref().id();
            List<CompletableFuture<Void>> armed = scanResult.watches().getOrDefault(id, List.of());
            if (followeds.get(id) != job) {
                armed.forEach(watch -> watch.cancel(false));
                continue;
            }
            job.told(
                    upTo(look, scanResult, changed, behind),
                    scanResult.fingerprints().get(id));
            if (look.withLog()
                    != job.wantsAllChanges()) { // a subscriber joined who wants more, or all who did have left
                armed.forEach(watch -> watch.cancel(false));
                job.makeDue();
                continue;
            }
            if (scanResult.hasMore() && changed.contains(look) && !behind.contains(look)) {
                job.makeDue();
            }
            if (!armed.isEmpty()) {
                watch(job, armed);
            }
        }
        if (scanResult.hasMore()) {
            return Pause.none();
        }
        return byFeed ? pacing.afterFeed(wasNews, scanResult.typeWatch().orElseThrow()) : afterRows(scan, scanResult);
    }

    private static Versionstamp upTo(
            FollowedJob.Look look,
            ChangeScan.ScanResult scanResult,
            Set<FollowedJob.Look> changed,
            Set<FollowedJob.Look> behind) {
        if (!scanResult.hasMore() || !changed.contains(look) || behind.contains(look)) {
            return scanResult.now();
        }
        List<FeedEntry> entries = scanResult.entries();
        return entries.isEmpty()
                ? look.known()
                : later(look.known(), entries.get(entries.size() - 1).sequence());
    }

    private static Versionstamp later(Versionstamp one, Versionstamp other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    @GuardedBy("this") private void watch(FollowedJob job, List<CompletableFuture<Void>> armed) {
        if (byFeed || closed) {
            armed.forEach(watch -> watch.cancel(false));
            return;
        }
        job.watch(armed);
        armed.forEach(watch -> {
            var unused = watch.whenComplete((value, error) -> fired(job, watch, error));
        });
    }

    /** What this process cancels itself is not among the watches of the job any more. */
    private void fired(FollowedJob job, CompletableFuture<Void> watch, @Nullable Throwable error) {
        CompletableFuture<Void> wakeUp;
        synchronized (this) {
            if (!job.isWatchedBy(watch)) {
                return;
            }
            job.unwatch();
            job.makeDue();
            wakeUp = fired;
            if (error != null && isRefused(error)) {
                watchesRefused = true;
            } else if (error != null) {
                watchFailure = error;
            }
        }
        if (error == null || isRefused(error)) {
            wakeUp.complete(null);
        } else {
            wakeUp.completeExceptionally(error); // the loop backs off, and then the job is looked at
        }
    }

    private static boolean isRefused(Throwable error) {
        return RootCauses.of(error) instanceof FDBException failure && failure.getCode() == TOO_MANY_WATCHES;
    }

    @GuardedBy("this") private Pause afterRows(ChangeScan scan, ChangeScan.ScanResult scanResult) {
        boolean wasRefresh = scan.looks().size() == followeds.size();
        if (wasRefresh) {
            boolean allChanges = followeds.values().stream().anyMatch(FollowedJob::wantsAllChanges);
            pacing.refreshed(scanResult.lastChange(), allChanges);
        }
        fired = new CompletableFuture<>();
        if (watchFailure != null) {
            fired.completeExceptionally(watchFailure);
        } else if (followeds.values().stream().anyMatch(FollowedJob::isDue)) {
            fired.complete(null);
        }
        return pacing.afterRows(fired);
    }
}
