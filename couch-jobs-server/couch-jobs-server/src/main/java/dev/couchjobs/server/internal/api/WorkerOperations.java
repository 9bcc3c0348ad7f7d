package dev.couchjobs.server.internal.api;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.server.internal.json.JobJson;

/** Workers, wherever they run. */
public final class WorkerOperations {
    private final CouchJobs jobs;

    public WorkerOperations(CouchJobs jobs) {
        this.jobs = jobs;
    }

    public void bind(Operations operations) {
        operations.read(
                "listWorkers", (call, tx) -> Replies.page(jobs.workers().list(tx, call.page()), JobJson::worker));
        operations.read(
                "listWorkerPauses",
                (call, tx) -> Replies.page(jobs.workers().pauses(tx, call.page()), JobJson::workerPause));
        operations.write(
                "pauseWorkers", (call, tx) -> Replies.done(jobs.workers().pause(tx, call.name())));
        operations.write(
                "resumeWorkers", (call, tx) -> Replies.done(jobs.workers().resume(tx, call.name())));
        operations.write(
                "drainWorkers", (call, tx) -> Replies.count(jobs.workers().drain(tx, call.name())));
    }
}
