package dev.couchjobs.server.internal.selections;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobSelection;
import dev.couchjobs.JobType;
import dev.couchjobs.RawPayload;
import dev.couchjobs.SelectionProgress;
import dev.couchjobs.Worker;
import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.NewJobs;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import tools.jackson.databind.JsonNode;

/**
 * Runs selections. A selection that is interrupted goes on behind its last checkpoint, in any server of the same jobs.
 */
public final class SelectionWorker implements AutoCloseable {
    /** The type of the jobs that selections are. Their data is what the caller has sent, and the type it is about. */
    public static final JobType<RawPayload, RawPayload> TYPE = NewJobs.type("selection");

    private static final int CONCURRENCY = 2;

    /** A checkpoint is written once in so many transactions of a selection. */
    private static final int TRANSACTIONS_PER_CHECKPOINT = 10;

    private final CouchJobs jobs;
    private final Worker worker;

    private SelectionWorker(CouchJobs jobs, CouchJobs selections) {
        this.jobs = jobs;
        worker = selections
                .worker()
                .name("couch-jobs-server")
                .concurrency(CONCURRENCY)
                .handle(TYPE, this::run)
                .start();
    }

    /**
     * Starts a worker.
     *
     * @param jobs the users' jobs, which selections change
     * @param selections the server's own jobs, which no caller can add, claim or see
     */
    public static SelectionWorker start(CouchJobs jobs, CouchJobs selections) {
        return new SelectionWorker(jobs, selections);
    }

    @Override
    public void close() {
        worker.close();
    }

    private RawPayload run(JobContext<RawPayload> context) throws InterruptedException {
        JsonNode request = Json.parsed(context.data());
        LinkedBlockingQueue<Optional<SelectionProgress>> progress = new LinkedBlockingQueue<>();
        CompletableFuture<SelectionProgress> verb =
                act(request, select(request).resume(lastProgress(context)).onProgress(done -> {
                    if (context.isHalted()) {
                        throw new IllegalStateException("The selection has been cancelled, or goes on elsewhere.");
                    }
                    progress.add(Optional.of(done));
                }));
        var unused = verb.whenComplete((done, error) -> progress.add(Optional.empty()));
        report(context, progress);
        SelectionProgress all = verb.join();
        return Json.payload(new Fields()
                .put("read", all.read())
                .put("applied", all.applied())
                .node());
    }

    /** Writes on the handler's thread, because callbacks must not block. Returns when the verb has ended. */
    private static void report(
            JobContext<RawPayload> context, LinkedBlockingQueue<Optional<SelectionProgress>> progress)
            throws InterruptedException {
        int transactions = 0;
        for (Optional<SelectionProgress> next = progress.take(); next.isPresent(); next = progress.take()) {
            SelectionProgress done = next.get();
            if (transactions++ % TRANSACTIONS_PER_CHECKPOINT == 0) {
                context.checkpoint(done);
                context.progress(done.read(), 0, done.applied() + " applied");
            }
        }
    }

    private static SelectionProgress lastProgress(JobContext<RawPayload> context) {
        return context.lastCheckpoint(SelectionProgress.class).orElse(SelectionProgress.NONE);
    }

    /**
     * Refuses a request whose times are none, which a schema does not see.
     *
     * @throws java.time.DateTimeException if it has one
     */
    public static void check(JsonNode request) {
        Condition.of(request.path("where"));
        if (request.has("at")) {
            NewJobs.time(request.get("at"));
        }
    }

    private JobSelection<RawPayload, RawPayload> select(JsonNode request) {
        Condition condition = Condition.of(request.path("where"));
        JobType<RawPayload, RawPayload> type = NewJobs.type(request.get("type").stringValue());
        JobSelection<RawPayload, RawPayload> selection = jobs.control().select(type, condition);
        return condition.tag().map(selection::tagged).orElse(selection);
    }

    private static CompletableFuture<SelectionProgress> act(
            JsonNode request, JobSelection<RawPayload, RawPayload> selection) {
        return switch (request.get("action").stringValue()) {
            case "count" -> selection.count();
            case "cancel" -> selection.cancel(request.path("reason").asString(""));
            case "remove" -> selection.remove();
            case "retry" -> selection.retry();
            case "run_now" -> selection.runNow();
            case "reschedule" -> selection.reschedule(NewJobs.time(request.get("at")));
            case "reprioritise" ->
                selection.reprioritise(request.get("priority").intValue());
            default -> throw new IllegalArgumentException("There is no action " + request.get("action") + ".");
        };
    }
}
