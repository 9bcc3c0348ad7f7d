package dev.couchjobs.bench.jobs;

/** What is done to the jobs whose costs are measured. */
enum CostStep {
    /** One job in each transaction. */
    ADDING_ONE_BY_ONE("adding one by one"),
    /** A hundred jobs in each transaction. */
    ADDING_IN_HUNDREDS("adding in hundreds"),
    /** One worker claims, runs and ends all jobs. */
    RUNNING("running by one worker");

    private final String label;

    CostStep(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
