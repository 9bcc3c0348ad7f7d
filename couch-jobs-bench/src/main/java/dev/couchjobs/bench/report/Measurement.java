package dev.couchjobs.bench.report;

import java.util.List;

/**
 * What was measured of one system at one point of a curve.
 *
 * @param curve the curve's name
 * @param system the system's label
 * @param x the point
 * @param median the middle one of the rounds
 * @param rounds what each round gave, in their order
 * @param jobs how many jobs all rounds together got done
 * @param lost how many jobs of this system's were neither done nor still there at the end
 * @param doubled how many times a job was run that had been run before
 */
public record Measurement(
        String curve, String system, int x, double median, List<Double> rounds, long jobs, long lost, long doubled) {
    /**
     * {@return the same with the median of its rounds}
     *
     * @param curve see above
     * @param system see above
     * @param x see above
     * @param rounds see above, at least one
     * @param jobs see above
     * @param lost see above
     * @param doubled see above
     */
    public static Measurement of(
            String curve, String system, int x, List<Double> rounds, long jobs, long lost, long doubled) {
        List<Double> sorted = rounds.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double median = sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        return new Measurement(curve, system, x, median, List.copyOf(rounds), jobs, lost, doubled);
    }

    boolean isSound() {
        return lost == 0 && doubled == 0;
    }
}
