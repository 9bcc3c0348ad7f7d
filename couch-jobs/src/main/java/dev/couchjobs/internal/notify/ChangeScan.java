package dev.couchjobs.internal.notify;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.feed.ChangeFeed;
import dev.couchjobs.internal.feed.FeedEntry;
import dev.couchjobs.internal.feed.FeedKeys;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.rows.IncompleteVersionstamps;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.loop.ArmedWatch;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One transaction of a notifier, which only reads.
 *
 * <p>By rows, it reads the fingerprint of each job and arms the watches that are not armed. It reads the feed only for
 * jobs that may have changed, from the last change that their subscribers have received. By feed, it reads the feed for
 * all jobs, and arms the type's watch at the end of the feed. In both cases the transaction that arms a watch has read
 * all changes before it, so no change is lost between the read and the watch.
 *
 * @param keys the keys of the type
 * @param snapshots the jobs to read
 * @param byRows whether to watch the rows of the jobs
 */
record ChangeScan(TypeKeys keys, List<FollowedJob.JobSnapshot> snapshots, boolean byRows) {

    /**
     * The result of a scan.
     *
     * @param readUpTo all changes up to this sequence have been read, unless {@code hasMore}
     * @param fingerprints the fingerprints that were read, by job id
     * @param watches the watches that were armed, by job id
     * @param changed the jobs for which the feed was read
     * @param entries the entries of the feed
     * @param hasMore whether the feed may have more entries for these jobs
     * @param trimmed the jobs whose changes have been trimmed from the feed: subscribers receive the present state
     * @param typeWatch the type's watch, if it was armed
     * @param lastChange the last change of any job of the type, if that was read
     */
    record ScanResult(
            Versionstamp readUpTo,
            Map<String, JobFingerprint> fingerprints,
            Map<String, List<CompletableFuture<Void>>> watches,
            List<FollowedJob.JobSnapshot> changed,
            List<FeedEntry> entries,
            boolean hasMore,
            List<FollowedJob.JobSnapshot> trimmed,
            Optional<ArmedWatch> typeWatch,
            @Nullable Versionstamp lastChange) {}

    private record ScannedRows(
            Map<String, JobFingerprint> fingerprints, Map<String, List<CompletableFuture<Void>>> watches) {}

    private record FeedPage(
            List<FollowedJob.JobSnapshot> changed,
            List<FeedEntry> entries,
            boolean hasMore,
            List<FollowedJob.JobSnapshot> trimmed) {
        static final FeedPage EMPTY = new FeedPage(List.of(), List.of(), false, List.of());
    }

    /** @param size the largest number of entries of the feed, or of fingerprints of trimmed jobs, to read */
    CompletableFuture<ScanResult> run(Transaction tx, int size) {
        return tx.getReadVersion().thenCompose(version -> {
            Versionstamp readUpTo = IncompleteVersionstamps.upTo(version);
            CompletableFuture<@Nullable Versionstamp> lastChange =
                    byRows ? ChangeFeed.lastChange(tx, keys) : CompletableFuture.completedFuture(null);
            return (byRows ? runByRows(tx, readUpTo, size) : runByFeed(tx, readUpTo, size))
                    .thenCombine(
                            lastChange,
                            (scanResult, change) -> change == null ? scanResult : withLastChange(scanResult, change));
        });
    }

    private static ScanResult withLastChange(ScanResult scanResult, Versionstamp lastChange) {
        return new ScanResult(
                scanResult.readUpTo,
                scanResult.fingerprints,
                scanResult.watches,
                scanResult.changed,
                scanResult.entries,
                scanResult.hasMore,
                scanResult.trimmed,
                scanResult.typeWatch,
                lastChange);
    }

    private CompletableFuture<ScanResult> runByRows(Transaction tx, Versionstamp readUpTo, int size) {
        return readFingerprints(tx, snapshots)
                .thenCompose(scanned -> readFeed(tx, changedJobs(scanned.fingerprints), size)
                        .thenApply(page -> resultOf(readUpTo, scanned, page, Optional.empty())));
    }

