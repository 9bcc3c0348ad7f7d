package dev.couchjobs;

import dev.couchjobs.internal.job.Headers;
import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.internal.views.ScheduledTimes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A job to be added by {@link CouchJobs#add(com.apple.foundationdb.TransactionContext, NewJob)}: its data, and whatever
 * it is to have otherwise than by default. Immutable.
 *
 * <pre>{@code
 * jobs.add(database, NewJob.of(MAIL, letter).at(tomorrow));
 * }</pre>
 *
 * @param <D> the type of the job's data
 */
public final class NewJob<D> {
    private static final int TAGS_MAX = 10;
    private static final Instant FIRST_DEADLINE = Instant.ofEpochMilli(1);

    private final JobType<D, ?> type;
    private final D data;
    private final @Nullable String id;
    private final @Nullable Instant at;
    private final int priority;
    private final @Nullable RetryPolicy retry;
    private final Keys keys;
    private final List<Dependency> dependencies;
    private final Set<JobState> leftAlone;

    /** What ties a job to others. A change is made to a copy before it is used, so that jobs stay immutable. */
    private static final class Keys {
        static final Keys NONE = new Keys();

        private @Nullable String limit;
        private @Nullable String turn;
        private @Nullable Unique unique;
        private @Nullable String sequence;
        private boolean passesFailure;
        private @Nullable Instant startBefore;
        private @Nullable String batch;
        private List<String> tags = List.of();
        private Map<String, String> headers = Map.of();

        Keys with(Consumer<Keys> change) {
            Keys copy = new Keys();
            copy.limit = limit;
            copy.turn = turn;
            copy.unique = unique;
            copy.sequence = sequence;
            copy.passesFailure = passesFailure;
            copy.startBefore = startBefore;
            copy.batch = batch;
            copy.tags = tags;
            copy.headers = headers;
            change.accept(copy);
            return copy;
        }
    }

    private NewJob(
            JobType<D, ?> type,
            D data,
            @Nullable String id,
            @Nullable Instant at,
            int priority,
            @Nullable RetryPolicy retry,
            Keys keys,
            List<Dependency> dependencies,
            Set<JobState> leftAlone) {
        this.type = Objects.requireNonNull(type, "type");
        this.data = Objects.requireNonNull(data, "data");
        this.id = id;
        this.at = at;
        this.priority = priority;
        this.retry = retry;
        this.keys = keys;
        this.dependencies = dependencies;
        this.leftAlone = leftAlone;
    }

    private NewJob<D> with(Consumer<Keys> change) {
        return new NewJob<>(type, data, id, at, priority, retry, keys.with(change), dependencies, leftAlone);
    }

    /**
     * A job that may run at once and gets an id when it is added.
     *
     * @param type the type of the job
     * @param data its data
     * @param <D> the type of the data
     * @return the job
     */
    public static <D> NewJob<D> of(JobType<D, ?> type, D data) {
        return new NewJob<>(type, data, null, null, 0, null, Keys.NONE, List.of(), Set.of());
    }

    /**
     * This job with an id of its own, so that adding it again does not make a second job of it. A job that has
     * finished runs again if it is added again, unless {@link #ifAbsent} is asked for. Without an id it gets one as
     * {@link CouchJobs#newJobId} makes them.
     *
     * @param id the id, unique within the type, 1 to {@value CouchJobs#JOB_ID_BYTES_MAX} bytes in UTF-8,
     *     without control characters
     * @return the job
     * @throws IllegalArgumentException if the id is empty, too long, no well-formed text, {@code .} or {@code ..}, or
     *     has a control character
     */
    public NewJob<D> id(String id) {
        Name.JOB.checked(id);
        return new NewJob<>(type, data, id, at, priority, retry, keys, dependencies, leftAlone);
    }

    /**
     * This job, not to run before some time.
     *
     * @param time the time, stored as the first whole second that is not before it
     * @return the job
     * @throws IllegalArgumentException if the time is before 1970 or after 9999
     */
    public NewJob<D> at(Instant time) {
        ScheduledTimes.given("A job is scheduled", time);
        return new NewJob<>(type, data, id, time, priority, retry, keys, dependencies, leftAlone);
    }

    /**
     * This job with a priority: jobs with a higher one come first, and the oldest first within one. By default 0.
     *
     * <p>The order is kept strictly, so jobs of a low priority wait for as long as there are enough of a higher one;
     * {@link AcceptOptions#lowPriorityShare} keeps a part of the claims for them.
     *
     * @param priority any number, also a negative one
     * @return the job
     */
    public NewJob<D> priority(int priority) {
        return new NewJob<>(type, data, id, at, priority, retry, keys, dependencies, leftAlone);
    }

    /**
     * This job with a retry policy of its own in place of that of its type.
     *
     * @param policy how often, and after which pauses, it is tried again when it fails
     * @return the job
     */
    public NewJob<D> retry(RetryPolicy policy) {
        Objects.requireNonNull(policy, "policy");
        return new NewJob<>(type, data, id, at, priority, policy, keys, dependencies, leftAlone);
    }

    /**
     * This job with a limit key, such as the name of a tenant: {@link Limits} say how many jobs of the type with one
     * key run at once. A running job keeps its key.
     *
     * <p>The first job with a limit key keeps processes with a version before limit keys from writing (rfc/020).
     *
     * @param key the limit key, 1 to 500 bytes in UTF-8
     * @return the job
     * @throws IllegalArgumentException if the key is empty, too long, or no well-formed text
     */
    public NewJob<D> limitKey(String key) {
        Name.LIMIT_KEY.checked(key);
        return with(changed -> changed.limit = key);
    }

    /**
     * This job with a turn key, such as the name of a tenant: the keys of a type with due jobs take turns. In its turn
     * a key starts as many jobs as its {@linkplain Limits#setWeight weight}, by default one, the highest priority first
     * and the oldest first within a priority. So a key with ten jobs starts one in each round, however many another key
     * has. The jobs of the type without a turn key start like those of one more key.
     *
     * <p>Turns are between keys: priorities count within a key. Processes that claim at the same time may skip keys at
     * the front for a moment. A job that also has a limit key takes part once it has a slot, and a scheduled job once
     * it is due, whatever {@link AcceptOptions#maxSchedTime} says.
     *
     * <p>The first job with a turn key keeps processes with a version before turn keys from reading and writing
     * (rfc/023).
     *
     * @param key the turn key, 1 to 500 bytes in UTF-8
     * @return the job
     * @throws IllegalArgumentException if the key is empty, too long, or no well-formed text
     */
    public NewJob<D> turnKey(String key) {
        Name.TURN_KEY.checked(key);
        return with(changed -> changed.turn = key);
    }

    /**
     * This job in a sequence: of the jobs of the type in one sequence, each runs after those before it have ended, in
     * the order of the commits that added them. A job that is to be tried again holds back those behind it, and so does
     * one that has failed: until its dead letter is retried and succeeds, or is removed, also by {@linkplain Retention
     * retention}. Jobs that are held back are {@linkplain JobInfo#isBlocked blocked}. A job that is added again while
     * it is pending keeps its place.
     *
     * <p>The first job in a sequence keeps processes with a version before sequences from reading and writing
     * (rfc/024).
     *
     * @param key the key of the sequence, 1 to 500 bytes in UTF-8
     * @return the job
     * @throws IllegalArgumentException if the key is empty, too long, or no well-formed text
     */
    public NewJob<D> sequence(String key) {
        return inSequence(key, false);
    }

    /**
     * This job in a sequence, as {@link #sequence}, but the jobs behind it also run if it has failed.
     *
     * @param key the key of the sequence, 1 to 500 bytes in UTF-8
     * @return the job
     * @throws IllegalArgumentException if the key is empty, too long, or no well-formed text
     */
    public NewJob<D> sequencePassingFailure(String key) {
        return inSequence(key, true);
    }

    private NewJob<D> inSequence(String key, boolean passes) {
        Name.SEQUENCE.checked(key);
        return with(changed -> {
            changed.sequence = key;
            changed.passesFailure = passes;
        });
    }

    /**
     * This job, unless it is a duplicate of another. Then adding it leaves the other as it is, or replaces it, and the
     * result has the id of the other.
     *
     * <p>The first job with such a rule keeps processes with a version before unique keys out (rfc/022).
     *
     * @param rule which other job makes it a duplicate
     * @return the job
     */
    public NewJob<D> unique(Unique rule) {
        Objects.requireNonNull(rule, "rule");
        return with(changed -> changed.unique = rule);
    }

    /**
     * This job with a deadline: if it has not begun by then, it ends as {@link Outcome#EXPIRED}, whatever it waits for.
     * A job begins once, with its first attempt; its further attempts have no deadline. The time is that of the clocks
     * of the processes that claim jobs. A claim ends a late job at once; otherwise it ends within about 15 seconds, as
     * long as a process serves the type.
     *
     * <p>The first job with a deadline keeps processes with a version before deadlines from reading and writing
     * (rfc/025).
     *
     * @param deadline the time, to the millisecond
     * @return the job
     * @throws IllegalArgumentException if the deadline is before 1970 or after 9999
     */
    public NewJob<D> startBefore(Instant deadline) {
        if (deadline.isBefore(FIRST_DEADLINE) || deadline.isAfter(ScheduledTimes.LAST)) {
            throw new IllegalArgumentException("The deadline of a job is from 1970 to 9999; this is " + deadline
                    + ". Leave out startBefore for a job that may begin at any time.");
        }
        return with(changed -> changed.startBefore = deadline);
    }

    /**
     * This job as a member of a batch, which {@link Batches#open} has opened and which has not closed. Members may be
     * of any types.
     *
     * @param batch the name of the batch
     * @return the job
     * @throws IllegalArgumentException if the name is empty, too long, or no well-formed text
     */
    public NewJob<D> batch(String batch) {
        Name.BATCH.checked(batch);
        return with(changed -> changed.batch = batch);
    }

    /**
     * This job with tags, by which {@link CouchJobs#listTagged} finds it for as long as it is kept. A running job that
     * is added again keeps its tags.
     *
     * <p>The first job with tags keeps processes with a version before tags from reading and writing (rfc/028).
     *
     * @param tags the tags in place of those that it had, at most {@value #TAGS_MAX}, each of 1 to 500 bytes in UTF-8
     * @return the job
     * @throws IllegalArgumentException if there are too many, or one is empty, too long, or no well-formed text
     */
    public NewJob<D> tags(String... tags) {
        List<String> sorted = Arrays.stream(tags).distinct().sorted().toList();
        if (sorted.size() > TAGS_MAX) {
            throw new IllegalArgumentException("A job has at most " + TAGS_MAX + " tags; these are " + sorted.size()
                    + ". Put what nothing searches for into the data of the job.");
        }
        sorted.forEach(Name.TAG::checked);
        return with(changed -> changed.tags = sorted);
    }

    /**
     * This job with a header: a short text under a name that travels with the job, such as the context of a trace, and
     * that no codec writes. Handlers find it in {@link Job#headers}; a retry or a resubmit keeps it. Headers alone are
     * no change: a pending job that is added again with nothing else changed keeps its headers, and so does a running
     * job.
     *
     * <p>The first job with headers keeps processes with a version before headers from reading and writing (rfc/031).
     *
     * @param name the name, 1 to 128 bytes in UTF-8; replaces a header with the same name
     * @param value the text; at most 32 headers and 4,096 bytes in all, names included
     * @return the job
     * @throws IllegalArgumentException if the name is empty or too long, the headers are too many or too long, or one
     *     is no well-formed text
     */
    public NewJob<D> header(String name, String value) {
        return with(changed -> changed.headers = Headers.with(keys.headers, name, value));
    }

    /**
     * This job, not to run before some others have finished successfully. If one of them fails, is cancelled or is
     * removed, this job goes on waiting until it succeeds after all, for example when it was
     * {@linkplain DeadLetters#retry sent again}. They have to be there when this job is added, or be added in
     * the same transaction before it. To have it otherwise, give {@link #after(Dependency...)} dependencies with
     * another {@link DependencyPolicy}.
     *
     * @param type the type of the others
     * @param jobIds their ids, added to what the job waits for already; at most 10,000 in all
     * @return the job
     */
    public NewJob<D> after(JobType<?, ?> type, String... jobIds) {
        return after(
                Arrays.stream(jobIds).map(jobId -> Dependency.on(type, jobId)).toList());
    }

    /**
     * This job, not to run before some others have finished successfully.
     *
     * @param dependencies the others, added to what the job waits for already; at most 10,000 in all
     * @return the job
     * @throws IllegalArgumentException if one is expected that cannot be added
     */
    public NewJob<D> after(Dependency... dependencies) {
        return after(Arrays.asList(dependencies));
    }

    /**
     * This job, not to run before some others have finished successfully.
     *
     * @param dependencies the others, added to what the job waits for already; at most 10,000 in all
     * @return the job
     * @throws IllegalArgumentException if one is expected that cannot be added
     */
    public NewJob<D> after(Collection<Dependency> dependencies) {
        List<Dependency> all = new ArrayList<>(this.dependencies);
        for (Dependency dependency : dependencies) {
            if (dependency.policy() == DependencyPolicy.EXPECT) {
                Name.TYPE.checked(dependency.typeName());
                Name.JOB.checked(dependency.jobId());
            }
            all.add(dependency);
        }
        return new NewJob<>(type, data, id, at, priority, retry, keys, List.copyOf(all), leftAlone);
    }

    /**
     * This job, to be added only if there is no job of its type and id, whatever the state. Otherwise
     * {@link CouchJobs#add(com.apple.foundationdb.TransactionContext, NewJob)} leaves the other job as it is.
     *
     * @return the job
     */
    public NewJob<D> ifAbsent() {
        return leaving(Set.of(JobState.PENDING, JobState.RUNNING, JobState.FINISHED));
    }

    /**
     * This job, to be added only if no job of its type and id is pending or running. One that is finished runs again,
     * with the data of this job.
     *
     * @return the job
     */
    public NewJob<D> ifAbsentOrFinished() {
        return leaving(Set.of(JobState.PENDING, JobState.RUNNING));
    }

    private NewJob<D> leaving(Set<JobState> states) {
        return new NewJob<>(type, data, id, at, priority, retry, keys, dependencies, states);
    }

    /** {@return the type of the job} */
    public JobType<D, ?> type() {
        return type;
    }

    /** {@return the job's data} */
    public D data() {
        return data;
    }

    /** {@return the job's id, or empty if it gets one when it is added} */
    public Optional<String> id() {
        return Optional.ofNullable(id);
    }

    /** {@return the time before which it is not to run, or empty if it may run at once} */
    public Optional<Instant> at() {
        return Optional.ofNullable(at);
    }

    /** {@return its priority, 0 if none was given} */
    public int priority() {
        return priority;
    }

    /** {@return its own retry policy, or empty if it has that of its type} */
    public Optional<RetryPolicy> retry() {
        return Optional.ofNullable(retry);
    }

    /** {@return its limit key, or empty if it has none} */
    public Optional<String> limitKey() {
        return Optional.ofNullable(keys.limit);
    }

    /** {@return its turn key, or empty if it has none} */
    public Optional<String> turnKey() {
        return Optional.ofNullable(keys.turn);
    }

    /** {@return the key of its sequence, or empty if it is in none} */
    public Optional<String> sequence() {
        return Optional.ofNullable(keys.sequence);
    }

    /** {@return whether the jobs behind it in its sequence also run if it has failed} */
    public boolean passesFailure() {
        return keys.passesFailure;
    }

    /** {@return the time by which it is to begin, or empty if it may begin at any time} */
    public Optional<Instant> startBefore() {
        return Optional.ofNullable(keys.startBefore);
    }

    /** {@return the batch of which it is a member, or empty if it is in none} */
    public Optional<String> batch() {
        return Optional.ofNullable(keys.batch);
    }

    /** {@return its tags, in order} */
    public List<String> tags() {
        return keys.tags;
    }

    /** {@return its headers, by name} */
    public Map<String, String> headers() {
        return keys.headers;
    }

    /** {@return which other job makes it a duplicate, or empty if none does} */
    public Optional<Unique> unique() {
        return Optional.ofNullable(keys.unique);
    }

    /** {@return what it is to wait for} */
    public List<Dependency> dependencies() {
        return dependencies;
    }

    /**
     * Whether adding this job leaves a job alone that is there already.
     *
     * @param state the state of that job
     * @return whether that job stays as it is
     */
    public boolean leavesAlone(JobState state) {
        return leftAlone.contains(state);
    }

    /** {@return the type and the id} */
    @Override
    public String toString() {
        return "NewJob[" + type + "/" + (id == null ? "id to come" : id) + "]";
    }
}
