package dev.couchjobs.testing;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.UndecodableRowException;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the jobs of an instance wait for at a moment. Futures of the kit's database are done when they are returned. */
final class WaitingJobs {
    private static final PageRequest PAGE = PageRequest.of(PageRequest.LIMIT_MAX);

    private final CouchJobs jobs;
    private final Database database;
    private final Instant now;
    private @Nullable Instant next;
    private boolean isUnderWay;
    private int count;

    private WaitingJobs(CouchJobs jobs, Database database, Instant now) {
        this.jobs = jobs;
        this.database = database;
        this.now = now;
    }

    static WaitingJobs read(CouchJobs jobs, Database database, Instant now) {
        WaitingJobs waiting = new WaitingJobs(jobs, database, now);
        Set<String> worked = new HashSet<>();
        waiting.forEach(page -> jobs.workers().list(database, page), worker -> worked.addAll(worker.types()));
        for (String type : jobs.types().getTypes(database).join()) {
            waiting.read(JobType.of(type, Object.class), worked.contains(type));
        }
        return waiting;
    }

    private void read(JobType<?, ?> type, boolean isWorked) {
        boolean mayRun = isWorked && !isPaused(type);
        isUnderWay |= jobs.counts(database, type).join().running() > 0;
        forEach(page -> jobs.list(database, type, JobState.PENDING, page), job -> add(job, mayRun));
    }

    /** Rules that are damaged pause their type. */
    private boolean isPaused(JobType<?, ?> type) {
        try {
            return jobs.types().getPause(database, type).join().isPresent();
        } catch (CompletionException e) {
            if (e.getCause() instanceof UndecodableRowException) {
                return true;
            }
            throw e;
        }
    }

    private void add(JobSummary job, boolean mayRun) {
        count++;
        Instant time = job.scheduledTime().orElse(Instant.MIN);
        if (!time.isAfter(now)) {
            isUnderWay |= mayRun;
        } else if (next == null || time.isBefore(next)) {
            next = time;
        }
    }

    private <T> void forEach(Function<PageRequest, CompletableFuture<Page<T>>> read, Consumer<T> use) {
        Optional<PageRequest> request = Optional.of(PAGE);
        while (request.isPresent()) {
            Page<T> page = read.apply(request.get()).join();
            page.items().forEach(use);
            request = page.next().map(PAGE::after);
        }
    }

    /** {@return when the next job becomes due} */
    Optional<Instant> next() {
        return Optional.ofNullable(next);
    }

    /**
     * {@return whether a job runs, or is due and has a worker} It may wait for a token, a slot, another job or the end
     * of an activity timeout, whose times are not those of jobs.
     */
    boolean isUnderWay() {
        return isUnderWay;
    }

    /** {@return how many jobs wait} */
    int count() {
        return count;
    }
}
