package dev.couchjobs.internal.limits;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Rate;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.queue.QueueEntry;
import dev.couchjobs.internal.queue.QueueListing;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The candidates of a claim that may not start although they have slots: their limit keys are paused, or their rates
 * allow no more starts. The claim puts them back into the limited queue, with the jobs of these keys among the next
 * rows of the queue.
 */
public final class HeldCandidates {
    /** The number of rows behind the candidates among which a claim looks for further jobs. */
    private static final int FURTHER = 100;

    private final TypeKeys keys;
    private final Map<String, KeyLimit> limits;
    private final Map<String, RateMeter> meters;
    /** How many more candidates of each rated key may be claimed. */
    private final Map<String, Integer> tokens = new HashMap<>();
    /** The version from which each of the rated keys has a token whose tokens the claim uses up. */
    private final Map<String, OptionalLong> tokensAt = new HashMap<>();

    private final Map<String, List<LimitedJob>> found = new LinkedHashMap<>();
    private @Nullable QueueEntry last;

    private HeldCandidates(TypeKeys keys, Map<String, KeyLimit> limits, Map<String, RateMeter> meters) {
        this.keys = keys;
        this.limits = limits;
        this.meters = meters;
        meters.forEach((key, meter) -> tokens.put(key, meter.available()));
    }

    /** {@return what a claim needs to tell them} Its read of the limit keys conflicts with changes of these. */
    public static CompletableFuture<HeldCandidates> read(
            Transaction tx, TypeKeys keys, Allowance allowance, List<Optional<JobRow>> candidates) {
        Set<String> limitKeys = new HashSet<>();
        if (allowance.hasPausedKeys() || allowance.hasRatedKeys()) {
            candidates.forEach(job -> job.map(row -> row.options().limitKey()).ifPresent(limitKeys::add));
        }
        return limitKeys.isEmpty()
                ? CompletableFuture.completedFuture(new HeldCandidates(keys, Map.of(), Map.of()))
                : SlotTable.ownLimits(tx, keys, limitKeys)
                        .thenCompose(limits -> readMeters(tx, keys, limits)
                                .thenApply(meters -> new HeldCandidates(keys, limits, meters)));
    }

    private static CompletableFuture<Map<String, RateMeter>> readMeters(
            Transaction tx, TypeKeys keys, Map<String, KeyLimit> limits) {
        Map<String, RateMeter> meters = new ConcurrentHashMap<>();
        List<CompletableFuture<?>> reads = new ArrayList<>();
        limits.forEach((key, limit) -> {
            Rate rate = limit.rate();
            if (rate != null && !limit.isPaused()) {
                reads.add(RateMeter.readOfKey(tx, keys, key, rate).thenAccept(meter -> meters.put(key, meter)));
            }
        });
        return Futures.allOf(reads).thenApply(done -> meters);
    }

    /** {@return whether the limit key of a candidate is paused} */
    public boolean isPaused(JobRow job) {
        KeyLimit limit = limit(job);
        return limit != null && limit.isPaused();
    }

    private @Nullable KeyLimit limit(JobRow job) {
        String limitKey = job.options().limitKey();
        return limitKey == null ? null : limits.get(limitKey);
    }

    /** {@return whether the rate of a candidate's limit key lets it start after those for which this was called} */
    public boolean mayStart(JobRow job) {
        String limitKey = job.options().limitKey();
        Integer left = limitKey == null ? null : tokens.get(limitKey);
        if (limitKey == null || left == null) {
            return true;
        }
        tokens.put(limitKey, Math.max(0, left - 1));
        return left > 0;
    }

    /** Adds a candidate to put back. */
    public void add(QueueEntry row, JobRef ref, JobRow job) {
        LimitedJob limited = LimitedJob.of(ref, job);
        found.computeIfAbsent(limited.limitKey(), key -> new ArrayList<>()).add(limited);
        last = row;
    }

    /**
     * Uses tokens for the claims. The added candidates of a key with tokens that remain stay in the queue.
     *
     * @return how many tokens were used
     */
    public int start(Transaction tx, List<RowChange> claims) {
        Map<String, Integer> starts = new HashMap<>();
        for (RowChange claim : claims) {
            String limitKey = Objects.requireNonNull(claim.before()).options().limitKey();
            if (limitKey != null && meters.containsKey(limitKey)) {
                starts.merge(limitKey, 1, Integer::sum);
            }
        }
        meters.forEach((key, meter) -> {
            int jobs = starts.getOrDefault(key, 0);
            if (jobs > 0) {
                meter.start(tx, jobs);
            }
            if (jobs < meter.available()) {
                found.remove(key);
            } else {
                tokensAt.put(key, OptionalLong.of(meter.versionOfNext()));
            }
        });
        return starts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** {@return whether there is no candidate to put back} */
    public boolean isEmpty() {
        return found.isEmpty();
    }

    /**
     * Puts the added candidates back, and further jobs of their keys.
     *
     * @param selected the ids of all candidates
     * @param ref the jobs by id
     * @return the ids of the jobs
     */
    public CompletableFuture<Set<String>> putBack(Transaction tx, Set<String> selected, Function<String, JobRef> ref) {
        QueueEntry behind = last;
        if (behind == null) {
            return CompletableFuture.completedFuture(Set.of());
        }
        return new QueueListing(keys)
                .behind(tx, behind, FURTHER)
                .thenCompose(rows -> Futures.allOf(rows.stream()
                        .filter(row -> !selected.contains(row.jobId()))
                        .map(row -> addIfHeld(tx, row, ref.apply(row.jobId())))
                        .toList()))
                .thenCompose(done -> Futures.allOf(found.entrySet().stream()
                        .map(ofKey -> SlotTable.putBack(
                                tx,
                                keys,
                                ofKey.getKey(),
                                ofKey.getValue(),
                                tokensAt.getOrDefault(ofKey.getKey(), OptionalLong.empty())))
                        .toList()))
                .thenApply(done -> {
                    Set<String> ids = new HashSet<>();
                    found.values()
                            .forEach(jobs ->
                                    jobs.forEach(job -> ids.add(job.ref().id())));
                    return ids;
                });
    }

    /** Reads a job without a conflict unless it is put back, so that other claims can claim it. */
    private CompletableFuture<?> addIfHeld(Transaction tx, QueueEntry row, JobRef ref) {
        return JobTable.find(tx.snapshot(), ref)
                .thenAccept(job -> job.filter(pending -> row.matches(ref, pending))
                        .filter(this::isHeld)
                        .ifPresent(held -> {
                            JobTable.conflictWithChanges(tx, ref);
                            synchronized (this) {
                                add(row, ref, held);
                            }
                        }));
    }

    private boolean isHeld(JobRow job) {
        String limitKey = job.options().limitKey();
        return limitKey != null && (isPaused(job) || tokensAt.containsKey(limitKey));
    }
}
