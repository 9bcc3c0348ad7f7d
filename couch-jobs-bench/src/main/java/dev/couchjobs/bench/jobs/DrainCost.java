package dev.couchjobs.bench.jobs;

import java.util.ArrayList;
import java.util.List;

/**
 * What it costs to run a job whose handler does nothing, and how often workers disturb each other.
 *
 * @param workers how many instances work
 * @param jobs how many jobs there are
 */
record DrainCost(int workers, int jobs) implements Variant {
    @Override
    public List<Figure> measure(Subject subject) throws InterruptedException {
        int first = subject.load(jobs);
        Traffic before = subject.traffic();
        Drain.Round round = new Drain(workers).drain(subject, first, jobs);
        Traffic traffic = subject.traffic().since(before);
        String row = workers == 1 ? "running by 1 worker" : "running by " + workers + " workers";
        List<Figure> figures = new ArrayList<>(Cost.perJob(row, traffic, jobs, round.lost(), round.doubled()));
        figures.add(new Figure(
                row + ": conflicts",
                "per claim",
                Cost.per(traffic.claimRetries(), traffic.claims()),
                jobs,
                round.lost(),
                round.doubled()));
        figures.add(new Figure(
                row + ": jobs", "per claim", Cost.per(jobs, traffic.claims()), jobs, round.lost(), round.doubled()));
        return figures;
    }
}
