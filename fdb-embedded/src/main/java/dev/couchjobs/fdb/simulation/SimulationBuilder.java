package dev.couchjobs.fdb.simulation;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Chooses what goes wrong in a {@link Simulation}; whatever is not chosen, the seed decides. */
public final class SimulationBuilder {
    private final long seed;
    private final Map<Fault, Double> weights = new EnumMap<>(Fault.class);
    private Latency latency = Latency.NONE;
    private @Nullable Consumer<String> lines;

    SimulationBuilder(long seed) {
        this.seed = seed;
    }

    /**
     * Sets how often something goes wrong.
     *
     * @param fault what
     * @param weight the probability that it strikes, between 0 and 1; see {@link Fault} for what it refers to
     * @return this
     */
    public SimulationBuilder with(Fault fault, double weight) {
        if (!(weight >= 0 && weight <= 1)) {
            throw new IllegalArgumentException("A weight lies between 0 and 1, and not at " + weight);
        }
        weights.put(fault, weight);
        return this;
    }

    /**
     * Has something never go wrong.
     *
     * @param fault what
     * @return this
     */
    public SimulationBuilder without(Fault fault) {
        return with(fault, 0);
    }

    /**
     * Has nothing go wrong but what {@link #with} sets, before or after this call.
     *
     * @return this
     */
    public SimulationBuilder calm() {
        for (Fault fault : Fault.values()) {
            weights.putIfAbsent(fault, 0.0);
        }
        return this;
    }

    /**
     * Sets how long the store takes, without any fault. Without this call it answers at once.
     *
     * @param read until a read is answered
     * @param commit until a commit is answered; the store decides on it after half of that
     * @return this
     */
    public SimulationBuilder latency(Duration read, Duration commit) {
        latency = new Latency(read, commit);
        return this;
    }

    /**
     * Has the whole trace written down, which otherwise is not kept.
     *
     * @param reader is given one line after another
     * @return this
     */
    public SimulationBuilder traceTo(Consumer<String> reader) {
        lines = reader;
        return this;
    }

    /**
     * Begins the simulation.
     *
     * @return the simulation, to be closed by the caller
     */
    public Simulation build() {
        return new Simulation(this);
    }

    long seed() {
        return seed;
    }

    /** By name; the others are drawn. */
    Map<Fault, Double> weights() {
        return weights;
    }

    Latency latency() {
        return latency;
    }

    @Nullable Consumer<String> lines() {
        return lines;
    }
}
