package dev.couchjobs.bridge.internal.document;

import dev.couchjobs.fdb.testing.Samples;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Jobs for tests: a cluster, and the possible states of a job in it. */
final class SampleJobs {
    static final NodeDirectory CLUSTER = NodeDirectory.of(
            List.of("global_node", "reg_a", "reg_b", "reg_c"),
            Map.of("regional", List.of("reg_a", "reg_b", "reg_c"), "first", List.of("reg_a")));
    static final List<String> NODES = List.copyOf(CLUSTER.nodes());
    static final ZonedDateTime NOON = ZonedDateTime.of(2011, 6, 15, 14, 45, 4, 0, ZoneOffset.ofHours(2));
    static final JsonMapper JSON = new JsonMapper();

    private SampleJobs() {}

    static ObjectNode json(String text) {
        return (ObjectNode) JSON.readTree(text.replace('\'', '"'));
    }

    static StepPlan step(Target target) {
        return new StepPlan(
                target,
                new ActionPlan.Shell("sleep 5", Optional.empty(), Map.of()),
                Optional.empty(),
                RetryStrategy.none(),
                Optional.empty());
    }

    /** {@return a job that has not begun, with a step for each target} */
    static JobDocument job(Target... targets) {
        JobPlan plan = new JobPlan(
                "global_node",
                0,
                List.of(targets).stream().map(SampleJobs::step).toList());
        return new JobDocument("create-user", plan, Progress.none(plan));
    }

    static Target any() {
        return new Target.Any();
    }

    static Target all(String... nodes) {
        return new Target.All(new TreeSet<>(List.of(nodes)));
    }

    static JobDocument after(Transition transition) {
        if (transition instanceof Transition.To to) {
            return to.document();
        }
        throw new AssertionError(transition);
    }

    /** {@return the job with the step claimed, won and begun} */
    static JobDocument begun(JobDocument job, int step, String node) {
        return after(job.step(step).take(node, Step.executioner(node, "1"), NOON));
    }

    static JobDocument ended(JobDocument job, int step, String node, boolean hasSucceeded) {
        return after(job.step(step).end(node, NOON.plusSeconds(5), hasSucceeded, StepRunEnd.silent()));
    }

    static JobDocument joined(JobDocument one, JobDocument other) {
        return ((Merged.Joined) Merge.join(one, other)).document();
    }

    static Target target(Samples samples) {
        return samples.of(
                new Target.OneNode("global_node"),
                new Target.OneNode("reg_a", new TreeSet<>(List.of("first"))),
                new Target.OneOf(new TreeSet<>(List.of("reg_a", "reg_b", "reg_c")), new TreeSet<>(List.of("regional"))),
                new Target.OneOf(new TreeSet<>(List.of("global_node", "reg_c"))),
                new Target.Any(),
                new Target.All(CLUSTER.nodes()));
    }

    static JobPlan plan(Samples samples) {
        return new JobPlan(samples.of(NODES), number(samples), samples.list(1, 4, SampleJobs::step));
    }

    private static StepPlan step(Samples samples) {
        return new StepPlan(
                target(samples),
                action(samples),
                optional(samples, SampleJobs::action),
                retry(samples),
                optional(samples, SampleJobs::duration));
    }

    /** {@return versions of one job that may exist without any rule} */
    static List<JobDocument> versions(Samples samples, int count) {
        JobPlan plan = plan(samples);
        return samples.list(count, count, version -> new JobDocument("job", plan, progress(version, plan)));
    }

    /** {@return a possible state of a job} */
    static JobDocument history(Samples samples) {
        return histories(samples, 1).get(0);
    }

    /** {@return several possible states of one job} */
    static List<JobDocument> histories(Samples samples, int count) {
        JobPlan plan = plan(samples);
        return samples.list(count, count, history -> {
            List<StepRunEnd> ends = history.list(4, 4, SampleJobs::end);
            JobDocument job = new JobDocument("job", plan, Progress.none(plan));
            for (int number : history.list(0, 40, move -> move.between(0, 1_000_000))) {
                job = moved(job, number, ends);
            }
            return job;
        });
    }

