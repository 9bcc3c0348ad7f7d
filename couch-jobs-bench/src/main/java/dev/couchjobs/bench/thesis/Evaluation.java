package dev.couchjobs.bench.thesis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A test of the thesis (its section 6): jobs of three steps, each of which sleeps. The thesis's times are in seconds,
 * with steps of five. Of test 4 it gives two times in the order opposite to that of the others; the shorter can only be
 * the ideal.
 */
enum Evaluation {
    TEST_1("1: 3 nodes, 1 job", 3, 1, "any any any", 15, 15, "12-12"),
    TEST_2_ONE("2: 1 node, 6 jobs", 1, 6, "any any any", 51, 45, "12-20"),
    TEST_2_TWO("2: 2 nodes, 6 jobs", 2, 6, "any any any", 31, 22.5, "12-16"),
    TEST_2_THREE("2: 3 nodes, 6 jobs", 3, 6, "any any any", 17, 15, "12-13"),
    TEST_3("3: 2 nodes, 3 jobs A B A", 2, 3, "node0 node1 node0", 23, 20, "6-8"),
    TEST_4("4: 3 nodes, 90 jobs", 3, 90, "any any any", 270, 225, "-");

    static final int WORKERS = 2;
    /** Seconds that a step took in the thesis. */
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

    /** {@return where each step of each job is to run} */
    List<String> targets() {
        return List.of(targets.split(" ", -1));
    }

    /** How many times a step's time all takes if nothing but the steps takes any, and each begins as soon as it can. */
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

    /** Those that have most left come first, which is the best order. */
    private List<Integer> byProgress(int[] step) {
        List<Integer> left = new ArrayList<>();
        for (int job = 0; job < jobs; job++) {
            if (step[job] < targets().size()) {
                left.add(job);
            }
        }
        left.sort(Comparator.comparingInt(job -> step[job]));
        return left;
    }

    private static int node(String target, int[] free) {
        if (target.startsWith("node")) {
            return target.charAt(target.length() - 1) - '0';
        }
        int most = 0;
        for (int node = 1; node < free.length; node++) {
            most = free[node] > free[most] ? node : most;
        }
        return most;
    }
}
