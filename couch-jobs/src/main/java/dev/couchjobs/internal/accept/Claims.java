package dev.couchjobs.internal.accept;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.internal.data.JobRef;
import dev.couchjobs.internal.data.JobRow;
import dev.couchjobs.internal.data.JobTable;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.PendingQueue;
import dev.couchjobs.internal.data.TypeKeys;
import dev.couchjobs.internal.verbs.ClaimedJob;
import dev.couchjobs.internal.verbs.PayloadCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Takes jobs out of the pending queue of one type, many in one transaction.
 *
 * <p>The queue is read without conflicts; only the rows of the jobs taken conflict, so claims that take different jobs
 * never disturb each other.
 */
final class Claims<D> {
    private final JobType<D> type;
    private final Keyspace keyspace;
    private final TypeKeys keys;
    private final Environment environment;
    private final PayloadCodec codec;

    Claims(JobType<D> type, Keyspace keyspace, Environment environment, PayloadCodec codec) {
        this.type = type;
        this.keyspace = keyspace;
        this.keys = keyspace.type(type.name());
        this.environment = environment;
        this.codec = codec;
    }

    /**
     * The locks that the tries of one claim have put on jobs. If the result of a commit is unknown, the next try finds
     * its jobs by them and does not take others beside.
     */
    static final class Tries {
        private final Map<String, UUID> locks = new HashMap<>();
        private int count;

        boolean isFirst() {
            return count == 0;
        }
    }

    /** Takes up to {@code wanted} jobs. */
    CompletableFuture<List<Job<D>>> take(Transaction tx, AcceptMode mode, int wanted, int spread, Tries tries) {
        return takenBefore(tx, tries).thenCompose(taken -> {
            tries.count++;
            return taken.isEmpty()
                    ? candidates(tx, mode, wanted, spread).thenCompose(rows -> takeAll(tx, rows, tries))
                    : CompletableFuture.completedFuture(taken);
        });
    }

    /** The next time at which a job becomes due, if time alone may bring one. */
    CompletableFuture<OptionalLong> nextDue(Transaction tx, AcceptMode mode) {
        return mode.followsClock()
                ? PendingQueue.nextAfter(tx, keys, now())
                : CompletableFuture.completedFuture(OptionalLong.empty());
    }

    private CompletableFuture<List<Job<D>>> takenBefore(Transaction tx, Tries tries) {
        List<CompletableFuture<Optional<Job<D>>>> looks = new ArrayList<>();
        tries.locks.forEach((jobId, lock) -> looks.add(heldBy(tx, jobId, lock)));
        return present(looks);
    }

    private CompletableFuture<Optional<Job<D>>> heldBy(Transaction tx, String jobId, UUID lock) {
        JobRef ref = keyspace.job(type.name(), jobId);
        return JobTable.read(tx, ref)
                .thenCompose(row -> row.filter(found -> found.isHeldBy(lock))
                        .map(found -> claim(tx, ref, found, lock))
                        .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty())));
    }

    private CompletableFuture<List<PendingQueue.Entry>> candidates(
            Transaction tx, AcceptMode mode, int wanted, int spread) {
        if (mode.noSchedule()) {
            String anywhere = Long.toHexString(environment.random().nextLong());
            return PendingQueue.unscheduledFrom(tx, keys, anywhere, wanted + spread)
                    .thenApply(rows -> slice(rows, wanted));
        }
        return PendingQueue.head(tx, keys, mode.maxScheduledTime().orElseGet(this::now), wanted + spread)
                .thenApply(rows -> slice(rows, wanted));
    }

    private List<PendingQueue.Entry> slice(List<PendingQueue.Entry> rows, int wanted) {
        int slack = rows.size() - wanted;
        if (slack <= 0) {
            return rows;
        }
        int from = environment.random().nextInt(slack + 1);
        return rows.subList(from, from + wanted);
    }

    private CompletableFuture<List<Job<D>>> takeAll(Transaction tx, List<PendingQueue.Entry> rows, Tries tries) {
        List<CompletableFuture<Optional<Job<D>>>> claims = new ArrayList<>();
        for (PendingQueue.Entry row : rows) {
            UUID lock = randomLock();
            tries.locks.put(row.jobId(), lock);
            claims.add(take(tx, row, lock));
        }
        return present(claims);
    }

    private CompletableFuture<Optional<Job<D>>> take(Transaction tx, PendingQueue.Entry entry, UUID lock) {
        JobRef ref = keyspace.job(type.name(), entry.jobId());
        return JobTable.edit(tx, ref, before -> {
            if (!bearsOut(before, entry)) {
                PendingQueue.clear(tx, keys, entry);
                return CompletableFuture.completedFuture(Optional.empty());
            }
            JobRow row = before.get();
            JobRow after = row.claimed(lock);
            JobTable.save(tx, ref, row, after, OptionalLong.empty());
            return claim(tx, ref, after, lock);
        });
    }

    private static boolean bearsOut(Optional<JobRow> row, PendingQueue.Entry entry) {
        return row.filter(found -> found.state() == JobState.PENDING && found.scheduledTime() == entry.scheduledTime())
                .isPresent();
    }

    private CompletableFuture<Optional<Job<D>>> claim(Transaction tx, JobRef ref, JobRow row, UUID lock) {
        return row.payload()
                .load(tx, ref)
                .thenApply(json -> Optional.of(new ClaimedJob<>(type, ref.id(), row, lock, json, codec)));
    }

    private long now() {
        return environment.clock().instant().getEpochSecond();
    }

    /** A random UUID (version 4) from the environment's randomness. */
    private UUID randomLock() {
        long high = environment.random().nextLong();
        long low = environment.random().nextLong();
        return new UUID((high & ~0xF000L) | 0x4000L, (low & ~(0b11L << 62)) | (0b10L << 62));
    }

    private static <T> CompletableFuture<List<T>> present(List<CompletableFuture<Optional<T>>> all) {
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                .thenApply(done ->
                        all.stream().flatMap(each -> each.join().stream()).toList());
    }
}
