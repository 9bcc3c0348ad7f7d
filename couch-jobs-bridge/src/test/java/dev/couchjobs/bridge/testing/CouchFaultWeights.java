package dev.couchjobs.bridge.testing;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/** How often each fault strikes. */
public final class CouchFaultWeights {
    /** Of the usual weight: a run has much of some faults and little of others. */
    private static final double[] SHARES = {1, 0.3, 0.1};

    private final Map<CouchFault, Double> weights = new EnumMap<>(CouchFault.class);

    private final Set<CouchFault> struck = EnumSet.noneOf(CouchFault.class);

    private CouchFaultWeights() {}

    /** {@return weights by which nothing goes wrong} */
    public static CouchFaultWeights none() {
        return new CouchFaultWeights();
    }

    /** {@return weights by chance; one time in two there is none of a fault} */
    public static CouchFaultWeights draw(RandomGenerator random) {
        CouchFaultWeights drawn = new CouchFaultWeights();
        for (CouchFault fault : CouchFault.values()) {
            double share = random.nextBoolean() ? 0 : SHARES[random.nextInt(SHARES.length)];
            drawn.with(fault, share * fault.usual());
        }
        return drawn;
    }

    /** Has a fault strike with a probability between 0 and 1. */
    public CouchFaultWeights with(CouchFault fault, double weight) {
        weights.put(fault, weight);
        return this;
    }

    /** Has a fault never strike. */
    public CouchFaultWeights without(CouchFault fault) {
        return with(fault, 0);
    }

    /** {@return what has struck so far} */
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
