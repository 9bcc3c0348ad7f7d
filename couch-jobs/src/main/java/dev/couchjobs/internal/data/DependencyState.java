package dev.couchjobs.internal.data;

import com.apple.foundationdb.tuple.Tuple;
import org.jspecify.annotations.Nullable;

/**
 * What ties a job to others.
 *
 * <p>Dependents of a job are stored in waiter groups. The job's row names its groups, so a job without dependents ends
 * without an extra read. A waiter group is a random number, and used once: what is still to be done for those in it
 * stays apart from those who begin to wait when the job is enqueued again.
 *
 * @param strictGroup the waiter group of those for which a failure, too, is an end; 0 if there is none
 * @param patientGroup the waiter group of those who wait until the job succeeds, however often it fails; 0 if there is
 *     none
 * @param keptIfFailed if it fails because of another, for how many seconds it is kept; {@link #FOR_EVER}
 * @param archived whether it is then removed only once an archive has taken it
 */
public record DependencyState(long strictGroup, long patientGroup, long keptIfFailed, boolean archived) {
    /** No waiter group at all. */
    public static final long NO_GROUP = 0;
    /** The job is not removed by itself. */
    public static final long FOR_EVER = -1;
    /** The job waits for no other, and no other waits for it. */
    public static final DependencyState NONE = new DependencyState(NO_GROUP, NO_GROUP, FOR_EVER, false);

    /** {@return whether another job waits for the job} */
    public boolean hasDependents() {
        return strictGroup != NO_GROUP || patientGroup != NO_GROUP;
    }

    /** {@return the waiter group of those who are patient, or of those who are not} */
    public long group(boolean patient) {
        return patient ? patientGroup : strictGroup;
    }

    /** {@return these, with a waiter group of that kind} */
    public DependencyState with(boolean patient, long group) {
        return patient
                ? new DependencyState(strictGroup, group, keptIfFailed, archived)
                : new DependencyState(group, patientGroup, keptIfFailed, archived);
    }

    /** {@return these, with how long the job is kept if it fails because of another} */
    public DependencyState keptIfFailed(long seconds, boolean archived) {
        return new DependencyState(strictGroup, patientGroup, seconds, archived);
    }

    @Nullable Tuple encode() {
        return equals(NONE) ? null : Tuple.from(strictGroup, patientGroup, keptIfFailed, archived);
    }

    static DependencyState decode(@Nullable Tuple ties) {
        return ties == null
                ? NONE
                : new DependencyState(ties.getLong(0), ties.getLong(1), ties.getLong(2), ties.getBoolean(3));
    }
}
