package dev.couchjobs.bench.jobs;

import java.util.List;

/** What a number of jobs cost the database, for each of them. */
final class Cost {
    private Cost() {}

    static List<Figure> perJob(String row, Traffic traffic, long jobs, long lost, long doubled) {
        return List.of(
                new Figure(row + ": transactions", "per job", per(traffic.transactions(), jobs), jobs, lost, doubled),
                new Figure(row + ": keys written", "per job", per(traffic.keysWritten(), jobs), jobs, lost, doubled),
                new Figure(row + ": bytes written", "per job", per(traffic.bytesWritten(), jobs), jobs, lost, doubled),
                new Figure(row + ": keys read", "per job", per(traffic.keysRead(), jobs), jobs, lost, doubled),
                new Figure(row + ": ranges read", "per job", per(traffic.rangesRead(), jobs), jobs, lost, doubled));
    }

    static double per(long things, long each) {
        return each == 0 ? 0 : (double) things / each;
    }
}
