package dev.couchjobs.internal.data;

import com.apple.foundationdb.tuple.Tuple;
import org.jspecify.annotations.Nullable;

/**
 * What ties a job to others.
 *
 * <p>Those who wait for a job are in rooms, and its row names the rooms: so the end of a job that no other waits for
 * costs nothing. A room is a random number, and used once: what is still to be done for those in it stays apart from
 * those who begin to wait when the job is enqueued again.
 *
 * @param strictRoom the room of those for which a failure, too, is an end; 0 if there is none
 * @param patientRoom the room of those who wait until the job succeeds, however often it fails; 0 if there is none
 * @param keptIfFailed if it fails because of another, for how many seconds it is kept; {@link #FOR_EVER}
 * @param archived whether it is then removed only once an archive has taken it
 */
public record Ties(long strictRoom, long patientRoom, long keptIfFailed, boolean archived) {
    /** No room at all. */
    public static final long NO_ROOM = 0;
    /** The job is not removed by itself. */
    public static final long FOR_EVER = -1;
    /** The job waits for no other, and no other waits for it. */
    public static final Ties NONE = new Ties(NO_ROOM, NO_ROOM, FOR_EVER, false);

    /** {@return whether another job waits for the job} */
    public boolean areOutward() {
        return strictRoom != NO_ROOM || patientRoom != NO_ROOM;
    }

    /** {@return the room of those who are patient, or of those who are not} */
    public long room(boolean patient) {
        return patient ? patientRoom : strictRoom;
    }

    /** {@return these, with a room of that kind} */
    public Ties with(boolean patient, long room) {
        return patient
                ? new Ties(strictRoom, room, keptIfFailed, archived)
                : new Ties(room, patientRoom, keptIfFailed, archived);
    }

    /** {@return these, with how long the job is kept if it fails because of another} */
    public Ties keptIfFailed(long seconds, boolean archived) {
        return new Ties(strictRoom, patientRoom, seconds, archived);
    }

    @Nullable Tuple encode() {
        return equals(NONE) ? null : Tuple.from(strictRoom, patientRoom, keptIfFailed, archived);
    }

    static Ties decode(@Nullable Tuple ties) {
        return ties == null ? NONE : new Ties(ties.getLong(0), ties.getLong(1), ties.getLong(2), ties.getBoolean(3));
    }
}
