package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.verbs.ScheduleVerbs;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The recurring jobs ({@link CouchJobs#schedules}). Safe for use by several threads.
 *
 * <p>A repeated call changes nothing further, except that of {@link #runNow}. Calls for one schedule in one transaction
 * take effect in their order, also if the caller does not wait in between.
 *
 * <p>A job that waits keeps its firing time, although the clock that computed it was ahead. After that clock was set
 * right, {@link #put}, {@link #runNow}, or {@link #pause} followed by {@link #resume} compute the next firing time by
 * the present clock: the first to come that has no job.
 */
public final class Schedules {
    private final ScheduleVerbs verbs;

    Schedules(Instance instance) {
        verbs = new ScheduleVerbs(instance);
    }

    /**
     * Stores a schedule, and adds the job of its next firing time. If there is a schedule with the name, it changes: so
     * does a job that waits, which keeps its firing time if that has passed; a job that has begun goes on. A schedule
     * that is stored already stays as it is, and so does a pause. The first schedule of an instance keeps processes
     * with a version before schedules from writing (rfc/019).
     *
     * @param context a database, or a transaction to join
     * @param schedule the schedule
     * @return the stored schedule; fails with {@link PayloadTooLargeException} if its data has more than 1,000,000
     *     bytes
     */
    public CompletableFuture<ScheduleInfo> put(TransactionContext context, Schedule schedule) {
        return verbs.put(context, schedule.request());
    }

    /**
     * A schedule.
     *
     * @param context a database, or a transaction to join
     * @param name its name
     * @return the schedule, if there is one; fails with {@link UndecodableRowException} if its row is damaged
     */
    public CompletableFuture<Optional<ScheduleInfo>> get(ReadTransactionContext context, String name) {
        return verbs.get(context, name);
    }

    /**
     * One page of the schedules, by name. It leaves out schedules whose rows are damaged.
     *
     * @param context a database, or a transaction to join
     * @param page which page, where oldest first means in the order of the names
     * @return the page
     */
    public CompletableFuture<Page<ScheduleInfo>> list(ReadTransactionContext context, PageRequest page) {
        return verbs.list(context, page);
    }

    /**
     * The next firing times of a schedule, without random delays, if each job has ended by the time of the next. Of a
     * pause between jobs only the time of a job that waits is known.
     *
     * @param context a database, or a transaction to join
     * @param name the schedule
     * @param count how many, from 1 to 100
     * @return the times, the next one first; none if the schedule is paused or has ended. Fails with
     *     {@link ScheduleNotFoundException} if there is no such schedule
     * @throws IllegalArgumentException if the count is anything else
     */
    public CompletableFuture<List<Instant>> firingTimes(ReadTransactionContext context, String name, int count) {
        return verbs.firingTimes(context, name, count);
    }

    /**
     * The last jobs of a schedule that are kept: those of its present type whose ids are its name, an at sign and a
     * time. Reads one range.
     *
     * @param context a database, or a transaction to join
     * @param name the schedule
     * @param count how many, from 1 to 100
     * @return the jobs, the last one first. Fails with {@link ScheduleNotFoundException} if there is no such schedule,
     *     and with {@link UncommittedChangesException} if the transaction has changed jobs of the type
     * @throws IllegalArgumentException if the count is anything else
     */
    public CompletableFuture<List<JobSummary>> jobs(ReadTransactionContext context, String name, int count) {
        return verbs.jobs(context, name, count);
    }

    /**
     * Pauses a schedule: a job that waits for its firing time is removed, and a job that has begun goes on.
     *
     * @param context a database, or a transaction to join
     * @param name the schedule
     * @return the schedule; fails with {@link ScheduleNotFoundException} if there is none
     */
    public CompletableFuture<ScheduleInfo> pause(TransactionContext context, String name) {
        return verbs.pause(context, name);
    }

    /**
     * Ends the pause of a schedule, and adds the job of its next firing time. Those of the pause are not made up for.
     *
     * @param context a database, or a transaction to join
     * @param name the schedule
     * @return the schedule; fails with {@link ScheduleNotFoundException} if there is none
     */
    public CompletableFuture<ScheduleInfo> resume(TransactionContext context, String name) {
        return verbs.resume(context, name);
    }

    /**
     * Removes a schedule. A job that waits for its firing time is removed, and a job that has begun goes on.
     *
     * @param context a database, or a transaction to join
     * @param name the schedule; there may be none
     * @return when it is done
     */
    public CompletableFuture<Void> remove(TransactionContext context, String name) {
        return verbs.remove(context, name);
    }

    /**
     * Adds a job of a schedule that may run at once, also if the schedule is paused or has ended. It takes the place of
     * a job that waits for its firing time, and the next job is that of the next firing time. If a job has begun, the
     * further one follows it; if one may run at once, nothing changes.
     *
     * @param context a database, or a transaction to join
     * @param name the schedule
     * @return the schedule; fails with {@link ScheduleNotFoundException} if there is none
     */
    public CompletableFuture<ScheduleInfo> runNow(TransactionContext context, String name) {
        return verbs.runNow(context, name);
    }
}
