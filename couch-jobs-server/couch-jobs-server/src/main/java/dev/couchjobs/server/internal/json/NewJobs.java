package dev.couchjobs.server.internal.json;

import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.RawPayload;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Unique;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.http.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** Reads what callers send. The schemas of the document have checked it, but for what only the library can check. */
public final class NewJobs {
    private NewJobs() {}

    /** {@return the type that the API uses: payloads are any JSON} */
    public static JobType<RawPayload, RawPayload> type(String name) {
        return JobType.of(name, RawPayload.class, RawPayload.class);
    }

    /** {@return the body of a request whose own is the data of a job: the one that would have the same effect} */
    public static JsonNode ofBytes(RawPayload data, Map<String, JsonNode> query) {
        Fields body = new Fields().put("data", data);
        return query.containsKey("id") ? body.put("id", query.get("id")).node() : body.node();
    }

    /** {@return the payload in a body: JSON under a name, or bytes in Base64 under the name with a suffix} */
    public static RawPayload payload(JsonNode body, String name) {
        if (body.has(name) && body.has(name + "Bytes")) {
            throw new IllegalArgumentException("Send " + name + " or " + name + "Bytes, not both.");
        }
        return body.has(name)
                ? Json.payload(body.get(name))
                : RawPayload.of(
                        body.path(name + "MediaType").asString(RawPayload.BYTES),
                        bytes(body.path(name + "Bytes").stringValue()));
    }

    private static byte[] bytes(String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("The bytes are not in Base64: " + e.getMessage() + ".", e);
        }
    }

    /** As {@link #of}, of a body with the type. */
    public static NewJob<RawPayload> withType(Access caller, JsonNode body) {
        return of(caller, type(body.get("type").stringValue()), body);
    }

    /**
     * {@return the job that a body describes} Every way to add jobs reads them here, so that each has the same checks.
     *
     * @throws ProblemException if the caller may not add such a job
     */
    public static NewJob<RawPayload> of(Access caller, JobType<RawPayload, RawPayload> type, JsonNode body) {
        AddingRights.require(caller, type.name(), body);
        NewJob<RawPayload> job = NewJob.of(type, payload(body, "data"));
        job = with(job, body, "id", JsonNode::stringValue, NewJob::id);
        job = with(job, body, "at", NewJobs::time, NewJob::at);
        job = with(job, body, "priority", JsonNode::intValue, NewJob::priority);
        job = with(job, body, "retry", NewJobs::retry, NewJob::retry);
        job = with(job, body, "limitKey", JsonNode::stringValue, NewJob::limitKey);
        job = with(job, body, "turnKey", JsonNode::stringValue, NewJob::turnKey);
        boolean passesFailure = body.path("passesFailure").asBoolean(false);
        job = with(
                job,
                body,
                "sequence",
                JsonNode::stringValue,
                passesFailure ? NewJob::sequencePassingFailure : NewJob::sequence);
        job = with(job, body, "unique", NewJobs::unique, NewJob::unique);
        job = with(job, body, "startBefore", NewJobs::time, NewJob::startBefore);
        job = with(job, body, "batch", JsonNode::stringValue, NewJob::batch);
        job = with(job, body, "tags", NewJobs::texts, (to, tags) -> to.tags(tags.toArray(String[]::new)));
        job = with(job, body, "after", NewJobs::dependencies, NewJob::after);
        for (Map.Entry<String, JsonNode> header : body.path("headers").properties()) {
            job = job.header(header.getKey(), header.getValue().stringValue());
        }
        return switch (body.path("onlyIf").asString("")) {
            case "absent" -> job.ifAbsent();
            case "absent_or_finished" -> job.ifAbsentOrFinished();
            default -> job;
        };
    }

    private static <T> NewJob<RawPayload> with(
            NewJob<RawPayload> job,
            JsonNode body,
            String field,
            Function<JsonNode, T> read,
            BiFunction<NewJob<RawPayload>, T, NewJob<RawPayload>> set) {
        return body.has(field) ? set.apply(job, read.apply(body.get(field))) : job;
    }

    public static Instant time(JsonNode node) {
        return Instant.parse(node.stringValue());
    }

    public static Duration duration(JsonNode node) {
        return Duration.parse(node.stringValue());
    }

    public static Rate rate(JsonNode node) {
        return new Rate(
                node.get("starts").intValue(),
                duration(node.get("period")),
                node.path("burst").asInt(0));
    }

    /** {@return a retention, by which jobs stay whose time is left out} */
    public static Retention retention(JsonNode node) {
        Retention ended = node.has("ended") ? Retention.of(duration(node.get("ended"))) : Retention.forever();
        Retention both = node.has("failed") ? ended.failed(duration(node.get("failed"))) : ended.failedForever();
        Retention archived = node.path("archived").asBoolean(false) ? both.archived() : both;
        return node.path("byGraph").asBoolean(false) ? archived.byGraph() : archived;
    }

    private static List<String> texts(JsonNode node) {
        List<String> texts = new ArrayList<>();
        node.forEach(text -> texts.add(text.stringValue()));
        return texts;
    }

    public static RetryPolicy retry(JsonNode node) {
        RetryPolicy standard = RetryPolicy.standard();
        return new RetryPolicy(
                node.path("maxAttempts").asInt(standard.maxAttempts()),
                node.has("initialDelay") ? duration(node.get("initialDelay")) : standard.initialDelay(),
                node.path("factor").asDouble(standard.factor()),
                node.has("maxDelay") ? duration(node.get("maxDelay")) : standard.maxDelay(),
                node.path("jitter").asDouble(standard.jitter()));
    }

    private static Unique unique(JsonNode node) {
        Unique unique = node.has("key") ? Unique.by(node.get("key").stringValue()) : Unique.byData();
        if (node.has("within")) {
            unique = unique.within(duration(node.get("within")));
        }
        if (node.path("whileKept").asBoolean(false)) {
            unique = unique.whileKept();
        }
        return node.path("replacing").asBoolean(false) ? unique.replacing() : unique;
    }

    private static List<Dependency> dependencies(JsonNode node) {
        List<Dependency> dependencies = new ArrayList<>();
        node.forEach(one -> dependencies.add(new Dependency(
                one.get("type").stringValue(),
                one.get("id").stringValue(),
                Fields.constant(
                        DependencyPolicy.class, one.path("ifUnsuccessful").asString("wait")))));
        return dependencies;
    }
}
