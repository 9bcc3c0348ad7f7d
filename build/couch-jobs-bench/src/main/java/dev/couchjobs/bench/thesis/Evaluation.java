package dev.couchjobs.bench.thesis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A test of the thesis (its section 6): jobs of three steps that sleep. The thesis's times are in seconds, with steps
 * of five seconds. For test 4 the thesis gives its two times in the opposite order; the shorter one must be the ideal.
 */
enum Evaluation {
    TEST_1("1: 3 nodes, 1 job", 3, 1, "any any any", 15, 15, "12-12"),
    TEST_2_ONE("2: 1 node, 6 jobs", 1, 6, "any any any", 51, 45, "12-20"),
    TEST_2_TWO("2: 2 nodes, 6 jobs", 2, 6, "any any any", 31, 22.5, "12-16"),
    TEST_2_THREE("2: 3 nodes, 6 jobs", 3, 6, "any any any", 17, 15, "12-13"),
    TEST_3("3: 2 nodes, 3 jobs A B A", 2, 3, "node0 node1 node0", 23, 20, "6-8"),
    TEST_4("4: 3 nodes, 90 jobs", 3, 90, "any any any", 270, 225, "-");

    static final int WORKERS = 2;
    /** The duration of a step in the thesis, in seconds. */
    static final int THESIS_STEP = 5;

    final String title;
    final int nodes;
    final int jobs;
    private final String targets;
    final double thesisSeconds;
    final double thesisIdeal;
    final String thesisRevisions;

    Evaluation(
            String title,
            int nodes,
            int jobs,
            String targets,
            double thesisSeconds,
            double thesisIdeal,
            String thesisRevisions) {
        this.title = title;
        this.nodes = nodes;
        this.jobs = jobs;
        this.targets = targets;
        this.thesisSeconds = thesisSeconds;
        this.thesisIdeal = thesisIdeal;
        this.thesisRevisions = thesisRevisions;
    }

    /** {@return the target of each step of a job} */
    List<String> targets() {
        return List.of(targets.split(" ", -1));
    }

    /** The duration of the test in steps, if only the steps take time and each begins as soon as possible. */
    int idealRounds() {
        int[] step = new int[jobs];
        int rounds = 0;
        for (int done = 0; done < jobs; rounds++) {
            int[] free = new int[nodes];
            Arrays.fill(free, WORKERS);
            for (int job : byProgress(step)) {
                int node = node(targets().get(step[job]), free);
                if (free[node] > 0) {
                    free[node]--;
                    step[job]++;
                    done += step[job] == targets().size() ? 1 : 0;
                }
            }
        }
        return rounds;
    }

    /** The jobs that have not ended, the one with the most remaining steps first: the optimal order. */
    private List<Integer> byProgress(int[] step) {
        List<Integer> remaining = new ArrayList<>();
        for (int job = 0; job < jobs; job++) {
            if (step[job] < targets().size()) {
                remaining.add(job);
            }
        }
        remaining.sort(Comparator.comparingInt(job -> step[job]));
        return remaining;
    }

    private static int node(String target, int[] free) {
        if (target.startsWith("node")) {
            return target.charAt(target.length() - 1) - '0';
        }
        int mostFree = 0;
        for (int node = 1; node < free.length; node++) {
            mostFree = free[node] > free[mostFree] ? node : mostFree;
        }
        return mostFree;
    }
}
