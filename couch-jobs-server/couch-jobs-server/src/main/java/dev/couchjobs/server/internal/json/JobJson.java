package dev.couchjobs.server.internal.json;

import dev.couchjobs.AddResult;
import dev.couchjobs.BatchInfo;
import dev.couchjobs.DeadLetter;
import dev.couchjobs.Health;
import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobLine;
import dev.couchjobs.JobProgress;
import dev.couchjobs.JobReason;
import dev.couchjobs.JobSummary;
import dev.couchjobs.LimitInfo;
import dev.couchjobs.LinkedJob;
import dev.couchjobs.LogEntry;
import dev.couchjobs.Outcome;
import dev.couchjobs.Page;
import dev.couchjobs.QuarantinedRow;
import dev.couchjobs.Rate;
import dev.couchjobs.RawPayload;
import dev.couchjobs.ReleaseReason;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.ScheduleInfo;
import dev.couchjobs.TypeLimitInfo;
import dev.couchjobs.TypePause;
import dev.couchjobs.WorkerInfo;
import dev.couchjobs.WorkerPause;
import dev.couchjobs.server.internal.http.Json;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/** What the library says of jobs, in JSON. The schemas of the document describe it. */
public final class JobJson {
    private static final String HIDDEN = "hidden";
    private static final Pattern CLASS_OF_ERROR = Pattern.compile("^([A-Za-z_$][\\w$]*\\.)+[A-Z][\\w$]*(?=:|\\s|$)");

    private JobJson() {}

    /** {@return an error; of one that is hidden, only its class, as its message may quote the data} */
    private static String error(String error, boolean isHidden) {
        if (!isHidden) {
            return error;
        }
        Matcher matcher = CLASS_OF_ERROR.matcher(error);
        return matcher.find() ? matcher.group() : HIDDEN;
    }

    /**
     * {@return a job}
     *
     * @param isHidden whether the caller must not see what it contains
     */
    public static JsonNode job(JobInfo<RawPayload, RawPayload> job, boolean isHidden) {
        Fields fields = new Fields()
                .put("type", job.type().name())
                .put("id", job.id())
                .put("state", job.state())
                .maybe("outcome", job.outcome(), JobJson::constant)
                .put("priority", job.priority())
                .put("blocked", job.isBlocked())
                .time("scheduledTime", job.scheduledTime())
                .time("startBefore", job.startBefore())
                .text("limitKey", job.limitKey())
                .text("turnKey", job.turnKey())
                .maybe("retry", job.retry(), JobJson::retry)
                .text("sequence", job.sequence())
                .put("passesFailure", job.passesFailure())
                .text("uniqueKey", job.uniqueKey())
                .put("uniqueByData", job.isUniqueByData())
                .text("batch", job.batch())
                .put("tags", job.tags())
                .put("headers", job.headers())
                .put("resubmitted", job.isResubmitted())
                .put("claims", job.claims())
                .put("descent", job.descent() == 0 ? OptionalInt.empty() : OptionalInt.of(job.descent()))
                .put("failures", job.failures())
                .put("releases", releases(job))
                .maybe("lastAttempt", job.lastAttempt(), attempt -> attempt(attempt, isHidden))
                .text("error", job.error().map(error -> error(error, isHidden)))
                .time("endedAt", job.endedAt())
                .time("removeAt", job.removeAt());
        if (isHidden) {
            return fields.put(HIDDEN, true).node();
        }
        fields.put("data", job.data());
        job.result().ifPresent(result -> fields.put("result", result));
        return fields.node();
    }

    private static JsonNode releases(JobInfo<?, ?> job) {
        Fields fields = new Fields();
        for (ReleaseReason reason : ReleaseReason.values()) {
            fields.put(Fields.constant(reason), job.releases(reason));
        }
        return fields.node();
    }

    private static JsonNode retry(RetryPolicy policy) {
        return new Fields()
                .put("maxAttempts", policy.maxAttempts())
                .put("initialDelay", policy.initialDelay())
                .put("factor", policy.factor())
                .put("maxDelay", policy.maxDelay())
                .put("jitter", policy.jitter())
                .node();
    }

