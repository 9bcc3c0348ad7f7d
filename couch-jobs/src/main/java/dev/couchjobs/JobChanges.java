package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.internal.notify.ChangeWaits;
import dev.couchjobs.internal.verbs.ChangeVerbs;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The changes of the jobs of a type, or of all types, in the order of their commits ({@link CouchJobs#changes}): for a
 * process that follows many jobs. {@link Subscription} follows one.
 *
 * <p>A reader starts at {@link #now}, or at {@link #OLDEST}, and goes on from {@link ChangePage#next}, which it may
 * store. It misses no change: if some have been removed, the page {@linkplain ChangePage#isTrimmed says so}. Changes
 * are kept for the builder's {@code feedRetention}. A change is a new state, data, scheduled time, priority or retry
 * policy, the request to run once more, or a log entry; a heartbeat is none.
 *
 * <pre>{@code
 * ChangePage page = changes.read(database, MAIL, since, 100).join();
 * page.changes().forEach(this::tell);
 * if (!page.hasMore()) {
 *     changes.await(MAIL, page.next(), Duration.ofSeconds(30)).join();
 * }
 * }</pre>
 *
 * <p>The contract of contexts, futures and errors is that of {@link CouchJobs}. A transaction of the caller's must not
 * have changed jobs: the read fails with {@link UncommittedChangesException}. Reads conflict with nothing. Safe for use
 * by several threads.
 */
public final class JobChanges {
    /** The sequence before all changes: a reader that starts here gets those that are kept. */
    public static final Versionstamp OLDEST = Versionstamp.complete(new byte[10], 0);

    /** The largest limit of a page. */
    public static final int LIMIT_MAX = 1_000;

    private final ChangeVerbs verbs;
    private final ChangeWaits waits;

    JobChanges(ChangeVerbs verbs, ChangeWaits waits) {
        this.verbs = verbs;
        this.waits = waits;
    }

    /**
     * {@return the present sequence, after all changes that are visible to this read}
     *
     * @param context a database, or a transaction to join
     */
    public CompletableFuture<Versionstamp> now(ReadTransactionContext context) {
        return verbs.now(context);
    }

    /**
     * Reads changes of the jobs of a type.
     *
     * @param context a database, or a transaction to join
     * @param type the type
     * @param since the sequence from which to go on
     * @param limit about how many changes to read, from 1 to {@value #LIMIT_MAX}; up to 80 changes of one commit are
     *     not divided
     * @return the page; fails with {@link SequenceNotVisibleException} if the sequence is later than this read, for
     *     example because it is of another database
     * @throws IllegalArgumentException if the limit is out of range, or the sequence incomplete
     */
    public CompletableFuture<ChangePage> read(
            ReadTransactionContext context, JobType<?, ?> type, Versionstamp since, int limit) {
        return verbs.read(context, type, since, limit);
    }

    /**
     * Reads changes of the jobs of all types, also of those that have appeared since. It costs two ranges with a row
     * for each type that ever changed, and one range for each type that has changed since.
     *
     * @param context a database, or a transaction to join
     * @param since the sequence from which to go on
     * @param limit about how many changes to read, as above
     * @return the page; it is trimmed if changes of any type are; fails as the read of one type does
     * @throws IllegalArgumentException if the limit is out of range, or the sequence incomplete
     */
    public CompletableFuture<ChangePage> read(ReadTransactionContext context, Versionstamp since, int limit) {
        return verbs.readAll(context, since, limit);
    }

    /**
     * Waits for a change of the jobs of a type. A watch wakes all calls that wait for the type in this process; nothing
     * is polled. Cancelling the future ends the wait.
     *
     * @param type the type
     * @param since the sequence from which to go on
     * @param timeout how long to wait, counted from the call; zero to look once
     * @return true if there may be changes after the sequence; false when the time is up. Fails with {@link
     *     CouchJobsClosedException} when this instance is closed
     * @throws IllegalArgumentException if the timeout is negative, or the sequence incomplete
     */
    public CompletableFuture<Boolean> await(JobType<?, ?> type, Versionstamp since, Duration timeout) {
        return waits.await(type, since, timeout);
    }

    /**
     * Waits for a change of the jobs of any type, also of a new one. It watches each type that ever had a timeout; of
     * more than 1,000 it watches those that have changed last, and looks at the others once a second.
     *
     * @param since the sequence from which to go on
     * @param timeout how long to wait, counted from the call; zero to look once
     * @return as above
     * @throws IllegalArgumentException if the timeout is negative, or the sequence incomplete
     */
    public CompletableFuture<Boolean> await(Versionstamp since, Duration timeout) {
        return waits.awaitAny(since, timeout);
    }
}
