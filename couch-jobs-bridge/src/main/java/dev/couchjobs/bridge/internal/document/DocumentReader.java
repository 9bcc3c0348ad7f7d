package dev.couchjobs.bridge.internal.document;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads job documents and work items of people and other nodes, and finds all their errors. It reads what {@link
 * DocumentWriter} writes without a difference. Thread-safe.
 */
public final class DocumentReader {
    private static final List<String> ENDS = List.of("success", "failed", "cancelled");

    private final NodeDirectory cluster;
    private final boolean isTrusting;
    private final StepPlanReader plans;
    private final StepProgressReader progresses;

    /**
     * Creates a reader for a cluster.
     *
     * @param cluster the nodes and groups that a document may name
     */
    public DocumentReader(NodeDirectory cluster) {
        this(cluster, false);
    }

    private DocumentReader(NodeDirectory cluster, boolean isTrusting) {
        this.cluster = cluster;
        this.isTrusting = isTrusting;
        this.plans = new StepPlanReader(new TargetReader(cluster, isTrusting));
        this.progresses = new StepProgressReader(cluster, isTrusting);
    }

    /**
     * {@return a reader of documents that were accepted before} Neither a change of the configuration nor what bridges
     * have written into a document makes it unreadable. This reader has no size limits, and reads unknown names as
     * those of nodes. A job that needs such a node waits for it until a person ends the job.
     */
    public DocumentReader trusting() {
        return new DocumentReader(cluster, true);
    }

    /**
     * {@return the content of a document}
     *
     * @param document a document with its {@code _id}; the reader neither changes nor keeps it
     */
    public ParsedDocument read(ObjectNode document) {
        DocumentKind kind = DocumentKind.of(document);
        if (kind == DocumentKind.OTHER) {
            return new ParsedDocument.Other();
        }
        String id = document.path("_id").asString("");
        ValidationErrors errors = new ValidationErrors();
        if (!isTrusting) {
            DocumentIds.fault(kind, id).ifPresent(fault -> errors.add("_id", fault));
        }
        Optional<? extends ParsedDocument> parsedDocument =
                kind == DocumentKind.JOB ? job(id, document, errors) : workItem(id, document, errors);
        return parsedDocument
                .<ParsedDocument>map(right -> right)
                .filter(right -> errors.isEmpty())
                .orElseGet(
                        () -> new ParsedDocument.Broken(kind, id, errors.sentences(), isMarkedEnded(kind, document)));
    }

    private Optional<? extends ParsedDocument> job(String id, ObjectNode document, ValidationErrors errors) {
        if (!isTrusting) {
            JsonSizes.check(document, errors);
        }
        return errors.isEmpty() ? checkedJob(id, document, errors) : Optional.empty();
    }

    private static Optional<ParsedDocument> workItem(String id, ObjectNode document, ValidationErrors errors) {
        return WorkItemCodec.read(id, document, errors).map(ParsedDocument.Work::new);
    }

    private Optional<ParsedDocument.Job> checkedJob(String id, ObjectNode document, ValidationErrors errors) {
        Fields fields = new Fields(document, "", errors).only(FieldNames.JOB);
        Optional<String> creator = creator(fields);
        int priority = fields.integer("priority", Integer.MIN_VALUE).orElse(0);
        OptionalInt index = fields.integer("step", 0);
        Optional<Verdict> verdict = verdict(fields);
        List<StepPlan> steps = new ArrayList<>();
        List<StepProgress> progress = new ArrayList<>();
        steps(fields, steps, progress);
        if (creator.isEmpty() || !errors.isEmpty()) {
            return Optional.empty();
        }
        JobDocument job =
                new JobDocument(id, new JobPlan(creator.get(), priority, steps), new Progress(progress, verdict));
        Consistency.check(job, verdict, index, fields);
        return Optional.of(new ParsedDocument.Job(job, verdict));
    }

    private Optional<String> creator(Fields fields) {
        fields.requires("creator", "name the node on which the job was created");
        Optional<String> creator = fields.text("creator");
        if (!isTrusting && creator.isPresent() && !cluster.nodes().contains(creator.get())) {
            fields.fault(
                    "creator",
                    "there is no node " + ValidationErrors.quote(creator.get())
                            + fields.errors().hint(creator.get(), cluster.nodes()));
            return Optional.empty();
        }
        return creator;
    }

    private void steps(Fields fields, List<StepPlan> steps, List<StepProgress> progress) {
        if (!fields.requires("job", "give it an array of steps")) {
            return;
        }
        JsonNode job = fields.value("job").orElseThrow();
        if (!job.isArray()) {
            fields.illTyped("job", job, "an array of steps");
            return;
        }
        if (job.isEmpty() || (!isTrusting && job.size() > DocumentLimits.STEPS)) {
            fields.fault(
                    "job",
                    "has " + job.size() + " steps; it has to have from 1 to " + DocumentLimits.STEPS
                            + (job.isEmpty()
                                    ? ""
                                    : ", because each revision contains all of them; divide the job into several,"
                                            + " the last step of each creating the next document"));
            return;
        }
        for (int i = 0; i < job.size(); i++) {
            step("job[" + i + "]", job.path(i), fields.errors()).ifPresent(step -> {
                steps.add(step.plan);
                progress.add(step.progress);
            });
        }
        int runs = new JobPlan("", 0, steps).runs();
        if (!isTrusting && runs > DocumentLimits.RUNS) {
            fields.fault(
                    "job",
                    "needs " + runs + " runs, one for each node of a step on all nodes; the most is "
                            + DocumentLimits.RUNS);
        }
    }

    private record ReadStep(StepPlan plan, StepProgress progress) {}

    private Optional<ReadStep> step(String path, JsonNode value, ValidationErrors errors) {
        if (!value.isObject()) {
            errors.add(path, "is " + Fields.describe(value) + "; it has to be an object with target and do");
            return Optional.empty();
        }
        Fields step = new Fields((ObjectNode) value, path, errors).only(FieldNames.STEP);
        Optional<StepPlan> plan = plans.read(step);
        return plan.map(read -> {
            StepPlan frozen = read.on(progresses.frozen(step, read.target()));
            return new ReadStep(frozen, progresses.read(step, frozen.target()));
        });
    }

    private static Optional<Verdict> verdict(Fields fields) {
        Optional<String> reason = fields.text("reason");
        Optional<String> status = fields.text("job_status").map(DocumentReader::normalized);
        if (status.isPresent() && !ENDS.contains(status.get())) {
            fields.fault(
                    "job_status",
                    "is " + ValidationErrors.quote(status.get()) + "; it can be null, " + String.join(", ", ENDS)
                            + fields.errors().hint(status.get(), ENDS));
            return Optional.empty();
        }
        return status.map(text -> Verdict.Status.valueOf(text.toUpperCase(Locale.ROOT)))
                .map(end -> end == Verdict.Status.SUCCESS ? Verdict.SUCCESS : new Verdict(end, reason));
    }

    private static boolean isMarkedEnded(DocumentKind kind, ObjectNode document) {
        return kind == DocumentKind.WORK_ITEM
                ? WorkItemCodec.isMarkedFailed(document)
                : ENDS.contains(normalized(document.path("job_status").asString("")));
    }

    private static String normalized(String status) {
        String lower = status.toLowerCase(Locale.ROOT);
        return lower.equals("canceled") ? "cancelled" : lower;
    }
}
