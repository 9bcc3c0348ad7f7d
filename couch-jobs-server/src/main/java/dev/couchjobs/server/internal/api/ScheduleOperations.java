package dev.couchjobs.server.internal.api;

import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.NewJob;
import dev.couchjobs.Schedule;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.JobJson;
import dev.couchjobs.server.internal.json.NewJobs;
import java.time.ZoneId;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Schedules. */
public final class ScheduleOperations {
    private final CouchJobs jobs;

    public ScheduleOperations(CouchJobs jobs) {
        this.jobs = jobs;
    }

    public void bind(Operations operations) {
        operations.read(
                "listSchedules", (call, tx) -> Replies.page(jobs.schedules().list(tx, call.page()), JobJson::schedule));
        operations.read(
                "getSchedule",
                (call, tx) -> Replies.found(jobs.schedules().get(tx, call.name()), JobJson::schedule, "such schedule"));
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

    private CompletableFuture<Reply> put(Call call, TransactionContext tx) {
        JsonNode body = call.body();
        return Replies.ok(jobs.schedules().put(tx, schedule(call.name(), body)), JobJson::schedule);
    }

    private static Schedule schedule(String name, JsonNode body) {
        NewJob<Object> job = NewJobs.withType(body.get("job"));
        Schedule schedule = times(name, body, job);
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
    private static Schedule times(String name, JsonNode body, NewJob<Object> job) {
        if (body.has("cron")) {
            ZoneId zone = ZoneId.of(body.path("zone").asString("UTC"));
            return Schedule.cron(name, body.get("cron").stringValue(), zone, job);
        }
        return body.has("every")
                ? Schedule.every(name, NewJobs.duration(body.get("every")), job)
                : Schedule.afterEach(name, NewJobs.duration(body.get("afterEach")), job);
    }
}
