package dev.couchjobs.bench.jobs;

/** Counts what our own jobs ask of the database, and prints it. */
public final class CostBenchmarks {
    private static final int JOBS = 20_000;

    private CostBenchmarks() {}

    /**
     * Counts it.
     *
     * @param words none
     * @throws InterruptedException if its thread is interrupted
     */
    public static void main(String... words) throws InterruptedException {
        System.out.println(Costs.table(JOBS));
    }
}
