package dev.couchjobs.fdb.simulation;

/**
 * What can go wrong in a {@link Simulation}. The weight of a fault is the probability that it strikes: at each step
 * that it can strike, or at each process, or the store, in each second of virtual time.
 */
public enum Fault {
    /** A commit fails with {@code not_committed} (1020), as if another had been there first. Per commit. */
    CONFLICT(0.1),
    /** A commit happens, and fails with {@code commit_unknown_result} (1021). Per commit. */
    UNKNOWN_COMMITTED(0.1),
    /** A commit does not happen, and fails with {@code commit_unknown_result} (1021). Per commit. */
    UNKNOWN_NOT_COMMITTED(0.1),
    /** A read or a commit fails with {@code transaction_too_old} (1007). Per read and per commit. */
    TOO_OLD(0.02),
    /** A read or a commit fails with {@code future_version} (1009). Per read and per commit. */
    FUTURE_VERSION(0.02),
    /**
     * An answer takes its time, and those behind it wait for it; now and then longer than a transaction may last. Per
     * answer.
     */
    SLOW_REPLY(0.5),
    /** An answer overtakes those before it, or is overtaken. Per answer. */
    REORDERED_REPLY(0.3),
    /** A commit takes its time on the way to the store. Per commit. */
    COMMIT_DELAY(0.3),
    /**
     * What is committed takes its time to become durable, and is neither seen nor answered before. Per write to the
     * disk.
     */
    SLOW_DISK(0.5),
    /**
     * The store is lost, is gone for up to three seconds and then has all that was durable. Until then reads fail with
     * {@code process_behind} (1037); commits under way fail with {@code commit_unknown_result} (1021), and some of them
     * have happened; watches fail. Versions jump ahead. Per second.
     */
    STORE_LOSS(0.1),
    /** A watch fires although nothing has changed. Per watch. */
    SPURIOUS_WATCH(0.2),
    /** A watch fires some time after the change, up to ten seconds. Per watch. */
    LATE_WATCH(0.3),
    /** A watch fails with {@code future_version} (1009). Per watch. */
    FAILED_WATCH(0.2),
    /**
     * A watch neither fires nor fails, whatever happens. FoundationDB leaves a watch like that if a timeout cancels the
     * commit that arms it (apple/foundationdb#13395). Per watch.
     */
    ORPHANED_WATCH(0.1),
    /**
     * Nothing happens in a process for up to ten seconds; then it goes on as if no time had passed. Per process and
     * second.
     */
    PAUSE(0.1),
    /** A process is gone for good. Per process and second. */
    DEATH(0.05),
    /** A process's clock is up to five seconds off from the beginning. Per process. */
    CLOCK_SKEW(0.6),
    /** A process's clock jumps, forward or back, by up to twenty seconds. Per process and second. */
    CLOCK_JUMP(0.1),
    /** A process's clock is up to thirty days off from the beginning. Per process. */
    WRONG_DATE(0.3),
    /** A process's clock jumps, forward or back, by up to thirty days. Per process and second. */
    DATE_JUMP(0.03);

    private final double usual;

    Fault(double usual) {
        this.usual = usual;
    }

    /** The weight of it where it is frequent, unless another is set. */
    double usual() {
        return usual;
    }
}
