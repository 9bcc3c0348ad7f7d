package dev.couchjobs.bridge.simulation;

import dev.couchjobs.bridge.internal.document.NodeDirectory;
import dev.couchjobs.bridge.testing.CouchFault;
import dev.couchjobs.bridge.testing.CouchFaultWeights;
import dev.couchjobs.fdb.simulation.Fault;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.simulation.SimulationBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a seed decides beforehand.
 *
 * @param isReplicated whether the nodes have nothing in common but replication, and do not share one database
 * @param claimTimeout how long a claim may be silent; only if they have nothing in common
 * @param hasLongCuts whether some nodes are out of reach for longer than a claim may be silent
 * @param hasRightClocks whether all clocks go right
 * @param hasPeople whether people change documents
 * @param losesDatabases whether nodes lose what they keep; only if each keeps its own
 * @param nodes their names
 * @param workers how many steps a node runs at a time
 * @param hasClosings whether bridges are closed and started again, while steps may take longer than they are given then
 */
record BridgeScenario(
        Kind kind,
        boolean isReplicated,
        Topology topology,
        Duration claimTimeout,
        boolean hasLongCuts,
        boolean hasRightClocks,
        boolean hasPeople,
        boolean losesDatabases,
        List<String> nodes,
        int workers,
        int tasks,
        boolean hasClosings) {

    /** How much goes wrong. */
    enum Kind {
        /** Nothing. */
        CALM,
        /** What is asked of a database fails, but nothing there takes long, and no process dies or pauses. */
        PEACEFUL,
        /** Everything. */
        WILD
    }

    /** Which CouchDB is replicated to which. */
    enum Topology {
        /** Each to each. */
        MESH,
        /** The first to each, and each to the first. */
        STAR,
        /** There is only one. */
        ONE
    }

    private static final Duration LONG_STEP = Duration.ofSeconds(20);
    /** Longer than a bridge that ends lets it run. */
    private static final Duration LONGER_STEP = Duration.ofSeconds(60);

    private static final List<String> NAMES = List.of("a", "b", "c", "d");
    /** Chaos is over long before half of it is. */
    private static final Duration LONG = Duration.ofMinutes(4);

    private static final Duration SHORT = Duration.ofSeconds(80);
    /**
     * So short that it is over again and again. No process is slow then, or it would be over before anybody could act.
     */
    private static final Duration TIGHT = Duration.ofSeconds(24);

    /** Steps fail, but none takes long. */
    private static final List<Fault> NOT_IN_PEACE = List.of(
            Fault.SLOW_REPLY,
            Fault.REORDERED_REPLY,
            Fault.COMMIT_DELAY,
            Fault.SLOW_DISK,
            Fault.LATE_WATCH,
            Fault.STORE_LOSS,
            Fault.PAUSE,
            Fault.DEATH);

    static BridgeScenario of(long seed) {
        SplittableRandom choice = new SplittableRandom(~seed);
        Kind kind = List.of(Kind.CALM, Kind.PEACEFUL, Kind.WILD, Kind.WILD, Kind.WILD)
                .get(choice.nextInt(5));
        boolean isReplicated = choice.nextInt(5) < 3;
        boolean hasLongCuts = isReplicated && kind == Kind.WILD && choice.nextInt(2) == 0;
        Duration claimTimeout = !hasLongCuts ? LONG : choice.nextInt(3) == 0 ? SHORT : TIGHT;
        List<Topology> topologies = isReplicated ? List.of(Topology.MESH, Topology.STAR) : List.of(Topology.values());
        return new BridgeScenario(
                kind,
                isReplicated,
                topologies.get(choice.nextInt(topologies.size())),
                claimTimeout,
                hasLongCuts,
                kind == Kind.CALM || choice.nextBoolean(),
                kind != Kind.CALM && choice.nextInt(2) == 0,
                isReplicated && kind == Kind.WILD && choice.nextInt(5) == 0,
                NAMES.subList(0, choice.nextInt(6) == 0 ? 1 : 2 + choice.nextInt(3)),
                1 + choice.nextInt(3),
                (hasLongCuts ? 4 : 1) + choice.nextInt(7),
                choice.nextInt(3) == 0);
    }

    Simulation simulation(long seed, @Nullable Consumer<String> trace) {
        // No step comes before it is due by the clock of its node; what clocks days apart do is for the simulation of
        // jobs.
        SimulationBuilder builder =
                Simulation.builder(seed).without(Fault.WRONG_DATE).without(Fault.DATE_JUMP);
        if (kind == Kind.CALM) {
            builder.calm();
        } else if (kind == Kind.PEACEFUL) {
            NOT_IN_PEACE.forEach(builder::without);
        }
        if (isTight()) {
            NOT_IN_PEACE.stream().filter(fault -> fault != Fault.DEATH).forEach(builder::without);
        }
        if (hasRightClocks) {
            builder.without(Fault.CLOCK_SKEW).without(Fault.CLOCK_JUMP);
        }
        return (trace == null ? builder : builder.traceTo(trace)).build();
    }

    CouchFaultWeights couchWeights(RandomGenerator random) {
        CouchFaultWeights weights = kind == Kind.CALM ? CouchFaultWeights.none() : CouchFaultWeights.draw(random);
        return hasLongCuts ? weights.without(CouchFault.CUT).with(CouchFault.SLOW_REPLICATION, 0.4) : weights;
    }

    NodeDirectory cluster() {
        return NodeDirectory.of(nodes, Map.of());
    }

    /** {@return whether claims lapse often, and nothing takes long but replication} */
    boolean isTight() {
        return claimTimeout.equals(TIGHT);
    }

    /** {@return how long a step may take} */
    Duration longStep() {
        if (hasLongCuts) {
            return claimTimeout.multipliedBy(5).dividedBy(4);
        }
        return hasClosings ? LONGER_STEP : LONG_STEP;
    }

    boolean isCalm() {
        return kind == Kind.CALM;
    }

    Duration chaos() {
        return Duration.ofSeconds(hasLongCuts ? 160 : 40);
    }
}
