package dev.couchjobs.bridge.internal.document;

import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Writes the progress of a step. */
final class StateWriter {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    /** As in the thesis's Figure 10, without padding. */
    private static final DateTimeFormatter TIME_OF_DAY = DateTimeFormatter.ofPattern("H:m:s", Locale.ROOT);

    private StateWriter() {}

    /** {@return the fields of a step by name, without those that have no value} */
    static Map<String, JsonNode> write(Step step) {
        Map<String, JsonNode> fields = new HashMap<>();
        StepProgress progress = step.progress();
        text(fields, "claimed_by", progress.claimedBy());
        text(fields, "winner", progress.winner());
        if (progress.withdrawn() > 0) {
            fields.put("withdrawn", JSON.numberNode(progress.withdrawn()));
        }
        if (!progress.hasBegun()) {
            FieldNames.THESIS_STATE.forEach(name -> fields.putIfAbsent(name, JSON.nullNode()));
        } else if (step.plan().target() instanceof Target.All all) {
            onAll(fields, step, all);
        } else {
            run(fields, progress.runs().values().iterator().next());
        }
        return fields;
    }

    /** The step's own fields summarize those of its nodes. */
    private static void onAll(Map<String, JsonNode> fields, Step step, Target.All target) {
        step.status().ifPresent(status -> fields.put("step_status", JSON.stringNode(Spelling.of(status))));
        fields.put("executioner", JSON.nullNode());
        Collection<StepRun> runs = step.progress().runs().values();
        Optional<ZonedDateTime> start =
                runs.stream().flatMap(run -> run.start().stream()).min(Comparator.naturalOrder());
        boolean isOver = runs.size() >= target.nodes().size() && runs.stream().noneMatch(StepRun::isRunning);
        Optional<ZonedDateTime> finish = isOver
                ? runs.stream().flatMap(run -> run.finish().stream()).max(Comparator.naturalOrder())
                : Optional.empty();
        times(fields, start, finish, isOver);
        ObjectNode nodes = JSON.objectNode();
        TreeSet<String> names = new TreeSet<>(target.nodes());
        names.addAll(step.progress().runs().keySet());
        for (String name : names) {
            nodes.set(name, node(step.progress().run(name)));
        }
        fields.put("nodes", nodes);
    }

    private static ObjectNode node(Optional<StepRun> run) {
        ObjectNode node = JSON.objectNode();
        if (run.isEmpty()) {
            node.putNull("step_status");
            return node;
        }
        Map<String, JsonNode> fields = new HashMap<>();
        run(fields, run.get());
        for (String name : FieldNames.NODE) {
            JsonNode value = fields.get(name);
            if (value != null && !value.isNull()) {
                node.set(name, value);
            }
        }
        return node;
    }

    private static void run(Map<String, JsonNode> fields, StepRun run) {
        fields.put("executioner", JSON.stringNode(run.executioner()));
        fields.put("step_status", JSON.stringNode(Spelling.of(run.status())));
        times(fields, run.start(), run.finish(), !run.isRunning());
        if (run.tries() > 0) {
            fields.put("tries", JSON.numberNode(run.tries()));
        }
        if (run.begun() > 1) {
            fields.put("begun", JSON.numberNode(run.begun()));
        }
        run.end().ifPresent(end -> end(fields, end));
    }

    private static void times(
            Map<String, JsonNode> fields,
            Optional<ZonedDateTime> start,
            Optional<ZonedDateTime> finish,
            boolean isOver) {
        time(fields, start, "start_time", "started_at");
        time(fields, finish, "finish_time", "finished_at");
        if (!isOver) {
            fields.put("finish_time", JSON.nullNode());
            fields.put("exec_time", JSON.nullNode());
        }
        if (start.isPresent() && finish.isPresent()) {
            // The clock of a node may have been set back.
            long micros = Math.max(0, ChronoUnit.MICROS.between(start.get(), finish.get()));
            fields.put("exec_time", JsonNumbers.number(micros / 1e6));
        }
    }

    private static void time(
            Map<String, JsonNode> fields, Optional<ZonedDateTime> time, String timeOfDay, String timeWithZone) {
        time.ifPresent(at -> {
            fields.put(timeOfDay, JSON.stringNode(at.format(TIME_OF_DAY)));
            fields.put(timeWithZone, JSON.stringNode(at.format(DateTimeFormatter.ISO_OFFSET_DATE_TIME)));
        });
    }

    private static void end(Map<String, JsonNode> fields, StepRunEnd end) {
        end.exitStatus().ifPresent(status -> fields.put("exit_status", JSON.numberNode(status)));
        end.alternativeExitStatus().ifPresent(status -> fields.put("alt_exit_status", JSON.numberNode(status)));
        end.output().ifPresent(output -> fields.put("output", JSON.stringNode(output)));
        if (end.isOutputCut()) {
            fields.put("output_cut", JSON.booleanNode(true));
        }
        end.reason().ifPresent(reason -> fields.put("reason", JSON.stringNode(reason)));
    }

    private static void text(Map<String, JsonNode> fields, String name, Optional<String> value) {
        fields.put(name, value.<JsonNode>map(JSON::stringNode).orElse(JSON.nullNode()));
    }
}
