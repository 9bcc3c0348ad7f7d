package dev.couchjobs.server.internal.api;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.AddResult;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import dev.couchjobs.JobStatus;
import dev.couchjobs.NewJob;
import dev.couchjobs.RawPayload;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.JobJson;
import dev.couchjobs.server.internal.json.NewJobs;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Jobs: add, read, list, change. */
public final class JobOperations {
    private static final int LOG_STANDARD = 100;
    private final CouchJobs jobs;
    private final Database database;
    private final Hiding hiding;
    private final PayloadGate payloads;

    public JobOperations(CouchJobs jobs, Database database, Hiding hiding, PayloadGate payloads) {
        this.payloads = payloads;
        this.hiding = hiding;
        this.jobs = jobs;
        this.database = database;
    }

    public void bind(Operations operations) {
        operations.write("addJob", this::add);
        operations.write("addJobs", this::addAll);
        operations.read("listJobs", this::list);
        operations.read("getJob", this::get);
        operations.read("getJobData", this::data);
        operations.act("awaitJob", this::await);
        operations.write("removeJob", (call, tx) -> Replies.changed(jobs.remove(tx, call.type(), call.id())));
        operations.write(
                "cancelJob",
                (call, tx) -> Replies.changed(jobs.control()
                        .cancel(tx, call.type(), call.id(), call.field("reason").orElse(""))));
        operations.write(
                "runJobNow", (call, tx) -> Replies.changed(jobs.control().runNow(tx, call.type(), call.id())));
        operations.write(
                "rescheduleJob",
                (call, tx) -> Replies.changed(jobs.control()
                        .reschedule(
                                tx,
                                call.type(),
                                call.id(),
                                NewJobs.time(call.body().get("at")))));
        operations.write(
                "reprioritiseJob",
                (call, tx) -> Replies.changed(jobs.control()
                        .reprioritise(
                                tx,
                                call.type(),
                                call.id(),
                                call.body().get("priority").intValue())));
        operations.read("explainJob", this::why);
        operations.read("listAttempts", this::attempts);
        operations.read("listLog", this::log);
        operations.read(
                "getCheckpoint",
                (call, tx) -> Replies.found(
                        jobs.details().lastCheckpoint(tx, call.type(), call.id()),
                        entry -> JobJson.entry(entry, hiding.isFrom(call)),
                        "checkpoint"));
        operations.read(
                "getProgress",
                (call, tx) -> Replies.found(
                        jobs.details().progress(tx, call.type(), call.id()),
                        progress -> JobJson.progress(progress, hiding.isFrom(call)),
                        "progress"));
        operations.read(
                "listDependencies",
                (call, tx) -> Replies.page(
                        jobs.details().dependencyStates(tx, call.type(), call.id(), call::mayRead, call.page()),
                        JobJson::linked));
        operations.read(
                "listDependents",
                (call, tx) -> Replies.page(
                        jobs.details().dependentStates(tx, call.type(), call.id(), call::mayRead, call.page()),
                        JobJson::linked));
    }

    private CompletableFuture<Reply> add(Call call, TransactionContext tx) {
        NewJob<RawPayload> job = NewJobs.of(call.access(), call.type(), call.body());
        return jobs.add(tx, job).thenApply(result -> {
            boolean isNew = result.change() == AddResult.Change.ADDED;
            return Reply.json(isNew ? 201 : 200, JobJson.added(job.type().name(), result))
                    .with("Location", "../" + encode(job.type().name()) + "/jobs/" + encode(result.jobId()));
        });
    }