    private static JobDocument moved(JobDocument job, int number, List<StepRunEnd> ends) {
        int current =
                job.currentStep() + (number % 10 < 2 && number / 10 % 3 == 0 ? 1 : 0); // or the next step is claimed
        int index = Math.min(current, job.plan().steps().size() - 1);
        Step step = job.step(index);
        String node = number % 3 == 0 ? NODES.get(number / 100 % NODES.size()) : likely(step, number);
        ZonedDateTime now =
                NOON.plusNanos(number * 1_234_567_891L).withZoneSameInstant(ZoneOffset.ofHours(number % 12));
        Transition transition = switch (number % 10) {
            case 0 -> step.claim(node);
            case 1 -> step.assignWinner(step.progress().claimedBy().orElse(node));
            case 2 -> step.withdraw();
            case 3 -> step.begin(node, Step.executioner(node, "w" + number), now, step.round());
            case 4, 5 -> step.take(node, Step.executioner(node, "w" + number), now);
            case 6 -> step.tried(node);
            case 7, 8 -> step.end(node, now.plusSeconds(3), number % 7 != 0, ends.get(number % ends.size()));
            default -> number % 29 == 0 ? new Transition.To(job.cancel("by hand")) : new Transition.Refused("nothing");
        };
        return transition instanceof Transition.To to ? to.document() : job;
    }

    /** The node that can make the next transition of the step, if there is one. */
    private static String likely(Step step, int number) {
        String any = NODES.get(number / 100 % NODES.size());
        return step.progress().runs().entrySet().stream()
                .filter(run -> run.getValue().isRunning())
                .map(run -> run.getKey())
                .findFirst()
                .or(() -> step.progress().winner())
                .orElseGet(() -> step.plan().target() instanceof Target.OneNode only ? only.node() : any);
    }

    private static Progress progress(Samples samples, JobPlan plan) {
        List<StepProgress> steps = new ArrayList<>();
        for (StepPlan step : plan.steps()) {
            steps.add(progress(samples, step.target()));
        }
        return new Progress(steps, samples.isOneOf(5) ? Optional.of(verdict(samples)) : Optional.empty());
    }

    private static StepProgress progress(Samples samples, Target target) {
        if (target instanceof Target.All) {
            return new StepProgress(0, Optional.empty(), Optional.empty(), map(samples, NODES, SampleJobs::run));
        }
        int round = samples.between(0, 2);
        String node = samples.of(NODES);
        StepProgress open = new StepProgress(round, Optional.empty(), Optional.empty(), Collections.emptySortedMap());
        return switch (samples.between(0, 3)) {
            case 0 -> open;
            case 1 -> open.claimedBy(node);
            case 2 -> open.claimedBy(node).withWinner(node);
            default -> open.runBy(node, run(samples));
        };
    }

    private static StepRun run(Samples samples) {
        StepRun.Status status = samples.of(StepRun.Status.values());
        ZonedDateTime start = NOON.plusSeconds(samples.between(0, 1));
        boolean isRunning = status == StepRun.Status.RUNNING;
        return new StepRun(
                samples.between(1, 2),
                samples.of("Node: x, worker: 1", "Node: x, worker: 2"),
                status,
                Optional.of(start),
                isRunning ? Optional.empty() : Optional.of(start.plusSeconds(1)),
                samples.between(0, 2),
                isRunning ? Optional.empty() : Optional.of(similarEnd(samples)));
    }

    private static StepRunEnd end(Samples samples) {
        return new StepRunEnd(
                exitStatus(samples),
                exitStatus(samples),
                optional(samples, SampleJobs::text),
                samples.anyBoolean(),
                optional(samples, SampleJobs::text));
    }

    private static OptionalInt exitStatus(Samples samples) {
        return optional(samples, SampleJobs::number).map(OptionalInt::of).orElseGet(OptionalInt::empty);
    }

