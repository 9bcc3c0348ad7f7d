package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Follows the jobs of all files through subscriptions, and counts them by their state. */
final class JobWatch {
    private static final Duration LONG = Duration.ofHours(1);

    private final Observer observer;
    private final int number;
    private final AtomicInteger told = new AtomicInteger();
    private final CompletableFuture<Void> allFinished = new CompletableFuture<>();

    private final Set<String> returned = ConcurrentHashMap.newKeySet();

    @GuardedBy("this") private final Map<String, JobState> states = new HashMap<>();

    @GuardedBy("this") private final Map<JobState, Integer> counts = new EnumMap<>(JobState.class);

    /** Receives what happens to jobs. */
    interface Observer {
        /** A job was running and is pending again. */
        void cameBack(String path);

        /** A job is finished. */
        void finished(FileJob job, boolean hadComeBack);
    }

    /** How many jobs are in each state. */
    record Counts(int pending, int running, int finished) {}

    private JobWatch(Observer observer, int number) {
        this.observer = observer;
        this.number = number;
    }

    /** Begins to follow the jobs of some files. */
    static JobWatch over(Database database, CouchJobs jobs, List<TextFile> files, Observer observer) {
        JobWatch watch = new JobWatch(observer, files.size());
        List<Subscription<FileJob>> subscriptions = files.stream()
                .map(file -> Blocking.get(jobs.subscribe(database, FileJob.TYPE, file.path())))
                .toList();
        subscriptions.forEach(subscription -> watch.count(subscription.jobId(), subscription.state()));
        subscriptions.forEach(watch::follow);
        return watch;
    }

    /** {@return completes when all jobs are finished and the observer has received the end of each} */
    CompletableFuture<Void> allFinished() {
        return allFinished;
    }

    /** {@return how many of the jobs are in each state at one moment} */
    synchronized Counts counts() {
        return new Counts(in(JobState.PENDING), in(JobState.RUNNING), in(JobState.FINISHED));
    }

    @GuardedBy("this") private int in(JobState state) {
        return counts.getOrDefault(state, 0);
    }

    private void follow(Subscription<FileJob> subscription) {
        var unused = subscription.awaitEvent(LONG).whenComplete((event, error) -> {
            if (error != null) {
                allFinished.completeExceptionally(error);
                return;
            }
            event.ifPresent(this::take);
            if (event.isPresent() || !subscription.isEnded()) {
                follow(subscription);
            }
        });
    }

    private void take(JobEvent<FileJob> event) {
        JobState before = count(event.jobId(), event.state());
        if (before == JobState.RUNNING && event.state() == JobState.PENDING) {
            returned.add(event.jobId());
            observer.cameBack(event.jobId());
        }
        if (event.state() == JobState.FINISHED) {
            observer.finished(event.data().orElseThrow(), returned.contains(event.jobId()));
            if (told.incrementAndGet() == number) {
                allFinished.complete(null);
            }
        }
    }

    /** {@return the state before} */
    private synchronized JobState count(String jobId, JobState state) {
        JobState before = states.put(jobId, state);
        if (before != null) {
            counts.merge(before, -1, Integer::sum);
        }
        counts.merge(state, 1, Integer::sum);
        return before == null ? JobState.NOT_FOUND : before;
    }
}
