package dev.couchjobs.bench.soak;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** What goes wrong during a soak. */
enum Fault {
    /** A worker process is killed and started again. */
    WORKER("worker killed", 360, 10, 60),
    /** A server process likewise. */
    SERVER("server killed", 36, 120, 600),
    /** A process of the cluster likewise. */
    CLUSTER("cluster process killed", 72, 30, 300),
    /** The clock of a worker in a server process is moved, or set right again. */
    CLOCK("clock moved", 24, 30, 450),
    /** The disk of the database is full for a minute. */
    DISK("disk full", 8, 2_700, 2_700);

    private final String label;
    private final int parts;
    private final double shortest;
    private final double longest;

    Fault(String label, int parts, double shortestSeconds, double longestSeconds) {
        this.label = label;
        this.parts = parts;
        shortest = shortestSeconds;
        longest = longestSeconds;
    }

    /**
     * A fault at a time.
     *
     * @param fault what goes wrong
     * @param second when, in seconds from the beginning of the load
     */
    record Planned(Fault fault, double second) {}

    String label() {
        return label;
    }

    /**
     * {@return the faults of a soak in their order, each kind at least once}
     *
     * @param kinds the kinds that can be done here
     * @param servers how many servers there are; a single one is killed in the first third only, and then has the time
     *     to show what it leaks
     * @param seconds the length of the soak
     * @param random draws the times
     */
    static List<Planned> plan(Set<Fault> kinds, int servers, double seconds, Random random) {
        List<Planned> plan = new ArrayList<>();
        for (Fault fault : kinds) {
            double apart = Math.min(Math.max(seconds / fault.parts, fault.shortest), fault.longest);
            int count = (int) Math.max(1, seconds / apart);
            double length = fault == SERVER && servers == 1 ? seconds / 3 : seconds;
            for (int i = 0; i < count; i++) {
                plan.add(new Planned(fault, length * (i + place(fault, random)) / count));
            }
        }
        plan.sort(Comparator.comparingDouble(Planned::second));
        return List.copyOf(plan);
    }

    /** A full disk comes early in its part, so that the last part shows what it has left behind. */
    private static double place(Fault fault, Random random) {
        double drawn = random.nextDouble();
        return fault == DISK ? 0.1 + drawn / 10 : drawn;
    }
}
