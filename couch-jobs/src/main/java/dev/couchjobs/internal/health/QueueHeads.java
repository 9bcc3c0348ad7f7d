package dev.couchjobs.internal.health;

import com.apple.foundationdb.ReadTransaction;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.couchjobs.Health.DueJob;
import dev.couchjobs.internal.futures.Futures;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.queue.PendingQueue;
import dev.couchjobs.internal.queue.QueueEntry;
import dev.couchjobs.internal.queue.RankedQueue;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Finds the first due job of a type, and how long it has been due. A job of priority 0 without a scheduled time does
 * not say when it was enqueued, so this class remembers when it first saw the job as the first of its queue.
 */
final class QueueHeads {
    private static final int REMEMBERED_MAX = 10_000;
    private static final int UUID_CHARS = 36;
    private static final int TIME_ORDERED = 7;
    private static final int MILLIS_SHIFT = 16;

    /** The parts of the queues of a type, each in an order of its own. */
    private enum Part {
        UNSCHEDULED,
        SCHEDULED,
        RANKED
    }

    private record Place(TypeKeys keys, Part part) {}

    private record Seen(String jobId, Instant at) {}

    private final Cache<Place, Seen> firstSeen = Caffeine.newBuilder()
            .maximumSize(REMEMBERED_MAX)
            .executor(Runnable::run)
            .build();

    /** {@return the job of a type that has been due for longest among the first of its queues} */
    CompletableFuture<Optional<DueJob>> first(ReadTransaction tx, TypeKeys keys, Instant now) {
        List<CompletableFuture<Optional<DueJob>>> firsts = Stream.of(Part.values())
                .map(part -> first(tx, new Place(keys, part), now))
                .toList();
        return Futures.allOf(firsts)
                .thenApply(done -> firsts.stream()
                        .flatMap(first -> first.join().stream())
                        .max(Comparator.comparing(DueJob::dueFor)));
    }

    private static CompletableFuture<Optional<QueueEntry>> read(ReadTransaction tx, Place place, Instant now) {
        TypeKeys keys = place.keys();
        return switch (place.part()) {
            case UNSCHEDULED -> PendingQueue.first(tx, keys, PendingQueue.unscheduled(keys));
            case SCHEDULED -> PendingQueue.first(tx, keys, PendingQueue.scheduledUpTo(keys, now.getEpochSecond()));
            case RANKED -> RankedQueue.first(tx, keys);
        };
    }

    private CompletableFuture<Optional<DueJob>> first(ReadTransaction tx, Place place, Instant now) {
        return read(tx, place, now).thenCompose(first -> {
            Optional<QueueEntry> due = first.filter(job -> job.scheduledTime() <= now.getEpochSecond());
            if (due.isEmpty()) {
                firstSeen.invalidate(place);
                return CompletableFuture.completedFuture(Optional.empty());
            }
            return JobTable.find(tx, new JobRef(place.keys(), due.get().jobId()))
                    .thenApply(row -> row.map(found -> dueJob(place, due.get(), found, now)));
        });
    }

    private DueJob dueJob(Place place, QueueEntry job, JobRow row, Instant now) {
        Seen seen = firstSeen
                .asMap()
                .compute(
                        place,
                        (key, before) -> before != null && before.jobId().equals(job.jobId())
                                ? before
                                : new Seen(job.jobId(), now));
        Duration sinceSeen = Duration.between(seen.at(), now);
        Duration dueFor = storedSince(place, job)
                .filter(since -> wasNotClaimedSince(row, since))
                .map(since -> Duration.between(Instant.ofEpochMilli(since), now))
                .filter(stored -> stored.compareTo(sinceSeen) > 0)
                .orElse(sinceSeen);
        return new DueJob(place.keys().typeName(), job.jobId(), dueFor.isNegative() ? Duration.ZERO : dueFor);
    }

    /** {@return since when a job is due, in milliseconds since the epoch, unless it was claimed since} */
    private static Optional<Long> storedSince(Place place, QueueEntry job) {
        return place.part() == Part.UNSCHEDULED ? timeOf(job.jobId()) : Optional.of(job.since());
    }

    /** A claim that was given back left the scheduled time and the order as they were. */
    private static boolean wasNotClaimedSince(JobRow row, long since) {
        return row.claimInfo().number() == 0 || row.claimInfo().since() < since;
    }

    /** {@return the time in an id that the library has made} */
    private static Optional<Long> timeOf(String jobId) {
        if (jobId.length() != UUID_CHARS) {
            return Optional.empty();
        }
        try {
            UUID id = UUID.fromString(jobId);
            return id.version() == TIME_ORDERED
                    ? Optional.of(id.getMostSignificantBits() >>> MILLIS_SHIFT)
                    : Optional.empty();
        } catch (IllegalArgumentException e) { // an id of the application's
            return Optional.empty();
        }
    }
}
