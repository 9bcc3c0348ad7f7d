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
 * The choices that a seed determines in advance.
 *
 * @param isReplicated whether the nodes replicate, and do not share a database
 * @param claimTimeout the claim timeout; only for nodes that replicate
 * @param hasLongCuts whether nodes are cut off for longer than the claim timeout
 * @param hasRightClocks whether all clocks are right
 * @param hasPeople whether people change documents
 * @param losesDatabases whether nodes lose their stores; only for nodes that replicate
 * @param nodes the names of the nodes
 * @param workers how many steps a node runs at once
 * @param hasClosings whether bridges are closed and started again while steps take longer than the close permits
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

    /** How many faults there are. */
    enum Kind {
        /** None. */
        CALM,
        /** Transactions fail, but quickly, and no process dies or pauses. */
        PEACEFUL,
        /** All of them. */
        WILD
    }

    /** The replications between the databases. */
    enum Topology {
        /** Between each two. */
        MESH,
        /** Between the first and each other. */
        STAR,
        /** There is only one database. */
        ONE
    }

    private static final Duration LONG_STEP = Duration.ofSeconds(20);
    /** Longer than a bridge that closes permits. */
    private static final Duration LONGER_STEP = Duration.ofSeconds(60);

    private static final List<String> NAMES = List.of("a", "b", "c", "d");
    /** The faults end long before half of this time. */
    private static final Duration LONG = Duration.ofMinutes(4);

    private static final Duration SHORT = Duration.ofSeconds(80);
    /** So short that it passes many times. Processes do not pause then, because no claim could be used in time. */
    private static final Duration TIGHT = Duration.ofSeconds(24);

    /** Faults that let steps of a transaction fail without a long delay. */
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
        // The clocks of nodes agree roughly; the simulation of jobs covers those that are days apart.
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

    /** {@return whether claims expire often, and only replication is slow} */
    boolean isTight() {
        return claimTimeout.equals(TIGHT);
    }

    /** {@return the longest duration of a step} */
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
