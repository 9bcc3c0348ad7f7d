package dev.couchjobs.server.internal.api;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.JobTypes;
import dev.couchjobs.Limits;
import dev.couchjobs.PageRequest;
import dev.couchjobs.RawPayload;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.JobJson;
import dev.couchjobs.server.internal.json.NewJobs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Types: timeouts, retentions, pauses, counts, the status index, limits, dead letters and quarantine. */
public final class TypeOperations {
    private final CouchJobs jobs;
    private final Hiding hiding;

    public TypeOperations(CouchJobs jobs, Hiding hiding) {
        this.hiding = hiding;
        this.jobs = jobs;
    }

    public void bind(Operations operations) {
        JobTypes types = jobs.types();
        operations.read("listTypes", this::list);
        operations.read("listTypeDetails", this::listDetails);
        operations.read(
                "getType", (call, tx) -> tx.readAsync(one -> Replies.ok(details(one, call.type()), node -> node)));
        operations.write(
                "setTypeTimeout",
                (call, tx) -> Replies.done(types.setTypeTimeout(
                        tx, call.type(), NewJobs.duration(call.body().get("timeout")))));
        operations.write("clearTypeTimeout", (call, tx) -> Replies.done(types.clearTypeTimeout(tx, call.type())));
        operations.write(
                "setTypeRetention",
                (call, tx) -> Replies.done(types.setTypeRetention(tx, call.type(), NewJobs.retention(call.body()))));
        operations.write("clearTypeRetention", (call, tx) -> Replies.done(types.clearTypeRetention(tx, call.type())));
        operations.write(
                "pauseType",
                (call, tx) -> Replies.done(
                        types.pause(tx, call.type(), call.field("reason").orElse(""))));
        operations.write("resumeType", (call, tx) -> Replies.done(types.resume(tx, call.type())));
        operations.read("getCounts", (call, tx) -> Replies.ok(jobs.counts(tx, call.type()), JobJson::counts));
        bindStatuses(operations);
        bindLimits(operations);
        bindDeadLetters(operations);
        bindQuarantine(operations);
    }

    private CompletableFuture<Reply> list(Call call, ReadTransactionContext tx) {
        return Replies.ok(
                jobs.types().getTypes(tx),
                names -> new Fields()
                        .put("items", names.stream().filter(call::mayRead).toList())
                        .node());
    }

    /** A page continues behind the name of its last type. */
    private CompletableFuture<Reply> listDetails(Call call, ReadTransactionContext tx) {
        PageRequest page = call.page();
        return tx.readAsync(one -> jobs.types().getTypes(one).thenCompose(names -> {
            List<String> rest = names.stream()
                    .filter(call::mayRead)
                    .filter(name ->
                            page.after().map(last -> name.compareTo(last) > 0).orElse(true))
                    .sorted()
                    .limit(page.limit() + 1L)
                    .toList();
            List<String> shown = rest.subList(0, Math.min(page.limit(), rest.size()));
            List<CompletableFuture<JsonNode>> items =
                    shown.stream().map(name -> details(one, NewJobs.type(name))).toList();
            return CompletableFuture.allOf(items.toArray(CompletableFuture[]::new))
                    .thenApply(done -> Reply.ok(new Fields()
                            .putAll("items", items, CompletableFuture::join)
                            .text(
                                    "next",
                                    rest.size() > shown.size()
                                            ? Optional.of(shown.get(shown.size() - 1))
                                            : Optional.empty())
                            .node()));
        }));
    }

    private CompletableFuture<JsonNode> details(ReadTransaction tx, JobType<RawPayload, RawPayload> type) {
        var timeout = jobs.types().getTypeTimeout(tx, type);
        var retention = jobs.types().getTypeRetention(tx, type);
        var pause = jobs.types().getPause(tx, type);
        var counts = jobs.counts(tx, type);
        var limits = jobs.limits().ofType(tx, type);
        return CompletableFuture.allOf(timeout, retention, pause, counts, limits)
                .thenApply(done -> new Fields()
                        .put("name", type.name())
                        .duration("timeout", timeout.join())
                        .maybe("retention", retention.join(), JobJson::retention)
                        .maybe("pause", pause.join(), JobJson::pause)
                        .put("counts", JobJson.counts(counts.join()))
                        .put("limits", JobJson.typeLimits(limits.join()))
                        .node());
    }

