package dev.couchjobs;

import dev.couchjobs.internal.rows.Name;
import dev.couchjobs.loop.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Processor#accept} may take and how long it waits (RFC 007, the options of {@code accept}). Immutable.
 *
 * <p>By default only jobs that are due are taken, and the call waits until there is one.
 */
public final class AcceptOptions {
    private static final AcceptOptions DEFAULTS = new AcceptOptions(false, null, null, 0, null, null);

    private final boolean noSchedule;
    private final @Nullable Instant maxSchedTime;
    private final @Nullable Duration timeout;
    private final double lowPriorityShare;
    private final @Nullable String by;
    private final @Nullable Once once;

    private AcceptOptions(
            boolean noSchedule,
            @Nullable Instant maxSchedTime,
            @Nullable Duration timeout,
            double lowPriorityShare,
            @Nullable String by,
            @Nullable Once once) {
        if (noSchedule && maxSchedTime != null) {
            throw new IllegalArgumentException(
                    "noSchedule takes only jobs without a scheduled time, so maxSchedTime has no meaning beside it:"
                            + " leave one of them out.");
        }
        this.noSchedule = noSchedule;
        this.maxSchedTime = maxSchedTime;
        this.timeout = timeout;
        this.lowPriorityShare = lowPriorityShare;
        this.by = by;
        this.once = once;
    }

    /** {@return due jobs only, and wait for one without limit} */
    public static AcceptOptions defaults() {
        return DEFAULTS;
    }

    /** {@return due jobs only, and do not wait: the answer is empty if there is none} */
    public static AcceptOptions nonBlocking() {
        return DEFAULTS.timeout(Duration.ZERO);
    }

    /**
     * Takes only jobs without a scheduled time, from a random place in the queue: with random job ids, acceptors then
     * hardly ever meet.
     *
     * @return these options with {@code no_schedule}
     * @throws IllegalArgumentException if {@code maxSchedTime} is given too
     */
    public AcceptOptions noSchedule() {
        return new AcceptOptions(true, maxSchedTime, timeout, lowPriorityShare, by, once);
    }

    /**
     * Takes only jobs scheduled at or before this time, in place of the present time: a later time takes jobs early.
     *
     * @param time the latest scheduled time to take; counted in whole seconds
     * @return these options with {@code max_sched_time}
     * @throws IllegalArgumentException if {@code noSchedule} is given too
     */
    public AcceptOptions maxSchedTime(Instant time) {
        return new AcceptOptions(noSchedule, Objects.requireNonNull(time, "time"), timeout, lowPriorityShare, by, once);
    }

    /**
     * How long to wait when there is no job to take, counted from the call; zero for not at all.
     *
     * @param timeout the longest wait, not negative
     * @return these options with {@code timeout}
     */
    public AcceptOptions timeout(Duration timeout) {
        return new AcceptOptions(
                noSchedule, maxSchedTime, Durations.limit("timeout", timeout), lowPriorityShare, by, once);
    }

    /**
     * Keeps a part of the claims for jobs that would have to wait because there are always others of a higher priority.
     * It goes round the priorities, one after another, so that each of them gets its turn however many come before it.
     *
     * <p>By default nothing is kept back and the order of priorities is strict: the caller that gives priorities has
     * decided what may wait, and a part of the claims out of order would be a surprise. Give some, a tenth perhaps,
     * where high priorities may come without end.
     *
     * @param share from 0, the default, to 1; of the claims that are made together, or else of many, this part
     * @return these options with that part kept
     * @throws IllegalArgumentException if it is not from 0 to 1
     */
    public AcceptOptions lowPriorityShare(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException(
                    "The part of the claims to keep for lower priorities is from 0 to 1; this is " + share + ".");
        }
        return new AcceptOptions(noSchedule, maxSchedTime, timeout, share, by, once);
    }

    /**
     * Claims for a worker in another program, which the attempts then name in place of this instance. It costs nothing:
     * calls with different names are still served by one transaction. {@link CouchJobs#worker} has no use for it.
     *
     * @param name what {@link JobAttempt#by} is to say, of 1 to 200 characters
     * @return these options with that name
     * @throws IllegalArgumentException if no worker can have the name
     */
    public AcceptOptions by(String name) {
        return new AcceptOptions(noSchedule, maxSchedTime, timeout, lowPriorityShare, Name.WORKER.checked(name), once);
    }

    /**
     * Claims once for a call that may be repeated, perhaps by another process: a program that acts for workers gives
     * the call an id, which the worker repeats. The transaction that claims also writes a row, and it claims nothing if
     * the row says that the call has claimed: then {@code accept} fails with {@link RepeatedCallException}.
     *
     * <p>The value of the row is the tuple {@code (call, milliseconds since 1970, (type, id, lock)...)}. The program
     * reads it to find the claims again, and removes it.
     *
     * @param key the key of the row, of 1 to 10,000 bytes; calls that may repeat each other have the same
     * @param call the id of the call, of 1 to 500 bytes in UTF-8
     * @return these options with that row
     * @throws IllegalArgumentException if no row can have the key, or no call the id
     */
    public AcceptOptions once(byte[] key, String call) {
        return new AcceptOptions(noSchedule, maxSchedTime, timeout, lowPriorityShare, by, Once.of(key, call));
    }

    /**
     * The row of a call that claims once.
     *
     * @param key its key
     * @param call the id of the call
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Once(byte[] key, String call) {
        private static final int KEY_BYTES_MAX = 10_000;
        private static final byte SYSTEM = (byte) 0xFF;

        static Once of(byte[] key, String call) {
            if (key.length == 0 || key.length > KEY_BYTES_MAX || key[0] == SYSTEM) {
                throw new IllegalArgumentException("A row has a key of 1 to " + KEY_BYTES_MAX
                        + " bytes, which does not begin with 0xFF; this key has " + key.length + " bytes.");
            }
            return new Once(key.clone(), Name.CALL.checked(call));
        }
    }

    /** {@return the key of the row of a call that claims once, or null} */
    public byte @Nullable [] onceKey() {
        return once == null ? null : once.key().clone();
    }

    /** {@return the id of a call that claims once, or null} */
    public @Nullable String onceCall() {
        return once == null ? null : once.call();
    }

    /** {@return the part of the claims that is kept for lower priorities} */
    public double lowPriorityShare() {
        return lowPriorityShare;
    }

    /** {@return whether only jobs without a scheduled time are taken} */
    public boolean isNoSchedule() {
        return noSchedule;
    }

    /** {@return the latest scheduled time to take, or null for the present time} */
    public @Nullable Instant maxSchedTime() {
        return maxSchedTime;
    }

    /** {@return what the attempts name, or null for the instance} */
    public @Nullable String by() {
        return by;
    }

    /** {@return the longest wait, or null to wait without limit} */
    public @Nullable Duration timeout() {
        return timeout;
    }
}
