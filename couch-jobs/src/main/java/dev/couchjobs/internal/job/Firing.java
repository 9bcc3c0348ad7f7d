package dev.couchjobs.internal.job;

import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;
import org.jspecify.annotations.Nullable;

/**
 * The firing of a schedule that made a job.
 *
 * @param schedule the name of the schedule
 * @param time the time for which it fired, in seconds since the epoch
 * @param next when the next job of the schedule is added
 */
public record Firing(String schedule, long time, Next next) {
    /** When the next job of the schedule is added. */
    public enum Next {
        /** By the end of this job. */
        AT_END,
        /** By the first claim of this job. */
        AT_CLAIM,
        /** The first claim of this job has added it. */
        ADDED
    }

    /** {@return whether the first claim of this job adds the next} */
    public boolean addsAtClaim() {
        return next == Next.AT_CLAIM;
    }

    /** Adds this, or null and 0. The name is in a nested tuple unless the end of the job adds the next. */
    static void encode(TupleWriter row, @Nullable Firing firing) {
        if (firing == null) {
            row.addNull().add(0);
            return;
        }
        if (firing.next == Next.AT_END) {
            row.add(firing.schedule);
        } else {
            row.beginNested()
                    .add(firing.schedule)
                    .add(firing.next == Next.ADDED)
                    .endNested(true);
        }
        row.add(firing.time);
    }

    static @Nullable Firing decode(TupleReader row) {
        if (row.skipNull()) {
            row.readLong();
            return null;
        }
        if (row.peek() != TupleWriter.NESTED) {
            return new Firing(row.readString(), row.readLong(), Next.AT_END);
        }
        row.beginNested();
        String schedule = row.readString();
        Next next = row.readBoolean() ? Next.ADDED : Next.AT_CLAIM;
        row.endNested();
        return new Firing(schedule, row.readLong(), next);
    }
}
