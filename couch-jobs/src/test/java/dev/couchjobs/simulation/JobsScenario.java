package dev.couchjobs.simulation;

import dev.couchjobs.JobType;
import dev.couchjobs.Outcome;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.loop.WatchLooks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * What a seed decides beforehand.
 *
 * @param peaceful steps fail, but none takes long
 * @param pace how long the store takes to answer
 * @param longest the length of the longest data
 * @param patience how long transactions may take, for which time the change feed can be read
 * @param type the type of the jobs, with its retry policy and its retention
 * @param backlog the priorities of the jobs that wait when the first process comes
 * @param idleProcesses how many processes there are that have little to do
 * @param furtherTypes how many types there are beside the one that is looked at closely
 * @param damaged whether rows are damaged
 * @param orphansWatches whether some watches never fire, so that all that waits for one may wait for a look
 * @param reserve the part of their claims that workers keep for lower priorities
 */
record JobsScenario(
        boolean peaceful,
        Pace pace,
        int longest,
        Duration patience,
        JobType<String, String> type,
        List<Integer> backlog,
        int idleProcesses,
        int furtherTypes,
        boolean damaged,
        boolean orphansWatches,
        double reserve) {
    static final String TYPE_NAME = "simulated";

    private static final List<List<Integer>> BACKLOGS =
            List.of(List.of(), List.of(1, 0, 0, -1), List.of(1, 0, 0, -1), List.of(1, 1, 1, 0, 0, 0));
    /** Data of this length is beyond what a row holds, */
    private static final int LONG = 20_000;
    /** beyond what a value holds, */
    private static final int LONGER = 400_000;
    /** and as long as it may be, with the quotation marks around it. */
    private static final int LIMIT = 8_000_000 - 2;

    private static final int SOME_TYPES = 6;
    private static final int MANY_TYPES = 60;
    private static final int FLEET = 100;
    private static final int SMALL_FLEET = 20;

    /** Of the few jobs that a worker here claims at a time, this is never more than one. */
    private static final double RESERVE = 0.25;

    /** Shorter than the time after which a notifier looks at its jobs. */
    private static final Duration REPORTED_WITHIN = Duration.ofSeconds(15);

    private static final Duration SHORT_FEED = Duration.ofSeconds(6);
    private static final Duration LONG_FEED = Duration.ofHours(1);
    /** Longer than the simulation lasts: by a clock that is right no such job is ever removed. */
    private static final Duration HALF_A_DAY = Duration.ofHours(12);

    private static final List<Retention> RETENTIONS = List.of(
            Retention.forever(),
            Retention.of(Duration.ofSeconds(3)),
            Retention.of(Duration.ofSeconds(2)).archived(),
            Retention.of(Duration.ofSeconds(1)).failedForever(),
            Retention.of(Duration.ofSeconds(3)).failed(HALF_A_DAY),
            Retention.of(Duration.ofSeconds(2)).failed(HALF_A_DAY).archived());

    /**
     * How long the store takes to answer, without any fault.
     *
     * @param read how long a read takes
     * @param commit how long a commit takes
     * @param farthest how much longer either takes for the process that is farthest from the store
     */
    record Pace(Duration read, Duration commit, Duration farthest) {
        static final Pace AT_ONCE = ofMillis(0, 0, 0);
        private static final List<Pace> PACES = List.of(
                AT_ONCE, AT_ONCE, ofMillis(1, 5, 0), ofMillis(5, 20, 50), ofMillis(25, 60, 0), ofMillis(0, 0, 80));

        private static Pace ofMillis(long read, long commit, long farthest) {
            return new Pace(Duration.ofMillis(read), Duration.ofMillis(commit), Duration.ofMillis(farthest));
        }
    }

    static JobsScenario of(long seed) {
        SplittableRandom choice = new SplittableRandom(~seed);
        boolean peaceful = choice.nextInt(4) == 0;
        Duration patience = choice.nextInt(3) == 0 ? SHORT_FEED : LONG_FEED;
        JobType<String, String> type = JobType.of(TYPE_NAME, String.class, String.class)
                .retry(retries(1 + choice.nextInt(4)))
                .retention(RETENTIONS.get(choice.nextInt(RETENTIONS.size())));
        List<Integer> backlog = BACKLOGS.get(choice.nextInt(BACKLOGS.size()));
        double reserve = choice.nextBoolean() ? RESERVE : 0;
        Pace pace = peaceful ? Pace.AT_ONCE : Pace.PACES.get(choice.nextInt(Pace.PACES.size()));
        int longest = longest(choice.nextInt(40));
        int furtherTypes = furtherTypes(choice.nextInt(60));
        boolean damaged = choice.nextInt(6) == 0;
        int idle = idleProcesses(choice.nextInt(80));
        Retention retention = choice.nextInt(3) == 0 ? type.retention().byGraph() : type.retention();
        boolean orphansWatches = choice.nextInt(3) == 0;
        return new JobsScenario(
                peaceful,
                pace,
                longest,
                patience,
                type.retention(retention),
                backlog,
                idle,
                furtherTypes,
                damaged,
                orphansWatches,
                reserve);
    }

    private static int longest(int drawn) {
        if (drawn == 0) {
            return LIMIT;
        }
        return drawn < 6 ? LONGER : LONG;
    }

    private static int furtherTypes(int drawn) {
        if (drawn == 0) {
            return MANY_TYPES;
        }
        return drawn < 6 ? SOME_TYPES : 0;
    }

    /** A hundred processes take as long as twenty seeds. */
    private static int idleProcesses(int drawn) {
        if (drawn == 0) {
            return FLEET;
        }
        return drawn < 5 ? SMALL_FLEET : 0;
    }

    /** {@return a policy whose pauses fit into the time that a simulation takes} */
    static RetryPolicy retries(int attempts) {
        return RetryPolicy.standard()
                .attempts(attempts)
                .backoff(Duration.ofMillis(attempts % 2 == 0 ? 0 : 300), 2, Duration.ofSeconds(2));
    }

    /**
     * {@return how many of the jobs that are claimed by one commit may be claimed before others of a higher priority}
     */
    int outOfOrder() {
        return reserve == 0 ? 0 : 1;
    }

    /** {@return how long an end may go unreported: longer than the longest pause of a process} */
    Duration reportedWithin() {
        return orphansWatches ? REPORTED_WITHIN.plus(WatchLooks.BOUND) : REPORTED_WITHIN;
    }

    boolean keepsFailedJobsLong() {
        return type.retention().after(Outcome.FAILED).equals(Optional.of(HALF_A_DAY));
    }

    boolean feedIsComplete() {
        return patience.equals(LONG_FEED);
    }
}
