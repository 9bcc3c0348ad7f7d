package dev.couchjobs.internal.workers;

import com.apple.foundationdb.tuple.Tuple;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the workers with a name are told to do.
 *
 * @param pausedAt when they were paused, in milliseconds since 1970; null if they are not
 * @param drain the number of the last drain, drawn at random; null if there was none. It concerns the workers that have
 *     registered before it, and so with another number
 * @param drainedAt when that was, in milliseconds since 1970, or 0
 */
public record WorkerOrders(
        @Nullable Long pausedAt, @Nullable Long drain, long drainedAt) {
    /** The orders of a name without a row. */
    public static final WorkerOrders NONE = new WorkerOrders(null, null, 0);

    public boolean isPaused() {
        return pausedAt != null;
    }

    /**
     * {@return whether a worker is to drain}
     *
     * @param registeredAfter the number of the last drain when it registered
     */
    public boolean drains(@Nullable Long registeredAfter) {
        return drain != null && !Objects.equals(drain, registeredAfter);
    }

    /** {@return a copy with a pause, unless there is one} */
    public WorkerOrders paused(long now) {
        return isPaused() ? this : new WorkerOrders(now, drain, drainedAt);
    }

    /** {@return a copy without a pause} */
    public WorkerOrders resumed() {
        return new WorkerOrders(null, drain, drainedAt);
    }

    /** {@return a copy with a further drain} */
    public WorkerOrders drained(long number, long now) {
        return new WorkerOrders(pausedAt, number, now);
    }

    byte[] encode() {
        return Tuple.from(pausedAt, drain, drainedAt).pack();
    }

    static WorkerOrders decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        return new WorkerOrders(number(row, 0), number(row, 1), row.getLong(2));
    }

    static @Nullable Long number(Tuple row, int index) {
        return row.get(index) == null ? null : row.getLong(index);
    }
}
