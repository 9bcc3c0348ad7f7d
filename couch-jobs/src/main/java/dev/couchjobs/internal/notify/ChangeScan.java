package dev.couchjobs.internal.notify;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobState;
import dev.couchjobs.internal.data.ChangeFeed;
import dev.couchjobs.internal.data.FeedEntry;
import dev.couchjobs.internal.data.IncompleteVersionstamps;
import dev.couchjobs.internal.data.JobFingerprint;
import dev.couchjobs.internal.data.TypeKeys;
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
 * <p>By rows, it reads the fingerprint of each job and arms the watches that are not armed. Only for a job that may
 * have changed does it read the feed, from where the job's subscribers were told up to. By feed, it reads the feed for
 * all jobs, and arms the type's watch when there is nothing more to read. In both the watch is armed by the transaction
 * that has seen that there is nothing more, so no change is lost in between.
 *
 * @param keys the keys of the type
 * @param looks the jobs, as the round found them
 * @param byRows whether to watch the rows of the jobs
 */
record ChangeScan(TypeKeys keys, List<FollowedJob.Look> looks, boolean byRows) {

    /**
     * What a round has read.
     *
     * @param now all changes up to here have been seen, unless there are more
     * @param fingerprints by job id, those that were read
     * @param watches by job id, those that were armed
     * @param changed the jobs for which the feed was read, or which have fallen behind it
     * @param entries of the feed, for those jobs
     * @param hasMore whether there is more to read for them
     * @param behind of these, the ones whose changes have been trimmed away: they receive the present state
     * @param typeWatch the type's watch, if it was armed
     * @param lastChange the last change of any job of the type, if that was read
     */
    record ScanResult(
            Versionstamp now,
            Map<String, JobFingerprint> fingerprints,
            Map<String, List<CompletableFuture<Void>>> watches,
            List<FollowedJob.Look> changed,
            List<FeedEntry> entries,
            boolean hasMore,
            List<FollowedJob.Look> behind,
            Optional<CompletableFuture<Void>> typeWatch,
            @Nullable Versionstamp lastChange) {}

    private record ScannedRows(
            Map<String, JobFingerprint> fingerprints, Map<String, List<CompletableFuture<Void>>> watches) {}

    private record Feed(
            List<FollowedJob.Look> changed, List<FeedEntry> entries, boolean hasMore, List<FollowedJob.Look> behind) {
        static final Feed UNREAD = new Feed(List.of(), List.of(), false, List.of());
    }

    /** @param size how many entries of the feed, or fingerprints of jobs that have fallen behind it, to read at most */
    CompletableFuture<ScanResult> run(Transaction tx, int size) {
        return tx.getReadVersion().thenCompose(version -> {
            Versionstamp now = IncompleteVersionstamps.upTo(version);
            CompletableFuture<@Nullable Versionstamp> lastChange =
                    byRows ? ChangeFeed.lastChange(tx, keys) : CompletableFuture.completedFuture(null);
            return (byRows ? runByRows(tx, now, size) : runByFeed(tx, now, size))
                    .thenCombine(
                            lastChange,
                            (scanResult, last) -> last == null ? scanResult : withLastChange(scanResult, last));
        });
    }

    private static ScanResult withLastChange(ScanResult scanResult, Versionstamp last) {
        return new ScanResult(
                scanResult.now,
                scanResult.fingerprints,
                scanResult.watches,
                scanResult.changed,
                scanResult.entries,
                scanResult.hasMore,
                scanResult.behind,
                scanResult.typeWatch,
                last);
    }

    private CompletableFuture<ScanResult> runByRows(Transaction tx, Versionstamp now, int size) {
        return fingerprints(tx, looks)
                .thenCompose(scanned -> readFeed(tx, changed(scanned.fingerprints), size)
                        .thenApply(feed -> scanResult(now, scanned, feed, Optional.empty())));
    }

    private CompletableFuture<ScanResult> runByFeed(Transaction tx, Versionstamp now, int size) {
        return readFeed(tx, looks, size)
                .thenCompose(feed -> fingerprints(tx, feed.behind).thenApply(scanned -> {
                    boolean atEnd = !feed.hasMore;
                    Optional<CompletableFuture<Void>> watch =
                            atEnd ? Optional.of(tx.watch(keys.watchesActivity())) : Optional.empty();
                    return scanResult(now, new ScannedRows(scanned.fingerprints, Map.of()), feed, watch);
                }));
    }

    private static ScanResult scanResult(
            Versionstamp now, ScannedRows scanned, Feed feed, Optional<CompletableFuture<Void>> typeWatch) {
        return new ScanResult(
                now,
                scanned.fingerprints,
                scanned.watches,
                feed.changed,
                feed.entries,
                feed.hasMore,
                feed.behind,
                typeWatch,
                null);
    }

    /**
     * The jobs whose changes have to be read from the feed. A job of which only the end is wanted and that is there
     * says by itself whether it has ended; only when it is gone does the feed say whether it had ended before.
     */
    private List<FollowedJob.Look> changed(Map<String, JobFingerprint> fingerprints) {
        return looks.stream()
                .filter(look -> {
                    JobFingerprint fingerprint = fingerprints.get(look.ref().id());
                    return fingerprint == null
                            || (look.withLog()
                                    ? look.due() || !fingerprint.isSameAs(look.fingerprint())
                                    : fingerprint.state().equals(Optional.of(JobState.NOT_FOUND)));
                })
                .toList();
    }

    private CompletableFuture<ScannedRows> fingerprints(Transaction tx, List<FollowedJob.Look> of) {
        Map<String, CompletableFuture<JobFingerprint>> reads = new HashMap<>();
        of.forEach(look -> reads.put(look.ref().id(), JobFingerprint.read(tx, look.ref(), look.withLog())));
        return CompletableFuture.allOf(reads.values().toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    Map<String, JobFingerprint> fingerprints = new HashMap<>();
                    Map<String, List<CompletableFuture<Void>>> watches = new HashMap<>();
                    for (FollowedJob.Look look : of) {
                        String id = look.ref().id();
                        JobFingerprint fingerprint =
                                Objects.requireNonNull(reads.get(id)).join();
                        fingerprints.put(id, fingerprint);
                        if (byRows && !look.armed()) {
                            watches.put(id, fingerprint.watch(tx, look.ref()));
                        }
                    }
                    return new ScannedRows(fingerprints, watches);
                });
    }

    private CompletableFuture<Feed> readFeed(Transaction tx, List<FollowedJob.Look> changed, int size) {
        Optional<Versionstamp> from =
                changed.stream().map(FollowedJob.Look::known).min(Comparator.naturalOrder());
        if (from.isEmpty()) {
            return CompletableFuture.completedFuture(Feed.UNREAD);
        }
        CompletableFuture<List<FeedEntry>> entries = ChangeFeed.read(tx, keys, from.get(), size);
        return ChangeFeed.trimmedUpTo(tx, keys)
                .thenCombine(
                        entries,
                        (trimmed, read) -> trimmed != null && from.get().compareTo(trimmed) < 0
                                ? fallenBehind(changed, trimmed, size)
                                : new Feed(changed, read, read.size() >= size, List.of()));
    }

    /**
     * The feed was trimmed before this process could read on: some jobs are looked at instead, and the others next
     * time.
     */
    private static Feed fallenBehind(List<FollowedJob.Look> changed, Versionstamp trimmed, int size) {
        List<FollowedJob.Look> behind = changed.stream()
                .filter(look -> look.known().compareTo(trimmed) < 0)
                .limit(size)
                .toList();
        return new Feed(changed, List.of(), true, behind);
    }
}
