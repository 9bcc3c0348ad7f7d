package dev.couchjobs.server.internal.json;

import dev.couchjobs.bridge.BridgeDocument;
import dev.couchjobs.bridge.BridgeNode;
import dev.couchjobs.bridge.BridgeSettings;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** What a bridge says of its nodes and documents, in JSON. The schemas of the document describe it. */
public final class BridgeJson {
    private BridgeJson() {}

    public static JsonNode node(BridgeNode node) {
        return new Fields()
                .put("name", node.name())
                .put("state", node.state())
                .put("process", node.process())
                .put("version", node.version())
                .put("startedAt", node.startedAt())
                .put("reportedAt", node.reportedAt())
                .put("address", node.address())
                .put("connected", node.isConnected())
                .text("position", node.position())
                .put("settings", settings(node.settings()))
                .put("wanted", settings(node.wanted()))
                .put("wantedRevision", node.wantedRevision())
                .put("appliedRevision", node.appliedRevision())
                .put("faults", node.faults())
                .put("running", node.running())
                .putAll(
                        "steps",
                        node.steps(),
                        step -> new Fields()
                                .put("document", step.document())
                                .put("step", step.step())
                                .node())
                .put("resources", resources(node.resources()))
                .node();
    }

    private static JsonNode resources(BridgeNode.Resources resources) {
        Fields fields = new Fields().put("heapUsed", resources.heapUsed()).put("heapMax", resources.heapMax());
        resources.processorLoad().ifPresent(load -> fields.put("processorLoad", load));
        return fields.node();
    }

    private static JsonNode settings(BridgeSettings settings) {
        Fields concurrency = new Fields();
        settings.concurrency().forEach((kind, number) -> concurrency.put(kind, number));
        Fields fields = new Fields()
                .put("workers", settings.workers())
                .put("concurrency", concurrency.node())
                .duration("claimTimeout", settings.claimTimeout())
                .duration("heartbeat", settings.heartbeat())
                .text("server", settings.server())
                .text("database", settings.database());
        settings.memoryLimit().ifPresent(bytes -> fields.put("memoryLimit", bytes));
        return fields.duration("processorLimit", settings.processorLimit()).node();
    }

    public static JsonNode wanted(long revision, BridgeSettings settings) {
        return new Fields()
                .put("revision", revision)
                .put("settings", settings(settings))
                .node();
    }

    /** {@return settings as a body changes them: what is null becomes that of the file, what is absent stays} */
    public static BridgeSettings changed(BridgeSettings settings, JsonNode body) {
        JsonNode workers = body.path("workers");
        JsonNode memory = body.path("memoryLimit");
        return settings.withWorkers(
                        workers.isMissingNode()
                                ? settings.workers()
                                : workers.isNull() ? OptionalInt.empty() : OptionalInt.of(workers.intValue()))
                .withConcurrency(concurrency(settings.concurrency(), body.path("concurrency")))
                .withClaimTimeout(changed(body, "claimTimeout", settings.claimTimeout(), BridgeJson::duration))
                .withHeartbeat(changed(body, "heartbeat", settings.heartbeat(), BridgeJson::duration))
                .withDatabase(
                        changed(body, "server", settings.server(), JsonNode::stringValue),
                        changed(body, "database", settings.database(), JsonNode::stringValue))
                .withLimits(
                        memory.isMissingNode()
                                ? settings.memoryLimit()
                                : memory.isNull() ? OptionalLong.empty() : OptionalLong.of(memory.longValue()),
                        changed(body, "processorLimit", settings.processorLimit(), BridgeJson::duration));
    }

    private static Duration duration(JsonNode node) {
        return NewJobs.duration(node);
    }

    private static <T> Optional<T> changed(
            JsonNode body, String field, Optional<T> before, Function<JsonNode, T> read) {
        JsonNode value = body.path(field);
        if (value.isMissingNode()) {
            return before;
        }
        return value.isNull() ? Optional.empty() : Optional.of(read.apply(value));
    }

    private static Map<String, Integer> concurrency(Map<String, Integer> before, JsonNode change) {
        if (change.isNull()) {
            return Map.of();
        }
        Map<String, Integer> after = new TreeMap<>(before);
        change.forEachEntry((kind, number) -> {
            if (number.isNull()) {
                after.remove(kind);
            } else {
                after.put(kind, number.intValue());
            }
        });
        return after;
    }

    public static JsonNode document(BridgeDocument document) {
        return new Fields()
                .put("id", document.id())
                .put("creator", document.creator())
                .put("state", document.state())
                .text("reason", document.reason())
                .put("step", document.step())
                .putAll("steps", document.steps(), BridgeJson::step)
                .text("waitsFor", document.waitsFor())
                .node();
    }

    private static JsonNode step(BridgeDocument.Step step) {
        return new Fields()
                .put("index", step.index())
                .put("targets", step.targets())
                .text("state", step.state().map(Fields::constant))
                .text("claimedBy", step.claimedBy())
                .text("winner", step.winner())
                .putAll("runs", step.runs(), BridgeJson::run)
                .node();
    }

    private static JsonNode run(BridgeDocument.Run run) {
        return new Fields()
                .put("node", run.node())
                .put("state", run.state())
                .put("executioner", run.executioner())
                .put("begun", run.begun())
                .put("tries", run.tries())
                .time("startedAt", run.startedAt())
                .time("finishedAt", run.finishedAt())
                .put("exitStatus", run.exitStatus())
                .text("reason", run.reason())
                .node();
    }
}