    private static String encode(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private CompletableFuture<Reply> addAll(Call call, TransactionContext tx) {
        List<NewJob<RawPayload>> all = new ArrayList<>();
        for (JsonNode job : call.body().get("jobs")) {
            all.add(NewJobs.withType(call.access(), job));
        }
        return jobs.addAll(tx, all).thenApply(results -> {
            List<JsonNode> items = new ArrayList<>();
            for (int i = 0; i < results.size(); i++) {
                items.add(JobJson.added(all.get(i).type().name(), results.get(i)));
            }
            return Reply.ok(new Fields().putAll("items", items, item -> item).node());
        });
    }

    private CompletableFuture<Reply> list(Call call, ReadTransactionContext tx) {
        Optional<String> state = call.text("state");
        Optional<String> status = call.text("status");
        Optional<String> tag = call.text("tag");
        if (state.stream().count() + status.stream().count() + tag.stream().count() > 1) {
            throw new ProblemException(Problem.of(400, "invalid-parameter", "The filters do not go together.")
                    .detail("Give one of state, status and tag."));
        }
        if (status.isPresent()) {
            return Replies.page(
                    jobs.statuses().list(tx, call.type(), Fields.constant(JobStatus.class, status.get()), call.page()),
                    line -> JobJson.line(line, hiding.isFrom(call)));
        }
        if (tag.isPresent()) {
            return Replies.page(jobs.listTagged(tx, call.type(), tag.get(), call.page()), JobJson::summary);
        }
        return Replies.page(
                state.isPresent()
                        ? jobs.list(tx, call.type(), Fields.constant(JobState.class, state.get()), call.page())
                        : jobs.list(tx, call.type(), call.page()),
                JobJson::summary);
    }

    private CompletableFuture<Reply> get(Call call, ReadTransactionContext tx) {
        return Replies.found(
                jobs.getJob(tx, call.type(), call.id()), job -> JobJson.job(job, hiding.isFrom(call)), "such job");
    }

    /** A browser neither shows nor runs what comes from users. */
    private CompletableFuture<Reply> data(Call call, ReadTransactionContext tx) {
        if (hiding.isFrom(call)) {
            throw new ProblemException(Problem.of(403, "hidden", "The caller may not see what the job contains.")
                    .detail("It needs the role operate."));
        }
        return jobs.getJobData(tx, call.type(), call.id()).thenApply(found -> {
            RawPayload data = found.orElseThrow(() -> Replies.notFound("such job"));
            return Reply.of(200, data.mediaType(), data.toBytes())
                    .with("Content-Disposition", "attachment")
                    .with("Content-Security-Policy", "sandbox");
        });
    }

    /** Replies with the job as it is when it has ended, or when the time is up. */
    private CompletableFuture<Reply> await(Call call) {
        Duration timeout = call.duration("timeout").orElse(Duration.ZERO);
        CompletableFuture<?> end = jobs.resultAsync(call.type(), call.id(), timeout);
        if (!end.isDone()) {
            try {
                call.connection().watch(timeout.isZero() ? 0 : 1, () -> end.cancel(false));
            } catch (ProblemException e) {
                end.cancel(false);
                throw e;
            }
        }
        return end.handle((result, error) -> true)
                .thenCompose(ended -> payloads.run(() -> jobs.getJob(database, call.type(), call.id())
                        .thenApply(found -> {
                            var job = found.orElseThrow(() -> Replies.notFound("such job"));
                            return Reply.json(
                                    job.state().isTerminal() ? 200 : 202, JobJson.job(job, hiding.isFrom(call)));
                        })));
    }

    private CompletableFuture<Reply> why(Call call, ReadTransactionContext tx) {
        return Replies.ok(
                jobs.details().why(tx, call.type(), call.id()),
                reason -> JobJson.reason(reason.orElseThrow(() -> Replies.notFound("such job"))));
    }

    private CompletableFuture<Reply> attempts(Call call, ReadTransactionContext tx) {
        return Replies.ok(
                jobs.details().attempts(tx, call.type(), call.id()),
                attempts -> new Fields()
                        .putAll("items", attempts, attempt -> JobJson.attempt(attempt, hiding.isFrom(call)))
                        .node());
    }

    private CompletableFuture<Reply> log(Call call, ReadTransactionContext tx) {
        long after = call.number("after").orElse(0L);
        int limit = call.number("limit").map(Math::toIntExact).orElse(LOG_STANDARD);
        return Replies.ok(
                jobs.details().entries(tx, call.type(), call.id(), after, limit),
                entries -> new Fields()
                        .putAll("items", entries, entry -> JobJson.entry(entry, hiding.isFrom(call)))
                        .node());
    }
}
