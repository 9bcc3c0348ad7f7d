package dev.couchjobs.server.internal.work;

import dev.couchjobs.JobAttempt;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.RawPayload;
import dev.couchjobs.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Whether an end of a claim says what is stored of the first one: then it is the first one again, whose caller has not
 * heard of its success. What is not stored is not compared.
 */
final class Repetitions {
    /** What follows the beginning of a text that was too long to be stored. */
    private static final String CUT = "...";

    private static final Duration PRECISION = Duration.ofSeconds(2);

    private Repetitions() {}

    /** {@return whether a job has this result} One that is pending again has none: the first was left out, too. */
    static boolean isOfResult(JobInfo<RawPayload, RawPayload> job, Optional<RawPayload> result) {
        return job.state() != JobState.FINISHED || job.result().equals(result);
    }

    /**
     * {@return whether a job has failed with this text, and had another attempt as this says}
     *
     * @param policy applies to a job that has none of its own
     */
    static boolean isOfFailure(
            JobInfo<RawPayload, RawPayload> job, String text, boolean isRetried, RetryPolicy policy) {
        return isOfText(job, text) && isRetriedAs(job, isRetried, policy);
    }

    /** A pending job without failures was added or retried since, and does not tell. */
    private static boolean isRetriedAs(JobInfo<RawPayload, RawPayload> job, boolean isRetried, RetryPolicy policy) {
        if (job.state() != JobState.FINISHED) {
            return isRetried || job.failures() == 0;
        }
        return !isRetried || job.failures() >= job.retry().orElse(policy).maxAttempts();
    }

    /** {@return whether the last attempt at a job ended with this text, or its beginning} */
    static boolean isOfText(JobInfo<RawPayload, RawPayload> job, String text) {
        String stored = job.lastAttempt().flatMap(JobAttempt::error).orElse("");
        String given = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        return stored.equals(given)
                || (stored.endsWith(CUT)
                        && given.length() > stored.length() - CUT.length()
                        && given.startsWith(stored.substring(0, stored.length() - CUT.length())));
    }

    /**
     * {@return whether a job is due so long after the end of its last attempt, to two seconds} A due time is a whole
     * second, and is computed a moment after the end.
     */
    static boolean isOfPause(JobInfo<RawPayload, RawPayload> job, Duration pause) {
        Optional<Instant> due = job.scheduledTime();
        Optional<Instant> end = job.lastAttempt().flatMap(JobAttempt::until);
        if (due.isEmpty() || end.isEmpty()) {
            return due.isEmpty() && pause.isZero();
        }
        Duration passed = Duration.between(end.get(), due.get());
        return passed.compareTo(pause) >= 0 && passed.minus(PRECISION).compareTo(pause) < 0;
    }
}
