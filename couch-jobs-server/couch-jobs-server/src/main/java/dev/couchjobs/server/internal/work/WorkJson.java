package dev.couchjobs.server.internal.work;

import dev.couchjobs.Job;
import dev.couchjobs.LogEntry;
import dev.couchjobs.RawPayload;
import dev.couchjobs.RemoteWorker;
import dev.couchjobs.WorkerState;
import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.NewJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import tools.jackson.databind.JsonNode;

/** What workers and the server tell each other. */
final class WorkJson {
    private WorkJson() {}

    /** {@return the worker that a body describes} */
    static RemoteWorker worker(JsonNode body) {
        JsonNode worker = body.get("worker");
        List<String> types = new ArrayList<>();
        worker.get("types").forEach(type -> types.add(type.stringValue()));
        return new RemoteWorker(
                worker.get("name").stringValue(),
                UUID.fromString(worker.get("id").stringValue()),
                worker.path("host").asString(""),
                worker.path("version").asString(""),
                types.stream().distinct().sorted().toList(),
                worker.path("concurrency").asInt(1),
                worker.path("running").asInt(0),
                worker.path("draining").asBoolean(false),
                worker.has("startedAt") ? NewJobs.time(worker.get("startedAt")) : Instant.EPOCH);
    }

    static String order(WorkerState state) {
        return switch (state) {
            case RUNNING -> "run";
            case PAUSED -> "quiet";
            case DRAINING -> "drain";
        };
    }

    static JsonNode claims(WorkerState state, List<Claim> claims) {
        return new Fields()
                .put("order", order(state))
                .putAll("claims", claims, WorkJson::claim)
                .node();
    }

    /** A claim with what its worker needs beside it. */
    record Claim(Job<RawPayload> job, Duration timeout, Optional<LogEntry> checkpoint) {}

    private static JsonNode claim(Claim claim) {
        Job<RawPayload> job = claim.job();
        return new Fields()
                .put("type", job.type().name())
                .put("id", job.id())
                .put("lock", job.lock().toString())
                .put("claim", job.claim())
                .put("attempt", job.failures() + 1)
                .put("timeout", claim.timeout())
                .time("scheduledTime", job.scheduledTime())
                .time("firingTime", job.firingTime())
                .put("headers", job.headers())
                .put("data", job.data())
                .maybe("checkpoint", claim.checkpoint(), entry -> Json.of(entry.as(RawPayload.class)))
                .node();
    }
}