    private CompletableFuture<ScanResult> runByFeed(Transaction tx, Versionstamp readUpTo, int size) {
        return readFeed(tx, snapshots, size)
                .thenCompose(page -> readFingerprints(tx, page.trimmed)
                        .thenCombine(typeWatch(tx, page), (scanned, typeWatch) -> {
                            ScannedRows rows = new ScannedRows(scanned.fingerprints, Map.of());
                            return resultOf(readUpTo, rows, page, typeWatch);
                        }));
    }

    private CompletableFuture<Optional<ArmedWatch>> typeWatch(Transaction tx, FeedPage page) {
        return page.hasMore
                ? CompletableFuture.completedFuture(Optional.empty())
                : ArmedWatch.arm(tx, FeedKeys.of(keys).watchesActivity()).thenApply(Optional::of);
    }

    private static ScanResult resultOf(
            Versionstamp readUpTo, ScannedRows scanned, FeedPage page, Optional<ArmedWatch> typeWatch) {
        return new ScanResult(
                readUpTo,
                scanned.fingerprints,
                scanned.watches,
                page.changed,
                page.entries,
                page.hasMore,
                page.trimmed,
                typeWatch,
                null);
    }

    /**
     * The jobs whose changes have to be read from the feed. If subscribers want only the end of a job, the job's row
     * tells whether it has ended; once the row is removed, the feed tells whether the job had ended before.
     */
    private List<FollowedJob.JobSnapshot> changedJobs(Map<String, JobFingerprint> fingerprints) {
        return snapshots.stream()
                .filter(snapshot -> {
                    JobFingerprint fingerprint = fingerprints.get(snapshot.ref().id());
                    return fingerprint == null
                            || (snapshot.allChanges()
                                    ? snapshot.needsRead() || !fingerprint.isSameAs(snapshot.fingerprint())
                                    : fingerprint.state().equals(Optional.of(JobState.NOT_FOUND)));
                })
                .toList();
    }

    private CompletableFuture<ScannedRows> readFingerprints(Transaction tx, List<FollowedJob.JobSnapshot> jobs) {
        Map<String, CompletableFuture<JobFingerprint>> reads = new HashMap<>();
        jobs.forEach(job -> reads.put(job.ref().id(), JobFingerprint.read(tx, job.ref(), job.allChanges())));
        return Futures.allOf(reads.values()).thenApply(done -> {
            Map<String, JobFingerprint> fingerprints = new HashMap<>();
            Map<String, List<CompletableFuture<Void>>> watches = new HashMap<>();
            for (FollowedJob.JobSnapshot job : jobs) {
                String id = job.ref().id();
                JobFingerprint fingerprint =
                        Objects.requireNonNull(reads.get(id)).join();
                fingerprints.put(id, fingerprint);
                if (byRows && !job.armed()) {
                    watches.put(id, fingerprint.watch(tx, job.ref()));
                }
            }
            return new ScannedRows(fingerprints, watches);
        });
    }

    private CompletableFuture<FeedPage> readFeed(Transaction tx, List<FollowedJob.JobSnapshot> changed, int size) {
        Optional<Versionstamp> from =
                changed.stream().map(FollowedJob.JobSnapshot::receivedUpTo).min(Comparator.naturalOrder());
        if (from.isEmpty()) {
            return CompletableFuture.completedFuture(FeedPage.EMPTY);
        }
        CompletableFuture<List<FeedEntry>> entries = ChangeFeed.read(tx, keys, from.get(), size);
        return ChangeFeed.trimmedUpTo(tx, keys)
                .thenCombine(
                        entries,
                        (trimmedUpTo, read) -> trimmedUpTo != null && from.get().compareTo(trimmedUpTo) < 0
                                ? trimmedPage(changed, trimmedUpTo, size)
                                : new FeedPage(changed, read, read.size() >= size, List.of()));
    }

    /**
     * The page for a feed that was trimmed before this process has read it. The scan reads the state of the first
     * trimmed jobs; later scans read the others.
     */
    private static FeedPage trimmedPage(List<FollowedJob.JobSnapshot> changed, Versionstamp trimmedUpTo, int size) {
        List<FollowedJob.JobSnapshot> trimmed = changed.stream()
                .filter(job -> job.receivedUpTo().compareTo(trimmedUpTo) < 0)
                .limit(size)
                .toList();
        return new FeedPage(changed, List.of(), true, trimmed);
    }
}
