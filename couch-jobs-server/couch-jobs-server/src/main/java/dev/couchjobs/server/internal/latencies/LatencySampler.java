package dev.couchjobs.server.internal.latencies;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Versionstamp;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.ChangePage;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobChange;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.RawPayload;
import dev.couchjobs.server.internal.json.NewJobs;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Samples how long jobs wait and run. It reads when it is asked, at most once a second, and then a bounded number of
 * rows: one page of the feed, and some jobs of that page.
 *
 * <p>Which jobs are sampled is decided when they are added, for waits, or when they end, for runs: their times have no
 * part in it. A job is due when the commit that added it was made, as its version says, or at its scheduled time.
 */
final class LatencySampler {
    private static final Duration STEP = Duration.ofSeconds(1);
    /** After so long without a caller it begins anew. */
    private static final Duration REST = Duration.ofMinutes(1);
    /** A job that is scheduled for later is not followed. */
    private static final Duration SOON = Duration.ofMinutes(1);

    private static final Duration FOLLOWED_FOR = Duration.ofHours(1);
    private static final int CHANGES = 200;
    private static final int TAKEN_EACH_STEP = 10;
    private static final int FOLLOWED_MAX = 300;
    private static final int LOOKED_AT_EACH_STEP = 30;
    private static final int KEPT = 5_000;

    /** FoundationDB's versions count microseconds. */
    private static final long NANOS_PER_VERSION = 1_000;

    private final CouchJobs jobs;
    private final Database database;
    private final InstantSource clock;

    @GuardedBy("this") private final Deque<Latency> samples = new ArrayDeque<>();

    /** The jobs that have not begun, and when they are due; first those that were looked at before the others. */
    @GuardedBy("this") private final Map<Place, Instant> waiting = new LinkedHashMap<>();

    @GuardedBy("this") private long taken;

    @GuardedBy("this") private Instant steppedAt = Instant.EPOCH;

    @GuardedBy("this") private Optional<Versionstamp> since = Optional.empty();

    @GuardedBy("this") private CompletableFuture<Boolean> step = CompletableFuture.completedFuture(true);

    private record Place(String type, String id) {}

    LatencySampler(CouchJobs jobs, Database database, InstantSource clock) {
        this.jobs = jobs;
        this.database = database;
        this.clock = clock;
    }

    /** {@return the samples behind a number, the oldest first; of more than the limit, the newest} */
    CompletableFuture<List<Latency>> behind(long number, int limit, Predicate<String> isWanted) {
        return step().thenApply(done -> {
            List<Latency> found = new ArrayList<>();
            for (Latency sample : copy()) {
                if (sample.number() > number && isWanted.test(sample.type())) {
                    found.add(sample);
                }
            }
            return found.subList(Math.max(0, found.size() - limit), found.size());
        });
    }

    private synchronized List<Latency> copy() {
        return List.copyOf(samples);
    }

    /** {@return the number of the last sample} */
    synchronized long last() {
        return taken;
    }

    private synchronized CompletableFuture<Boolean> step() {
        Instant now = clock.instant();
        Duration past = Duration.between(steppedAt, now);
        if (!step.isDone() || (past.compareTo(STEP) < 0 && !past.isNegative())) {
            return step;
        }
        if (past.compareTo(REST) > 0 || past.isNegative()) {
            since = Optional.empty();
            waiting.clear();
        }
        steppedAt = now;
        Optional<Versionstamp> from = since;
        step = jobs.changes()
                .now(database)
                .thenCompose(present -> from.isEmpty() ? goOn(present) : read(from.get(), present, clock.instant()));
        return step;
    }

    private synchronized CompletableFuture<Boolean> goOn(Versionstamp next) {
        since = Optional.of(next);
        return CompletableFuture.completedFuture(true);
    }

    private CompletableFuture<Boolean> read(Versionstamp from, Versionstamp present, Instant now) {
        return jobs.changes().read(database, from, CHANGES).thenCompose(page -> {
            List<CompletableFuture<Boolean>> looks = new ArrayList<>();
            lookedAt().forEach((place, due) -> looks.add(ignoringErrors(lookForStart(place, due, now))));
            some(page, JobState.PENDING).forEach(change -> looks.add(ignoringErrors(begin(change, present, now))));
            some(page, JobState.FINISHED).forEach(change -> looks.add(ignoringErrors(end(change, now))));
            return CompletableFuture.allOf(looks.toArray(CompletableFuture<?>[]::new))
                    .thenCompose(done -> goOn(page.hasMore() ? present : page.next()));
        });
    }

