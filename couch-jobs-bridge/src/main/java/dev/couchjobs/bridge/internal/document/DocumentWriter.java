package dev.couchjobs.bridge.internal.document;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes job documents and work items. The fields that people have written keep their content and place. The same job
 * on the same document gives the same bytes on every node, and so the same revision in CouchDB, whatever was written in
 * between: fields of the thesis keep their place, and the bridge's own come after all others, in a fixed order.
 */
public final class DocumentWriter {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private DocumentWriter() {}

    /** {@return a new document for a job, with no field of CouchDB but the id} */
    public static ObjectNode write(JobDocument job) {
        return write(job, JSON.objectNode());
    }

    /**
     * {@return a document with the state of a job}
     *
     * @param job the job
     * @param base a version of its document, unchanged; it provides all fields that are not the bridge's, such as
     *     {@code _rev}
     */
    public static ObjectNode write(JobDocument job, ObjectNode base) {
        ObjectNode document = JSON.objectNode();
        document.put("_id", job.id());
        copy(base, document, List.of("reason"));
        if (!base.has("creator")) {
            document.put("creator", job.plan().creator());
        }
        if (base.path("priority").asInt(0) != job.plan().priority()) {
            document.put("priority", job.plan().priority());
        }
        put(document, "step", JSON.numberNode(job.currentStep()));
        document.set("job", steps(job, base.path("job")));
        Optional<Verdict> verdict = job.verdict();
        document.put("job_status", verdict.map(end -> Spelling.of(end.status())).orElse(null));
        verdict.flatMap(Verdict::reason).ifPresent(reason -> document.put("reason", reason));
        return document;
    }

    /**
     * {@return whether a document is as a bridge writes it: with all fields that follow from others} The reason in the
     * document of a job that has succeeded is free.
     *
     * @param job what the document contains
     */
    public static boolean isWritten(JobDocument job, ObjectNode document) {
        ObjectNode written = write(job, document);
        if (job.verdict().equals(Optional.of(Verdict.SUCCESS))
                && document.path("reason").isString()) {
            written.set("reason", document.path("reason"));
        }
        return DocumentDigests.of(written).equals(DocumentDigests.of(document));
    }

    /**
     * {@return a document with the state of a work item}
     *
     * @param item the item
     * @param base a version of its document, unchanged
     */
    public static ObjectNode write(WorkItem item, ObjectNode base) {
        return WorkItemCodec.write(item, base);
    }

    /**
     * {@return a copy of a document that cannot be run, with the reason}
     *
     * @param document the document
     * @param reason the reason, with what a person can do
     */
    public static ObjectNode refuse(ObjectNode document, String reason) {
        if (DocumentKind.of(document) == DocumentKind.WORK_ITEM) {
            return WorkItemCodec.refuse(document, reason);
        }
        return with(document, verdict(reason));
    }

    /**
     * {@return the fields that refuse a job document}
     *
     * @param reason the reason, with what a person can do
     */
    public static ObjectNode verdict(String reason) {
        return JSON.objectNode()
                .put("job_status", Spelling.of(Verdict.Status.FAILED))
                .put("reason", reason);
    }

    /**
     * {@return the fields that refuse a job document and show that none of its steps runs or is claimed}
     *
     * @param reason the reason, with what a person can do
     * @param document the document
     */
    public static ObjectNode verdict(String reason, ObjectNode document) {
        ObjectNode verdict = verdict(reason);
        JsonNode stopped = document.path("job").deepCopy();
        stopped.forEach(DocumentWriter::stop);
        stopped.forEach(DocumentWriter::unclaim);
        if (!stopped.equals(document.path("job"))) {
            verdict.set("job", stopped);
        }
        return verdict;
    }

    private static void stop(JsonNode run) {
        if (run instanceof ObjectNode step
                && step.path("step_status").asString("").equalsIgnoreCase(Spelling.of(StepRun.Status.RUNNING))) {
            step.path("nodes").forEach(DocumentWriter::stop);
            step.putNull("step_status");
            step.remove(FieldNames.OUR_RUN);
            for (String name : FieldNames.THESIS_STATE) { // a step has them, a node of a step for all only with a value
                if (step.has("target") && step.has(name)) {
                    step.putNull(name);
                } else if (FieldNames.RUN.contains(name)) {
                    step.remove(name);
                }
            }
        }
    }