    private static JsonNode constant(Enum<?> value) {
        return StringNode.valueOf(Fields.constant(value));
    }

    public static JsonNode summary(JobSummary job) {
        return new Fields()
                .put("id", job.jobId())
                .put("state", job.state())
                .time("scheduledTime", job.scheduledTime())
                .node();
    }

    public static JsonNode line(JobLine job, boolean isHidden) {
        return new Fields()
                .put("id", job.jobId())
                .put("status", job.status())
                .time("since", job.since())
                .time("scheduledTime", job.scheduledTime())
                .put("priority", job.priority())
                .put("claims", job.claim())
                .put("failures", job.failures())
                .text("holder", job.holder())
                .text("error", job.error().map(error -> error(error, isHidden)))
                .maybe("progress", job.progress(), progress -> progress(progress, isHidden))
                .text("limitKey", job.limitKey())
                .text("turnKey", job.turnKey())
                .put("tags", job.tags())
                .node();
    }

    public static JsonNode added(String type, AddResult result) {
        return new Fields()
                .put("type", type)
                .put("id", result.jobId())
                .put("change", result.change())
                .put("givenData", result.givenData())
                .node();
    }

    public static JsonNode reason(JobReason reason) {
        return new Fields()
                .put("kind", constant(reason.kind()))
                .put("text", reason.text())
                .time("until", reason.until())
                .node();
    }

    public static JsonNode attempt(JobAttempt attempt, boolean isHidden) {
        return new Fields()
                .put("claim", attempt.claim())
                .put("by", attempt.by())
                .put("since", attempt.since())
                .time("until", attempt.until())
                .maybe("end", attempt.end(), JobJson::constant)
                .text("error", attempt.error().map(error -> error(error, isHidden)))
                .node();
    }

    public static JsonNode entry(LogEntry entry, boolean isHidden) {
        Fields fields = new Fields()
                .put("number", entry.number())
                .put("claim", entry.claim())
                .put("at", entry.at())
                .put("kind", entry.kind());
        return isHidden
                ? fields.put(HIDDEN, true).node()
                : fields.put("entry", Json.of(entry.as(RawPayload.class))).node();
    }

    public static JsonNode progress(JobProgress progress, boolean isHidden) {
        Fields fields = new Fields()
                .put("done", progress.done())
                .put("total", progress.total())
                .put("at", progress.at());
        return isHidden
                ? fields.put(HIDDEN, true).node()
                : fields.put("text", progress.text()).node();
    }

    public static JsonNode linked(LinkedJob job) {
        return new Fields()
                .put("type", job.typeName())
                .put("id", job.jobId())
                .put("ifUnsuccessful", job.policy())
                .put("state", job.state())
                .maybe("outcome", job.outcome(), JobJson::constant)
                .put("blocked", job.isBlocked())
                .node();
    }

    /**
     * {@return a job of a schedule}
     *
     * @param isHidden whether the caller must not see what it contains
     */
    public static JsonNode fired(JobInfo<RawPayload, RawPayload> job, boolean isHidden) {
        return new Fields()
                .put("id", job.id())
                .put("state", job.state())
                .maybe("outcome", job.outcome(), JobJson::constant)
                .time("scheduledTime", job.scheduledTime())
                .maybe("lastAttempt", job.lastAttempt(), attempt -> attempt(attempt, isHidden))
                .text("error", job.error().map(error -> error(error, isHidden)))
                .node();
    }

    public static JsonNode counts(JobCounts counts) {
        return new Fields()
                .put("pending", counts.pending())
                .put("blocked", counts.blocked())
                .put("running", counts.running())
                .put("succeeded", counts.succeeded())
                .put("failed", counts.failed())
                .put("cancelled", counts.cancelled())
                .put("expired", counts.expired())
                .put("total", counts.total())
                .node();
    }

    public static JsonNode pause(TypePause pause) {
        return new Fields()
                .put("since", pause.since())
                .put("reason", pause.reason())
                .node();
    }

