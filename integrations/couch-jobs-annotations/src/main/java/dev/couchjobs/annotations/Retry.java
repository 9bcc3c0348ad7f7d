package dev.couchjobs.annotations;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** How jobs of a type are tried again, as a {@link dev.couchjobs.RetryPolicy}. */
@Documented
@Target({})
@Retention(RetentionPolicy.CLASS)
public @interface Retry {
    /**
     * How often a job is tried in all.
     *
     * @return at least one
     */
    int attempts() default 10;

    /**
     * The pause after the first failure.
     *
     * @return an ISO-8601 duration from zero to 365 days, such as {@code PT1S}
     */
    String firstPause() default "PT1S";

    /**
     * By how much each pause is longer than the one before.
     *
     * @return at least 1
     */
    double factor() default 3;

    /**
     * The longest pause.
     *
     * @return an ISO-8601 duration from zero to 365 days, such as {@code PT1H}
     */
    String longestPause() default "PT1H";

    /**
     * The part of a pause that is left to chance.
     *
     * @return from 0 to 1
     */
    double jitter() default 0.2;

    /**
     * The errors after which a job has failed for good, see {@link dev.couchjobs.JobType#doNotRetryOn}.
     *
     * @return their classes
     */
    Class<? extends Throwable>[] doNotRetryOn() default {};
}
