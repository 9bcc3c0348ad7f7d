package dev.couchjobs.bridge.internal.document;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the progress of a step. */
final class StepProgressReader {
    private static final Pattern EXECUTIONER = Pattern.compile("Node: (.+?), worker: .*", Pattern.DOTALL);

    private final NodeDirectory cluster;
    private final boolean isTrusting;

    StepProgressReader(NodeDirectory cluster, boolean isTrusting) {
        this.cluster = cluster;
        this.isTrusting = isTrusting;
    }

    /**
     * {@return the progress of the step; that of an open step if it is invalid}
     *
     * @param step the step's fields
     * @param target its target
     */
    StepProgress read(Fields step, Target target) {
        return target instanceof Target.All all ? onAll(step, all) : onOne(step, target);
    }

    /** {@return the nodes of a step on all nodes: the present ones, or those at its beginning} */
    Target frozen(Fields step, Target target) {
        Optional<Fields> nodes = step.object("nodes");
        boolean hasBegun =
                nodes.isPresent() && nodes.get().objects().values().stream().anyMatch(node -> node.has("step_status"));
        return target instanceof Target.All && hasBegun
                ? new Target.All(new TreeSet<>(nodes.get().objects().keySet()))
                : target;
    }

    private StepProgress onAll(Fields step, Target.All target) {
        for (String name : List.of("claimed_by", "winner", "executioner", "withdrawn")) {
            if (step.has(name)) {
                step.fault(name, "a step on all nodes is not claimed; see \"nodes\"");
            }
        }
        StepRunReader.checkTimesOfDay(step);
        SortedMap<String, StepRun> runs = new TreeMap<>();
        step.object("nodes").ifPresent(nodes -> {
            for (Map.Entry<String, Fields> node : nodes.objects().entrySet()) {
                node.getValue().only(FieldNames.NODE);
                Optional<StepRun> run = StepRunReader.read(node.getValue());
                run.ifPresent(value -> runs.put(node.getKey(), value));
                if (run.isEmpty() || run.get().isRunning()) {
                    known(nodes, node.getKey(), node.getKey());
                }
            }
        });
        StepProgress progress = new StepProgress(0, Optional.empty(), Optional.empty(), runs);
        if (step.has("step_status") && !StepRunReader.status(step).equals(progress.status(target))) {
            step.fault("step_status", "differs from \"nodes\"");
        }
        return progress;
    }

    private StepProgress onOne(Fields step, Target target) {
        if (step.has("nodes")) {
            step.fault("nodes", "is for a step whose target is \"all\"");
        }
        int withdrawn = step.integer("withdrawn", 0).orElse(0);
        Optional<String> winner = step.words("winner");
        Optional<String> claimedBy = step.words("claimed_by").or(() -> winner);
        if (winner.isPresent() && !winner.equals(claimedBy)) {
            step.fault("winner", "is " + ValidationErrors.quote(winner.get()) + ", which is not in claimed_by");
            return StepProgress.open();
        }
        Optional<StepRun> run = StepRunReader.read(step);
        if (run.isEmpty()) {
            claimedBy.ifPresent(node -> mayRun(step, winner.isPresent() ? "winner" : "claimed_by", node, target));
            return new StepProgress(withdrawn, claimedBy, winner, new TreeMap<>());
        }
        Optional<String> node = winner.or(() -> runner(step, target));
        if (node.isEmpty()) {
            step.fault("winner", "is missing, and executioner does not name the node on which the step has begun");
            return StepProgress.open();
        }
        if (run.get().isRunning() || target instanceof Target.OneNode) {
            mayRun(step, "winner", node.get(), target);
        }
        return new StepProgress(withdrawn, Optional.empty(), Optional.empty(), new TreeMap<>())
                .runBy(node.get(), run.get());
    }

    private static Optional<String> runner(Fields step, Target target) {
        if (target instanceof Target.OneNode only) {
            return Optional.of(only.node());
        }
        return step.text("executioner")
                .map(EXECUTIONER::matcher)
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1));
    }

    private void mayRun(Fields step, String field, String node, Target target) {
        if (isTrusting) {
            return;
        }
        boolean isOver = StepRunReader.isFinished(step);
        if ((isOver || known(step, field, node)) && !target.includes(node)) {
            step.fault(field, "is " + ValidationErrors.quote(node) + ", which is not among the step's targets");
        }
    }

    private boolean known(Fields fields, String field, String node) {
        boolean isKnown = isTrusting || cluster.nodes().contains(node);
        if (!isKnown) {
            fields.fault(
                    field,
                    "there is no node " + ValidationErrors.quote(node)
                            + fields.errors().hint(node, cluster.nodes()));
        }
        return isKnown;
    }
}