    private static void unclaim(JsonNode value) {
        if (value instanceof ObjectNode step && !step.hasNonNull("step_status")) {
            for (String claim : List.of("claimed_by", "winner")) {
                if (step.hasNonNull(claim)) {
                    step.putNull(claim);
                }
            }
        }
    }

    /**
     * {@return the fields that refuse another plan for a job that has ended}
     *
     * @param reason the reason
     * @param document the document
     */
    public static ObjectNode planRefusal(String reason, ObjectNode document) {
        String before =
                document.path("reason").isString() ? document.path("reason").asString() : "";
        return JSON.objectNode().put("reason", before.isEmpty() ? reason : before + '\n' + reason);
    }

    /**
     * {@return a document with the progress of its job, and with its own plan}
     *
     * @param job the job
     * @param document a version of its document that may be unreadable, unchanged
     */
    public static Optional<ObjectNode> mended(JobDocument job, ObjectNode document) {
        boolean hasPlan = document.has("creator")
                && document.path("job").isArray()
                && document.path("job").size() == job.plan().steps().size();
        return hasPlan ? Optional.of(write(job, document)) : Optional.empty();
    }

    /**
     * {@return a copy of a job document without the progress of its job}
     *
     * @param document the document
     */
    public static ObjectNode planOnly(ObjectNode document) {
        ObjectNode plan = document.deepCopy();
        plan.remove(List.of("step", "job_status", "reason"));
        for (JsonNode step : plan.path("job")) {
            if (step instanceof ObjectNode fields) {
                fields.remove(FieldNames.THESIS_STATE);
                fields.remove(FieldNames.OUR_STATE);
            }
        }
        return plan;
    }

    /**
     * {@return the fields that say why a document cannot be read, and how its job has ended}
     *
     * @param reason why it cannot be read
     * @param ended the job
     */
    public static ObjectNode verdict(String reason, ObjectNode document, JobDocument ended) {
        return planRefusal(reason, document)
                .put("job_status", Spelling.of(ended.verdict().orElseThrow().status()));
    }

    /**
     * {@return a copy of a job document with a verdict}
     *
     * @param document the document
     * @param verdict the fields of the verdict
     */
    public static ObjectNode with(ObjectNode document, ObjectNode verdict) {
        ObjectNode judged = JSON.objectNode();
        copy(document, judged, List.of("reason"));
        judged.setAll(verdict);
        return judged;
    }

    private static ArrayNode steps(JobDocument job, JsonNode base) {
        ArrayNode steps = JSON.arrayNode();
        boolean hasBase = base.isArray() && base.size() == job.plan().steps().size();
        for (int i = 0; i < job.plan().steps().size(); i++) {
            JsonNode before = hasBase ? base.path(i) : JSON.objectNode();
            steps.add(step(job.step(i), before.isObject() ? (ObjectNode) before : JSON.objectNode()));
        }
        return steps;
    }

    private static ObjectNode step(Step step, ObjectNode base) {
        ObjectNode written = JSON.objectNode();
        copy(base.isEmpty() ? PlanWriter.write(step.plan()) : base, written, FieldNames.OUR_STATE);
        Map<String, JsonNode> state = StateWriter.write(step);
        for (String name : FieldNames.THESIS_STATE) {
            JsonNode unknown = written.has(name) ? written.path(name) : JSON.nullNode();
            put(written, name, state.getOrDefault(name, unknown));
        }
        for (String name : FieldNames.OUR_STATE) {
            JsonNode value = state.get(name);
            if (value != null) {
                written.set(name, unlessSame(base.path(name), value));
            }
        }
        return written;
    }

    private static void copy(ObjectNode from, ObjectNode to, List<String> but) {
        for (Map.Entry<String, JsonNode> field : from.properties()) {
            if (!but.contains(field.getKey())) {
                to.set(field.getKey(), field.getValue().deepCopy());
            }
        }
    }

    private static void put(ObjectNode document, String name, JsonNode value) {
        document.set(name, unlessSame(document.path(name), value));
    }

    /** Another form of the same number is no change; see {@link JsonNumbers}. */
    private static JsonNode unlessSame(JsonNode before, JsonNode value) {
        return JsonNumbers.canonical(before).equals(JsonNumbers.canonical(value)) ? before : value;
    }
}