    /** {@return an end that often equals another one or differs from it in one field only} */
    private static StepRunEnd similarEnd(Samples samples) {
        return new StepRunEnd(
                samples.of(OptionalInt.empty(), OptionalInt.of(1)),
                samples.of(OptionalInt.empty(), OptionalInt.of(1)),
                samples.of(Optional.empty(), Optional.of("x")),
                samples.anyBoolean(),
                samples.of(Optional.empty(), Optional.of("x")));
    }

    private static Verdict verdict(Samples samples) {
        Verdict.Status status = samples.of(Verdict.Status.values());
        return status == Verdict.Status.SUCCESS
                ? Verdict.SUCCESS
                : new Verdict(status, optional(samples, reason -> reason.of("a", "b")));
    }

    private static ActionPlan action(Samples samples) {
        return samples.oneOf(SampleJobs::shell, SampleJobs::http, SampleJobs::java);
    }

    private static ActionPlan shell(Samples samples) {
        return new ActionPlan.Shell(word(samples), optional(samples, SampleJobs::word), names(samples));
    }

    private static ActionPlan http(Samples samples) {
        return new ActionPlan.Http(
                samples.of("GET", "POST"),
                samples.of("http://localhost:5984/", "https://example.org/a?b=c"),
                names(samples),
                value(samples),
                optional(samples, SampleJobs::duration));
    }

    private static ActionPlan java(Samples samples) {
        return new ActionPlan.Java(word(samples), value(samples));
    }

    private static JsonNode value(Samples samples) {
        String text = samples.of("null", "'x'", "3", "-1.5", "{'a':[1,2.5,true,null,{'b':''}]}");
        return JsonNumbers.canonical(JSON.readTree(text.replace('\'', '"')));
    }

    private static Map<String, String> names(Samples samples) {
        return map(samples, List.of("A", "b", "X-Y"), SampleJobs::text);
    }

    static RetryStrategy retry(Samples samples) {
        return new RetryStrategy(
                samples.between(0, 20),
                duration(samples),
                samples.of(1.0, 2.0, 1.5, 10.0),
                optional(samples, SampleJobs::duration),
                optional(samples, SampleJobs::duration));
    }

    private static Duration duration(Samples samples) {
        return Duration.ofMillis(samples.between(1, RetryStrategy.LONGEST.toMillis()));
    }

    /** {@return any number; half of them are small} */
    private static int number(Samples samples) {
        return samples.anyBoolean() ? samples.between(-300, 300) : samples.anyInt();
    }

    private static String word(Samples samples) {
        return "w" + text(samples);
    }

    /** {@return a text without halves of surrogate pairs, which are no text: ASCII, or any characters} */
    private static String text(Samples samples) {
        int last = samples.isOneOf(8) ? 0x7f : samples.of(0x7ff, 0xffff, Character.MAX_CODE_POINT);
        StringBuilder text = new StringBuilder();
        for (int character : samples.list(0, 12, any -> any.between(0, last))) {
            if (character < Character.MIN_SURROGATE || character > Character.MAX_SURROGATE) {
                text.appendCodePoint(character);
            }
        }
        return text.toString();
    }

    /** {@return the value; in one case of eight none} */
    static <T> Optional<T> optional(Samples samples, Function<Samples, ? extends T> value) {
        return samples.isOneOf(8) ? Optional.empty() : Optional.of(value.apply(samples));
    }

    /** {@return a map of none, some or all of the keys} */
    private static <T> SortedMap<String, T> map(
            Samples samples, List<String> keys, Function<Samples, ? extends T> value) {
        List<String> left = new ArrayList<>(keys);
        SortedMap<String, T> map = new TreeMap<>();
        for (int size = samples.between(0, keys.size()); map.size() < size; ) {
            map.put(left.remove(samples.between(0, left.size() - 1)), value.apply(samples));
        }
        return map;
    }
}