    public static JsonNode rate(Rate rate) {
        return new Fields()
                .put("starts", rate.starts())
                .put("period", rate.period())
                .put("burst", rate.burst())
                .node();
    }

    public static JsonNode retention(Retention retention) {
        Fields fields = new Fields()
                .duration("ended", retention.after(Outcome.SUCCEEDED))
                .duration("failed", retention.after(Outcome.FAILED))
                .put("archived", retention.isArchived());
        return (retention.isByGraph() ? fields.put("byGraph", true) : fields).node();
    }

    public static JsonNode typeLimits(TypeLimitInfo limits) {
        return new Fields()
                .put("max", limits.max())
                .put("running", limits.running())
                .maybe("rate", limits.rate(), JobJson::rate)
                .node();
    }

    public static JsonNode keyLimits(String key, LimitInfo limits, int weight) {
        return new Fields()
                .put("key", key)
                .put("max", limits.max())
                .put("taken", limits.taken())
                .put("paused", limits.isPaused())
                .maybe("rate", limits.rate(), JobJson::rate)
                .put("weight", weight)
                .node();
    }

    public static JsonNode deadLetter(DeadLetter letter, boolean isHidden) {
        return new Fields()
                .put("id", letter.jobId())
                .put("failedAt", letter.failedAt())
                .put("failures", letter.failures())
                .put("claims", letter.claims())
                .put("error", error(letter.error(), isHidden))
                .node();
    }

    public static JsonNode quarantined(QuarantinedRow row) {
        return new Fields()
                .put("id", row.id())
                .put("row", row.row())
                .put("reason", row.reason())
                .node();
    }

    public static JsonNode schedule(ScheduleInfo schedule) {
        return new Fields()
                .put("name", schedule.name())
                .put("type", schedule.typeName())
                .put("times", schedule.times())
                .put("paused", schedule.isPaused())
                .text("currentJob", schedule.currentJob())
                .time("firingTime", schedule.firingTime())
                .node();
    }

    public static JsonNode batch(BatchInfo batch) {
        return new Fields()
                .put("name", batch.name())
                .put("state", batch.state())
                .text("closingJob", batch.closingJob())
                .put("outstanding", batch.outstanding())
                .put("succeeded", batch.succeeded())
                .put("failed", batch.failed())
                .put("cancelled", batch.cancelled())
                .put("expired", batch.expired())
                .put("removed", batch.removed())
                .put("total", batch.total())
                .node();
    }

    public static JsonNode worker(WorkerInfo worker) {
        return new Fields()
                .put("name", worker.name())
                .put("id", worker.id())
                .put("host", worker.host())
                .put("libraryVersion", worker.libraryVersion())
                .put("types", worker.types())
                .put("concurrency", worker.concurrency())
                .put("running", worker.running())
                .put("state", worker.state())
                .put("startedAt", worker.startedAt())
                .put("lastSeen", worker.lastSeen())
                .put("live", worker.isLive())
                .node();
    }

    public static JsonNode workerPause(WorkerPause pause) {
        return new Fields()
                .put("name", pause.name())
                .put("since", pause.since())
                .node();
    }

    public static JsonNode health(Health health) {
        return new Fields()
                .put("status", health.status())
                .put("reasons", health.reasons())
                .duration("readVersionTook", health.readVersionTook())
                .putAll("due", health.due(), JobJson::dueJob)
                .put("typesDue", health.typesDue())
                .put("unmonitored", health.unmonitored())
                .put("quarantined", health.quarantined())
                .put("liveWorkers", health.liveWorkers())
                .maybe(
                        "clockAhead",
                        health.clockSkew(),
                        skew -> StringNode.valueOf(skew.ahead().toString()))
                .node();
    }

    private static JsonNode dueJob(Health.DueJob job) {
        return new Fields()
                .put("type", job.type())
                .put("id", job.jobId())
                .put("dueFor", job.dueFor())
                .node();
    }

    public static <T> JsonNode page(Page<T> page, Function<? super T, ? extends JsonNode> toJson) {
        return new Fields()
                .putAll("items", page.items(), toJson)
                .text("next", page.next())
                .node();
    }
}
