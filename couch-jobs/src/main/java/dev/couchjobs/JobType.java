package dev.couchjobs;

import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.types.TypeTimeouts;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.core.type.TypeReference;

/**
 * A kind of job: a stable name, shared by all who add and process such jobs, and the Java type of their data.
 *
 * <p>The name is what is stored, so renaming or moving the Java class loses no job. Two job types with one name are one
 * queue. Immutable; usually a constant.
 *
 * <p>A job type also says how its jobs are treated: how often they are tried ({@link #retry}), after which errors not
 * again ({@link #doNotRetryOn}), and how long they are kept when they are done ({@link #retention}). That is code and
 * not stored: each process goes by its own job type. Only the {@link #activityTimeout} is stored, with the first job.
 *
 * @param <D> the type of the job's data: anything that Jackson can write and read, such as a record
 * @param <R> the type of its result, {@link Void} if it has none
 */
@SuppressWarnings("UnusedTypeParameter") // they tie what add and finish take to what accept and result give
public final class JobType<D, R> {
    private static final Duration ACTIVITY_TIMEOUT_DEFAULT = Duration.ofSeconds(30);

    private final String name;
    private final Type dataType;
    private final Type resultType;
    private final Duration activityTimeout;
    private final RetryPolicy retry;
    private final Retention retention;
    private final List<Class<? extends Throwable>> doNotRetryOn;
    private final Map<ReleaseReason, Integer> maxReleases;
    private final int maxDescent;

    private JobType(
            String name,
            Type dataType,
            Type resultType,
            Duration activityTimeout,
            RetryPolicy retry,
            Retention retention,
            List<Class<? extends Throwable>> doNotRetryOn,
            Map<ReleaseReason, Integer> maxReleases,
            int maxDescent) {
        this.name = Name.TYPE.checked(name);
        this.dataType = Objects.requireNonNull(dataType, "dataType");
        this.resultType = Objects.requireNonNull(resultType, "resultType");
        TypeTimeouts.check(activityTimeout);
        this.activityTimeout = activityTimeout;
        this.retry = Objects.requireNonNull(retry, "retry");
        this.retention = Objects.requireNonNull(retention, "retention");
        this.doNotRetryOn = doNotRetryOn;
        this.maxReleases = maxReleases;
        this.maxDescent = maxDescent;
    }

    private static <D, R> JobType<D, R> of(String name, Type dataType, Type resultType) {
        return new JobType<>(
                name,
                dataType,
                resultType,
                ACTIVITY_TIMEOUT_DEFAULT,
                RetryPolicy.standard(),
                Retention.standard(),
                List.of(),
                Map.of(),
                Integer.MAX_VALUE);
    }

    /**
     * A job type whose data is of a plain class.
     *
     * @param name the stable name, 1 to 500 bytes in UTF-8
     * @param dataType the class of the job's data
     * @param <D> the type of the job's data
     * @return the job type
     * @throws IllegalArgumentException if the name is empty, too long, or no well-formed text
     */
    public static <D> JobType<D, Void> of(String name, Class<D> dataType) {
        return of(name, dataType, (Type) Void.class);
    }

    /**
     * A job type whose data and result are of plain classes.
     *
     * @param name the stable name, 1 to 500 bytes in UTF-8
     * @param dataType the class of the job's data
     * @param resultType the class of the job's result
     * @param <D> the type of the job's data
     * @param <R> the type of the job's result
     * @return the job type
     * @throws IllegalArgumentException if the name is empty, too long, or no well-formed text
     */
    public static <D, R> JobType<D, R> of(String name, Class<D> dataType, Class<R> resultType) {
        return of(name, (Type) dataType, resultType);
    }

    /**
     * A job type whose data is of a generic type, such as {@code new TypeReference<List<Page>>() {}}.
     *
     * @param name the stable name, 1 to 500 bytes in UTF-8
     * @param dataType the type of the job's data
     * @param <D> the type of the job's data
     * @return the job type
     * @throws IllegalArgumentException if the name is empty, too long, or no well-formed text
     */
    public static <D> JobType<D, Void> of(String name, TypeReference<D> dataType) {
        return of(name, dataType.getType(), Void.class);
    }

    /**
     * A job type whose data or result is of a generic type.
     *
     * @param name the stable name, 1 to 500 bytes in UTF-8
     * @param dataType the type of the job's data
     * @param resultType the type of the job's result
     * @param <D> the type of the job's data
     * @param <R> the type of the job's result
     * @return the job type
     * @throws IllegalArgumentException if the name is empty, too long, or no well-formed text
     */
    public static <D, R> JobType<D, R> of(String name, TypeReference<D> dataType, TypeReference<R> resultType) {
        return of(name, dataType.getType(), resultType.getType());
    }

    /**
     * This job type with another activity timeout: how long a processor may be silent before its job is given to
     * another (RFC 007). The first job that is added stores it, for all processes. To change the stored timeout, call
     * {@link JobTypes#setTypeTimeout}. The default is 30 seconds.
     *
     * @param timeout a whole number of seconds, from one second to 3,650 days
     * @return the job type
     * @throws IllegalArgumentException if the timeout is anything else
     */
    public JobType<D, R> activityTimeout(Duration timeout) {
        return new JobType<>(
                name, dataType, resultType, timeout, retry, retention, doNotRetryOn, maxReleases, maxDescent);
    }