    /** A row that cannot be read, or is gone, gives no sample. */
    private static CompletableFuture<Boolean> ignoringErrors(CompletableFuture<Boolean> look) {
        return look.exceptionally(error -> false);
    }

    /** {@return some jobs of a page that have come to a state, evenly over the page} */
    private static List<JobChange> some(ChangePage page, JobState state) {
        Map<Place, JobChange> byJob = new LinkedHashMap<>();
        for (JobChange change : page.changes()) {
            if (change.state() == state) {
                byJob.putIfAbsent(new Place(change.typeName(), change.jobId()), change);
            }
        }
        List<JobChange> all = List.copyOf(byJob.values());
        int count = Math.min(TAKEN_EACH_STEP, all.size());
        List<JobChange> some = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            some.add(all.get(i * all.size() / count));
        }
        return some;
    }

    private synchronized Map<Place, Instant> lookedAt() {
        Map<Place, Instant> first = new LinkedHashMap<>();
        waiting.entrySet().stream()
                .limit(LOOKED_AT_EACH_STEP)
                .forEach(entry -> first.put(entry.getKey(), entry.getValue()));
        first.forEach((place, due) -> {
            waiting.remove(place);
            waiting.put(place, due);
        });
        return first;
    }

    private CompletableFuture<Boolean> begin(JobChange change, Versionstamp present, Instant now) {
        Instant added = now.minusNanos((version(present) - version(change.sequence())) * NANOS_PER_VERSION);
        Place place = new Place(change.typeName(), change.jobId());
        return jobs.getJob(database, NewJobs.type(place.type()), place.id())
                .thenCompose(found -> found.filter(LatencySampler::isFirstTime)
                        .flatMap(job -> due(job, added, now))
                        .map(due -> follow(place, due, now))
                        .orElseGet(() -> CompletableFuture.completedFuture(false)));
    }

    /** A further attempt does not wait since the job was added, and a job that is blocked not for workers. */
    private static boolean isFirstTime(JobInfo<RawPayload, RawPayload> job) {
        return job.claims() <= 1 && job.failures() == 0 && !job.isBlocked();
    }

    private static Optional<Instant> due(JobInfo<RawPayload, RawPayload> job, Instant added, Instant now) {
        Instant due = job.scheduledTime().filter(added::isBefore).orElse(added);
        return due.isAfter(now.plus(SOON)) ? Optional.empty() : Optional.of(due);
    }

    private CompletableFuture<Boolean> follow(Place place, Instant due, Instant now) {
        synchronized (this) {
            if (waiting.size() >= FOLLOWED_MAX || waiting.containsKey(place)) {
                return CompletableFuture.completedFuture(false);
            }
            waiting.put(place, due);
        }
        return lookForStart(place, due, now);
    }

    private CompletableFuture<Boolean> lookForStart(Place place, Instant due, Instant now) {
        return attempts(place).thenApply(attempts -> {
            if (!attempts.isEmpty()) {
                stop(place);
                if (attempts.get(0).claim() == 1) {
                    take(
                            place,
                            Latency.Kind.WAIT,
                            Duration.between(due, attempts.get(0).since()),
                            now);
                }
            } else if (due.plus(FOLLOWED_FOR).isBefore(now)) {
                stop(place);
            }
            return true;
        });
    }

    private CompletableFuture<Boolean> end(JobChange change, Instant now) {
        Place place = new Place(change.typeName(), change.jobId());
        return attempts(place).thenApply(attempts -> {
            if (!attempts.isEmpty()) {
                JobAttempt last = attempts.get(attempts.size() - 1);
                last.until()
                        .ifPresent(until -> take(place, Latency.Kind.RUN, Duration.between(last.since(), until), now));
            }
            return true;
        });
    }

    private CompletableFuture<List<JobAttempt>> attempts(Place place) {
        return jobs.details().attempts(database, NewJobs.type(place.type()), place.id());
    }

    private synchronized void stop(Place place) {
        waiting.remove(place);
    }

    /** The clocks of two processes may differ: no time is negative. */
    private synchronized void take(Place place, Latency.Kind kind, Duration time, Instant now) {
        samples.addLast(new Latency(++taken, now, place.type(), kind, time.isNegative() ? Duration.ZERO : time));
        if (samples.size() > KEPT) {
            samples.removeFirst();
        }
    }

    private static long version(Versionstamp sequence) {
        return ByteBuffer.wrap(sequence.getBytes()).getLong();
    }
}
