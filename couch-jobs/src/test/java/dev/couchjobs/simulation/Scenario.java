package dev.couchjobs.simulation;

import dev.couchjobs.JobType;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a seed decides beforehand.
 *
 * @param peaceful steps fail, but none takes long
 * @param patience how long transactions may take, for which time the change feed can be read
 * @param type the type of the jobs, with its retry policy and its retention
 */
record Scenario(boolean peaceful, Duration patience, JobType<String, String> type) {
    static final String TYPE_NAME = "simulated";

    private static final Duration SHORT_FEED = Duration.ofSeconds(6);
    private static final Duration LONG_FEED = Duration.ofHours(1);
    private static final List<Retention> RETENTIONS = List.of(
            Retention.forever(),
            Retention.of(Duration.ofSeconds(3)),
            Retention.of(Duration.ofSeconds(1)).failedForever());

    static Scenario of(long seed) {
        SplittableRandom choice = new SplittableRandom(~seed);
        boolean peaceful = choice.nextInt(4) == 0;
        Duration patience = choice.nextInt(3) == 0 ? SHORT_FEED : LONG_FEED;
        JobType<String, String> type = JobType.of(TYPE_NAME, String.class, String.class)
                .retry(retries(1 + choice.nextInt(4)))
                .retention(RETENTIONS.get(choice.nextInt(RETENTIONS.size())));
        return new Scenario(peaceful, patience, type);
    }

    /** {@return a policy whose pauses fit into the time that a simulation takes} */
    static RetryPolicy retries(int attempts) {
        return RetryPolicy.standard()
                .attempts(attempts)
                .pauses(Duration.ofMillis(attempts % 2 == 0 ? 0 : 300), 2, Duration.ofSeconds(2));
    }

    boolean feedIsComplete() {
        return patience.equals(LONG_FEED);
    }
}