    /**
     * This job type with another retry policy.
     *
     * @param retry how often, and after which pauses, a job that fails is tried again
     * @return the job type
     */
    public JobType<D, R> retry(RetryPolicy retry) {
        return new JobType<>(
                name, dataType, resultType, activityTimeout, retry, retention, doNotRetryOn, maxReleases, maxDescent);
    }

    /**
     * This job type with another retention.
     *
     * @param retention how long jobs are kept after they have ended, unless the type has a {@linkplain
     *     JobTypes#setTypeRetention stored retention}
     * @return the job type
     */
    public JobType<D, R> retention(Retention retention) {
        return new JobType<>(
                name, dataType, resultType, activityTimeout, retry, retention, doNotRetryOn, maxReleases, maxDescent);
    }

    /**
     * This job type with errors that no further attempt would mend: a job whose handler throws one of them, or of their
     * subclasses, has failed for good at once. Those given before are replaced. A handler can also say so itself, by
     * throwing a {@link PermanentFailureException}.
     *
     * @param errors the classes of the errors
     * @return the job type
     */
    @SafeVarargs
    public final JobType<D, R> doNotRetryOn(Class<? extends Throwable>... errors) {
        List<Class<? extends Throwable>> all = new ArrayList<>();
        for (Class<? extends Throwable> each : errors) {
            all.add(each);
        }
        return new JobType<>(
                name,
                dataType,
                resultType,
                activityTimeout,
                retry,
                retention,
                List.copyOf(all),
                maxReleases,
                maxDescent);
    }

    /**
     * This job type with another bound for the releases of a job: a release after as many others for the same reason
     * since the job was last enqueued makes the job fail. The default is {@link ReleaseReason#defaultMax}.
     *
     * @param reason why claims are released
     * @param max how many releases for that reason a job may have, at least zero
     * @return the job type
     * @throws IllegalArgumentException if the number is negative
     */
    public JobType<D, R> maxReleases(ReleaseReason reason, int max) {
        Objects.requireNonNull(reason, "reason");
        if (max < 0) {
            throw new IllegalArgumentException("A job may be released zero times or more; this is " + max + ".");
        }
        Map<ReleaseReason, Integer> all = new EnumMap<>(ReleaseReason.class);
        all.putAll(maxReleases);
        all.put(reason, max);
        return new JobType<>(
                name,
                dataType,
                resultType,
                activityTimeout,
                retry,
                retention,
                doNotRetryOn,
                Map.copyOf(all),
                maxDescent);
    }

    /**
     * This job type with a bound for jobs that lead to jobs without end: an addition beyond it fails with
     * {@link TooManyGenerationsException}, in the process that uses this job type. The default is no bound.
     *
     * @param max how many jobs one after the other, each added by the handler of the one before, may lead to a job of
     *     this type ({@link JobInfo#descent}); at least zero
     * @return the job type
     * @throws IllegalArgumentException if the number is negative
     */
    public JobType<D, R> maxDescent(int max) {
        if (max < 0) {
            throw new IllegalArgumentException("The descent of a job is zero or more; this is " + max + ".");
        }
        return new JobType<>(
                name, dataType, resultType, activityTimeout, retry, retention, doNotRetryOn, maxReleases, max);
    }

    /** {@return the stable name under which jobs of this type are stored} */
    public String name() {
        return name;
    }

    /** {@return the Java type of the job's data} */
    public Type dataType() {
        return dataType;
    }

    /** {@return the Java type of the job's result; {@link Void} if it has none} */
    public Type resultType() {
        return resultType;
    }

    /** {@return the activity timeout that the first job stores} */
    public Duration activityTimeout() {
        return activityTimeout;
    }

    /** {@return how jobs that fail are tried again} */
    public RetryPolicy retry() {
        return retry;
    }

    /** {@return how long jobs are kept after they have ended} */
    public Retention retention() {
        return retention;
    }

    /**
     * How often a job may be released for a reason after its work has begun.
     *
     * @param reason why claims are released
     * @return the number of releases after which another one makes the job fail
     */
    public int maxReleases(ReleaseReason reason) {
        return maxReleases.getOrDefault(reason, reason.defaultMax());
    }

    /** {@return how many jobs one after the other may lead to a job of this type; {@link Integer#MAX_VALUE} for any} */
    public int maxDescent() {
        return maxDescent;
    }

    /**
     * Whether another attempt may mend an error.
     *
     * @param error what a handler threw
     * @return false for a {@link PermanentFailureException} and for the errors named by {@link #doNotRetryOn}
     */
    public boolean isRetried(Throwable error) {
        return !(error instanceof PermanentFailureException)
                && doNotRetryOn.stream().noneMatch(kind -> kind.isInstance(error));
    }

    /** Job types are equal when their names, data types and result types are. */
    @Override
    public boolean equals(Object other) {
        return other instanceof JobType<?, ?> that
                && name.equals(that.name)
                && dataType.equals(that.dataType)
                && resultType.equals(that.resultType);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** {@return the name} */
    @Override
    public String toString() {
        return name;
    }
}
