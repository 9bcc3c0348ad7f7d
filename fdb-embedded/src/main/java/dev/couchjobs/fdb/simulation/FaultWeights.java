package dev.couchjobs.fdb.simulation;

import java.util.EnumMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/** How often each fault strikes; none of them once it is calm. */
final class FaultWeights {
    /** Of the usual weight: a run has much of some faults and little of others. */
    private static final double[] SHARES = {1, 0.3, 0.1};

    private final Map<Fault, Double> weights;
    private boolean calm;

    private FaultWeights(Map<Fault, Double> weights) {
        this.weights = weights;
    }

    /** Every fault that is not {@code given} has a weight by chance; one time in two there is none of it. */
    static FaultWeights draw(Map<Fault, Double> given, RandomGenerator random) {
        Map<Fault, Double> weights = new EnumMap<>(Fault.class);
        for (Fault fault : Fault.values()) {
            double share = random.nextBoolean() ? 0 : SHARES[random.nextInt(SHARES.length)];
            weights.put(fault, given.getOrDefault(fault, share * fault.usual()));
        }
        return new FaultWeights(weights);
    }

    void calm() {
        calm = true;
    }

    boolean isCalm() {
        return calm;
    }

    double of(Fault fault) {
        return weights.getOrDefault(fault, 0.0);
    }

    boolean occurs(Fault fault, RandomGenerator random) {
        double weight = calm ? 0 : of(fault);
        return weight > 0 && random.nextDouble() < weight;
    }

    @Override
    public String toString() {
        return weights.toString();
    }
}
