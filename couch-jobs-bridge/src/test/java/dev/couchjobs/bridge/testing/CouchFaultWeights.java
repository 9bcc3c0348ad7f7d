package dev.couchjobs.bridge.testing;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/** The probabilities of the faults. */
public final class CouchFaultWeights {
    /** Fractions of the usual weight, so that a run has many of some faults and few of others. */
    private static final double[] SHARES = {1, 0.3, 0.1};

    private final Map<CouchFault, Double> weights = new EnumMap<>(CouchFault.class);

    private final Set<CouchFault> struck = EnumSet.noneOf(CouchFault.class);

    private CouchFaultWeights() {}

    /** {@return weights without faults} */
    public static CouchFaultWeights none() {
        return new CouchFaultWeights();
    }

    /** {@return random weights; half of them are zero} */
    public static CouchFaultWeights draw(RandomGenerator random) {
        CouchFaultWeights drawn = new CouchFaultWeights();
        for (CouchFault fault : CouchFault.values()) {
            double share = random.nextBoolean() ? 0 : SHARES[random.nextInt(SHARES.length)];
            drawn.with(fault, share * fault.usual());
        }
        return drawn;
    }

    /** Sets the probability of a fault, between 0 and 1. */
    public CouchFaultWeights with(CouchFault fault, double weight) {
        weights.put(fault, weight);
        return this;
    }

    /** Disables a fault. */
    public CouchFaultWeights without(CouchFault fault) {
        return with(fault, 0);
    }

    /** {@return the faults that have occurred} */
    Set<CouchFault> struck() {
        return struck;
    }

    void calm() {
        weights.clear();
    }

    boolean isCalm() {
        return weights.values().stream().noneMatch(weight -> weight > 0);
    }

    boolean strikes(CouchFault fault, RandomGenerator random) {
        double weight = weights.getOrDefault(fault, 0.0);
        if (weight == 0 || random.nextDouble() >= weight) {
            return false;
        }
        struck.add(fault);
        return true;
    }

    @Override
    public String toString() {
        return weights.toString();
    }
}
