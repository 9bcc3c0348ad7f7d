package dev.couchjobs.bench.jobs;

/** Counts the database operations of couch-jobs, and prints them. */
public final class CostBenchmarks {
    private static final int JOBS = 20_000;

    private CostBenchmarks() {}

    /**
     * Counts and prints the operations.
     *
     * @param words none
     * @throws InterruptedException if its thread is interrupted
     */
    public static void main(String... words) throws InterruptedException {
        System.out.println(Costs.table(JOBS));
    }
}
