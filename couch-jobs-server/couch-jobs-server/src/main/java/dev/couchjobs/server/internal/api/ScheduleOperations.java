package dev.couchjobs.server.internal.api;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RawPayload;
import dev.couchjobs.Schedule;
import dev.couchjobs.ScheduleInfo;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.JobJson;
import dev.couchjobs.server.internal.json.NewJobs;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Schedules. */
public final class ScheduleOperations {
    private static final int FIRINGS_STANDARD = 5;

    private final CouchJobs jobs;
    private final Hiding hiding;

    public ScheduleOperations(CouchJobs jobs, Hiding hiding) {
        this.jobs = jobs;
        this.hiding = hiding;
    }

    public void bind(Operations operations) {
        operations.read(
                "listSchedules", (call, tx) -> Replies.page(jobs.schedules().list(tx, call.page()), JobJson::schedule));
        operations.read(
                "getSchedule",
                (call, tx) -> Replies.found(jobs.schedules().get(tx, call.name()), JobJson::schedule, "such schedule"));
        operations.read("listFirings", this::firings);
        operations.write("putSchedule", this::put);
        operations.write(
                "pauseSchedule", (call, tx) -> Replies.ok(jobs.schedules().pause(tx, call.name()), JobJson::schedule));
        operations.write(
                "resumeSchedule",
                (call, tx) -> Replies.ok(jobs.schedules().resume(tx, call.name()), JobJson::schedule));
        operations.write(
                "runScheduleNow",
                (call, tx) -> Replies.ok(jobs.schedules().runNow(tx, call.name()), JobJson::schedule));
        operations.write(
                "removeSchedule", (call, tx) -> Replies.done(jobs.schedules().remove(tx, call.name())));
    }

    private CompletableFuture<Reply> firings(Call call, ReadTransactionContext context) {
        int limit = call.number("limit").map(Math::toIntExact).orElse(FIRINGS_STANDARD);
        return context.readAsync(tx -> {
            var times = jobs.schedules().firingTimes(tx, call.name(), limit);
            return fired(tx, call, limit).thenCombine(times, (items, next) -> {
                List<String> texts = next.stream().map(Instant::toString).toList();
                return Reply.ok(new Fields()
                        .put("times", texts)
                        .putAll("jobs", items, item -> item)
                        .node());
            });
        });
    }

    private CompletableFuture<List<JsonNode>> fired(ReadTransaction tx, Call call, int limit) {
        return jobs.schedules().get(tx, call.name()).thenCompose(found -> {
            ScheduleInfo schedule = found.orElseThrow(() -> Replies.notFound("such schedule"));
            JobType<RawPayload, RawPayload> type = NewJobs.type(schedule.typeName());
            boolean isHidden = hiding.isFrom(call.access(), type.name());
            return jobs.schedules().jobs(tx, call.name(), limit).thenCompose(last -> {
                // One after the other: each read loads the data of a job, of which nothing is shown.
                CompletableFuture<List<JsonNode>> all = CompletableFuture.completedFuture(new ArrayList<>());
                for (var job : last) {
                    all = all.thenCompose(items -> jobs.getJob(tx, type, job.jobId())
                            .thenApply(read -> {
                                read.ifPresent(one -> items.add(JobJson.fired(one, isHidden)));
                                return items;
                            }));
                }
                return all;
            });
        });
    }

    private CompletableFuture<Reply> put(Call call, TransactionContext tx) {
        JsonNode body = call.body();
        return Replies.ok(jobs.schedules().put(tx, schedule(call, body)), JobJson::schedule);
    }

    private static Schedule schedule(Call call, JsonNode body) {
        NewJob<RawPayload> job = NewJobs.withType(call.access(), body.get("job"));
        Schedule schedule = times(call.name(), body, job);
        if (body.has("startingAt")) {
            schedule = schedule.startingAt(NewJobs.time(body.get("startingAt")));
        }
        if (body.has("endingAt")) {
            schedule = schedule.endingAt(NewJobs.time(body.get("endingAt")));
        }
        if (body.has("jitter")) {
            schedule = schedule.jitter(NewJobs.duration(body.get("jitter")));
        }
        if (body.has("makeUpFor")) {
            schedule = schedule.makeUpFor(body.get("makeUpFor").intValue());
        }
        if (body.has("skippingAfter")) {
            schedule = schedule.skippingAfter(NewJobs.duration(body.get("skippingAfter")));
        }
        if (body.path("passingResult").asBoolean(false)) {
            schedule = schedule.passingResult(NewJobs.type(job.type().name()));
        }
        return switch (body.path("overlap").asString("skip")) {
            case "queue" -> schedule.queueing();
            case "allow" -> schedule.overlapping();
            case "cancel_previous" -> schedule.cancellingPrevious();
            default -> schedule;
        };
    }

    /** The document wants exactly one of the three. */
    private static Schedule times(String name, JsonNode body, NewJob<RawPayload> job) {
        if (body.has("cron")) {
            ZoneId zone = ZoneId.of(body.path("zone").asString("UTC"));
            return Schedule.cron(name, body.get("cron").stringValue(), zone, job);
        }
        return body.has("every")
                ? Schedule.every(name, NewJobs.duration(body.get("every")), job)
                : Schedule.afterEach(name, NewJobs.duration(body.get("afterEach")), job);
    }
}
