package dev.couchjobs.bench.jobs;

import java.util.List;

/**
 * What it costs to add a job.
 *
 * @param perTransaction how many jobs each transaction adds
 */
record EnqueueCost(int perTransaction) implements Variant {
    private static final int TRANSACTIONS = 100;

    @Override
    public List<Figure> measure(Subject subject) {
        int jobs = TRANSACTIONS * perTransaction;
        Traffic before = subject.traffic();
        try (JobSystem.Instance instance = subject.system().join()) {
            for (int transaction = 0; transaction < TRANSACTIONS; transaction++) {
                instance.addAll(subject.next(perTransaction), perTransaction);
            }
        }
        Traffic traffic = subject.traffic().since(before);
        long lost = Math.abs(jobs - subject.system().unfinished());
        return Cost.perJob("adding " + perTransaction + " per transaction", traffic, jobs, lost, 0);
    }
}
