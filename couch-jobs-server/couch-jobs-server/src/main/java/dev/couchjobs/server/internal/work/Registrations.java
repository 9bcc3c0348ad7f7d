package dev.couchjobs.server.internal.work;

import com.apple.foundationdb.TransactionContext;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.RemoteWorker;
import dev.couchjobs.WorkerState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Reports workers, and remembers which of them this server has reported a short time ago. */
final class Registrations {
    private static final Duration INTERVAL = Duration.ofSeconds(20);
    private static final int REMEMBERED_MAX = 50_000;

    private final CouchJobs jobs;
    private final InstantSource clock;

    @GuardedBy("itself") private final Map<UUID, Reported> reported = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Reported> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };

    private record Reported(RemoteWorker worker, Instant at) {}

    Registrations(CouchJobs jobs, InstantSource clock) {
        this.jobs = jobs;
        this.clock = clock;
    }

    /** {@return whether the worker runs and was reported as it is a short time ago} */
    boolean isKnown(RemoteWorker worker) {
        synchronized (reported) {
            Reported last = reported.get(worker.id());
            return last != null
                    && last.at().isAfter(clock.instant().minus(INTERVAL))
                    && last.worker().name().equals(worker.name())
                    && last.worker().types().equals(worker.types())
                    && last.worker().concurrency() == worker.concurrency()
                    && last.worker().isDraining() == worker.isDraining();
        }
    }

    /** {@return the state that the worker is to be in} */
    CompletableFuture<WorkerState> report(TransactionContext context, RemoteWorker worker) {
        return jobs.workers().report(context, worker).thenApply(state -> {
            synchronized (reported) {
                if (state == WorkerState.RUNNING) {
                    reported.put(worker.id(), new Reported(worker, clock.instant()));
                } else {
                    reported.remove(worker.id());
                }
            }
            return state;
        });
    }

    CompletableFuture<Void> remove(TransactionContext context, String name, UUID id) {
        synchronized (reported) {
            reported.remove(id);
        }
        return jobs.workers().remove(context, name, id);
    }
}
