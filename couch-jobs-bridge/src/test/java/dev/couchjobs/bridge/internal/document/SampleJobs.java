package dev.couchjobs.bridge.internal.document;

import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
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

    static Arbitrary<Target> targets() {
        return Arbitraries.of(
                new Target.OneNode("global_node"),
                new Target.OneNode("reg_a", new TreeSet<>(List.of("first"))),
                new Target.OneOf(new TreeSet<>(List.of("reg_a", "reg_b", "reg_c")), new TreeSet<>(List.of("regional"))),
                new Target.OneOf(new TreeSet<>(List.of("global_node", "reg_c"))),
                new Target.Any(),
                new Target.All(CLUSTER.nodes()));
    }

    static Arbitrary<JobPlan> plans() {
        Arbitrary<StepPlan> steps = Combinators.combine(
                        targets(),
                        actions(),
                        actions().optional(),
                        retries(),
                        durations().optional())
                .as(StepPlan::new);
        return Combinators.combine(
                        Arbitraries.of(NODES),
                        Arbitraries.integers(),
                        steps.list().ofMinSize(1).ofMaxSize(4))
                .as(JobPlan::new);
    }

    /** {@return versions of one job that may exist without any rule} */
    static Arbitrary<List<JobDocument>> versions(int count) {
        return plans().flatMap(plan -> progress(plan)
                .map(progress -> new JobDocument("job", plan, progress))
                .list()
                .ofSize(count));
    }

    /** {@return a possible state of a job} */
    static Arbitrary<JobDocument> histories() {
        return histories(1).map(histories -> histories.get(0));
    }

    /** {@return several possible states of one job} */
    static Arbitrary<List<JobDocument>> histories(int count) {
        Arbitrary<List<Integer>> moves =
                Arbitraries.integers().between(0, 1_000_000).list().ofMaxSize(25);
        return plans().flatMap(plan -> Combinators.combine(moves, ends().list().ofSize(4))
                .as((numbers, ends) -> {
                    JobDocument job = new JobDocument("job", plan, Progress.none(plan));
                    for (int number : numbers) {
                        job = moved(job, number, ends);
                    }
                    return job;
                })
                .list()
                .ofSize(count));
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

    private static Arbitrary<Progress> progress(JobPlan plan) {
        List<Arbitrary<StepProgress>> steps =
                plan.steps().stream().map(step -> progress(step.target())).toList();
        return Combinators.combine(
                        Combinators.combine(steps).as(list -> list), verdicts().optional(0.2))
                .as(Progress::new);
    }

    private static Arbitrary<StepProgress> progress(Target target) {
        if (target instanceof Target.All) {
            return Arbitraries.maps(Arbitraries.of(NODES), runs())
                    .ofMaxSize(3)
                    .map(runs -> new StepProgress(0, Optional.empty(), Optional.empty(), new TreeMap<>(runs)));
        }
        SortedMap<String, StepRun> none = Collections.emptySortedMap();
        return Combinators.combine(
                        Arbitraries.integers().between(0, 2),
                        Arbitraries.integers().between(0, 3),
                        Arbitraries.of(NODES),
                        runs())
                .as((round, how, node, run) -> {
                    StepProgress open = new StepProgress(round, Optional.empty(), Optional.empty(), none);
                    return switch (how) {
                        case 0 -> open;
                        case 1 -> open.claimedBy(node);
                        case 2 -> open.claimedBy(node).withWinner(node);
                        default -> open.runBy(node, run);
                    };
                });
    }

    private static Arbitrary<StepRun> runs() {
        Arbitrary<ZonedDateTime> times = Arbitraries.integers().between(0, 1).map(seconds -> NOON.plusSeconds(seconds));
        return Combinators.combine(
                        Arbitraries.integers().between(1, 2),
                        Arbitraries.of("Node: x, worker: 1", "Node: x, worker: 2"),
                        Arbitraries.of(StepRun.Status.class),
                        times,
                        Arbitraries.integers().between(0, 2),
                        similarEnds())
                .as((begun, who, status, time, tries, end) -> {
                    boolean isRunning = status == StepRun.Status.RUNNING;
                    return new StepRun(
                            begun,
                            who,
                            status,
                            Optional.of(time),
                            isRunning ? Optional.empty() : Optional.of(time.plusSeconds(1)),
                            tries,
                            isRunning ? Optional.empty() : Optional.of(end));
                });
    }

    private static Arbitrary<StepRunEnd> ends() {
        Arbitrary<OptionalInt> statuses = Arbitraries.integers()
                .optional()
                .map(status -> status.map(OptionalInt::of).orElse(OptionalInt.empty()));
        return Combinators.combine(
                        statuses, statuses, texts().optional(), Arbitraries.of(true, false), texts().optional())
                .as(StepRunEnd::new);
    }

    /** Ends that often are equal or differ in one field only. */
    private static Arbitrary<StepRunEnd> similarEnds() {
        Arbitrary<OptionalInt> statuses = Arbitraries.of(OptionalInt.empty(), OptionalInt.of(1));
        Arbitrary<Optional<String>> texts = Arbitraries.of(Optional.empty(), Optional.of("x"));
        return Combinators.combine(statuses, statuses, texts, Arbitraries.of(true, false), texts)
                .as(StepRunEnd::new);
    }

    private static Arbitrary<Verdict> verdicts() {
        return Combinators.combine(
                        Arbitraries.of(Verdict.Status.class),
                        Arbitraries.of("a", "b").optional())
                .as((status, reason) ->
                        status == Verdict.Status.SUCCESS ? Verdict.SUCCESS : new Verdict(status, reason));
    }

    private static Arbitrary<ActionPlan> actions() {
        Arbitrary<JsonNode> values = Arbitraries.of("null", "'x'", "3", "-1.5", "{'a':[1,2.5,true,null,{'b':''}]}")
                .map(text -> JSON.readTree(text.replace('\'', '"')))
                .map(JsonNumbers::canonical);
        Arbitrary<Map<String, String>> names =
                Arbitraries.maps(Arbitraries.of("A", "b", "X-Y"), texts()).ofMaxSize(2);
        Arbitrary<ActionPlan> shells =
                Combinators.combine(words(), words().optional(), names).as(ActionPlan.Shell::new);
        Arbitrary<ActionPlan> requests = Combinators.combine(
                        Arbitraries.of("GET", "POST"),
                        Arbitraries.of("http://localhost:5984/", "https://example.org/a?b=c"),
                        names,
                        values,
                        durations().optional())
                .as(ActionPlan.Http::new);
        Arbitrary<ActionPlan> handlers = Combinators.combine(words(), values).as(ActionPlan.Java::new);
        return Arbitraries.oneOf(shells, requests, handlers);
    }

    static Arbitrary<RetryStrategy> retries() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, 20),
                        durations(),
                        Arbitraries.of(1.0, 2.0, 1.5, 10.0),
                        durations().optional(),
                        durations().optional())
                .as(RetryStrategy::new);
    }

    private static Arbitrary<Duration> durations() {
        return Arbitraries.longs().between(1, RetryStrategy.LONGEST.toMillis()).map(Duration::ofMillis);
    }

    private static Arbitrary<String> texts() {
        return Arbitraries.strings().ofMaxLength(12).filter(SampleJobs::isText);
    }

    private static Arbitrary<String> words() {
        return texts().map(text -> "w" + text);
    }

    /** A half of a surrogate pair is no text. */
    private static boolean isText(String text) {
        return text.codePoints()
                .noneMatch(character -> character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE);
    }
}