    private void bindStatuses(Operations operations) {
        operations.act("createStatusIndex", call -> Replies.done(jobs.statuses().index(call.type())));
        operations.write(
                "dropStatusIndex", (call, tx) -> Replies.done(jobs.statuses().drop(tx, call.type())));
        operations.read(
                "getStatusCounts",
                (call, tx) -> Replies.ok(jobs.statuses().counts(tx, call.type()), counts -> {
                    Fields fields = new Fields();
                    counts.forEach((status, count) -> fields.put(Fields.constant(status), count));
                    return fields.node();
                }));
    }

    private void bindLimits(Operations operations) {
        Limits limits = jobs.limits();
        operations.read("getTypeLimits", (call, tx) -> Replies.ok(limits.ofType(tx, call.type()), JobJson::typeLimits));
        operations.write("setTypeLimits", this::setTypeLimits);
        operations.write(
                "setKeyLimitDefault",
                (call, tx) -> Replies.done(
                        limits.set(tx, call.type(), call.body().get("max").intValue())));
        operations.write("clearKeyLimitDefault", (call, tx) -> Replies.done(limits.clear(tx, call.type())));
        operations.read(
                "listPausedKeys",
                (call, tx) -> Replies.page(
                        limits.pausedKeys(tx, call.type(), call.page()),
                        key -> new Fields().put("key", key).node()));
        operations.read("getKeyLimits", (call, tx) -> {
            var weight = limits.getWeight(tx, call.type(), call.part("key"));
            return limits.get(tx, call.type(), call.part("key"))
                    .thenCombine(weight, (info, of) -> Reply.ok(JobJson.keyLimits(call.part("key"), info, of)));
        });
        operations.write("setKeyLimits", this::setKeyLimits);
        operations.write("pauseKey", (call, tx) -> Replies.done(limits.pause(tx, call.type(), call.part("key"))));
        operations.write("resumeKey", (call, tx) -> Replies.done(limits.resume(tx, call.type(), call.part("key"))));
    }

    /** What the body leaves out has no limit afterwards. */
    private CompletableFuture<Reply> setTypeLimits(Call call, TransactionContext context) {
        JobType<RawPayload, RawPayload> type = call.type();
        JsonNode body = call.body();
        Limits limits = jobs.limits();
        return context.runAsync(tx -> Replies.done(all(List.of(
                body.has("max") ? limits.setTotal(tx, type, body.get("max").intValue()) : limits.clearTotal(tx, type),
                body.has("rate")
                        ? limits.setRate(tx, type, NewJobs.rate(body.get("rate")))
                        : limits.clearRate(tx, type)))));
    }

    private CompletableFuture<Reply> setKeyLimits(Call call, TransactionContext context) {
        JobType<RawPayload, RawPayload> type = call.type();
        String key = call.part("key");
        JsonNode body = call.body();
        Limits limits = jobs.limits();
        return context.runAsync(tx -> Replies.done(all(List.of(
                body.has("max") ? limits.set(tx, type, key, body.get("max").intValue()) : limits.clear(tx, type, key),
                body.has("rate")
                        ? limits.setRate(tx, type, key, NewJobs.rate(body.get("rate")))
                        : limits.clearRate(tx, type, key),
                body.has("weight")
                        ? limits.setWeight(tx, type, key, body.get("weight").intValue())
                        : limits.clearWeight(tx, type, key)))));
    }

    private static CompletableFuture<Void> all(List<CompletableFuture<Void>> verbs) {
        return CompletableFuture.allOf(new ArrayList<>(verbs).toArray(CompletableFuture[]::new));
    }

    private void bindDeadLetters(Operations operations) {
        operations.read(
                "listDeadLetters",
                (call, tx) -> Replies.page(
                        jobs.deadLetters().list(tx, call.type(), call.page()),
                        letter -> JobJson.deadLetter(letter, hiding.isFrom(call))));
        operations.write(
                "retryDeadLetter",
                (call, tx) -> Replies.changed(jobs.deadLetters().retry(tx, call.type(), call.id())));
        operations.act(
                "retryAllDeadLetters", call -> Replies.count(jobs.deadLetters().retryAll(call.type())));
    }

    private void bindQuarantine(Operations operations) {
        operations.read(
                "listQuarantine",
                (call, tx) -> Replies.page(jobs.quarantine().list(tx, call.type(), call.page()), JobJson::quarantined));
        operations.write(
                "removeQuarantined",
                (call, tx) -> Replies.changed(jobs.quarantine().remove(tx, call.type(), call.id())));
        operations.write(
                "restoreQuarantined",
                (call, tx) -> Replies.changed(jobs.quarantine().restore(tx, call.type(), call.id())));
    }
}
