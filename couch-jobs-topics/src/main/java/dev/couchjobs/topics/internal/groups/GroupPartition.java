package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.tuple.Tuple;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.internal.log.Place;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A partition as a group has it. This row decides: what commits an offset reads it with a conflict and writes it.
 *
 * @param place behind the messages that the group has consumed or parked
 * @param calls the calls that have consumed messages in transactions of their own
 * @param epoch grows with each new holder and each seek, so that an earlier holder is told from this one
 * @param holder the member that consumes the partition; null if none does
 * @param failures how often the message has failed
 * @param failed the message; null if none has failed behind the place
 * @param isSuspect whether a holder has died at this place: perhaps of the message behind it
 * @param parked how many messages are parked
 */
record GroupPartition(
        Place place,
        RecentCalls calls,
        long epoch,
        @Nullable String holder,
        int failures,
        @Nullable Versionstamp failed,
        boolean isSuspect,
        int parked) {
    private static final long FORMAT = 1;

    /**
     * A partition that nothing has consumed.
     *
     * @param version the read version, from which the epochs count: they do not come again if the group does
     */
    static GroupPartition at(Place place, long version) {
        return new GroupPartition(place, RecentCalls.NONE, version, null, 0, null, false, 0);
    }

    byte[] encode() {
        return Tuple.from(
                        FORMAT,
                        place.stamp(),
                        place.number(),
                        calls.encode(),
                        epoch,
                        holder,
                        failures,
                        failed,
                        isSuspect,
                        parked)
                .pack();
    }

    static GroupPartition decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        return new GroupPartition(
                new Place(Objects.requireNonNull(row.getVersionstamp(1)), row.getLong(2)),
                RecentCalls.decode(row.getNestedTuple(3)),
                row.getLong(4),
                row.getString(5),
                (int) row.getLong(6),
                row.getVersionstamp(7),
                row.getBoolean(8),
                (int) row.getLong(9));
    }

    /** @param token of the call; 0 in the caller's own transaction */
    GroupPartition consumedTo(Place newPlace, long token) {
        return new GroupPartition(
                newPlace, token == 0 ? calls : calls.plus(token), epoch, holder, 0, null, false, parked);
    }

    GroupPartition soughtTo(Place newPlace) {
        return new GroupPartition(newPlace, calls, epoch + 1, holder, 0, null, false, 0);
    }

    GroupPartition heldBy(@Nullable String member) {
        return new GroupPartition(place, calls, epoch + 1, member, failures, failed, isSuspect, parked);
    }

    /** {@return this, with a holder after one that has died} */
    GroupPartition inheritedBy(String member) {
        return new GroupPartition(place, calls, epoch + 1, member, failures, failed, true, parked);
    }

    /** {@return how often a message has failed, if it is the one behind the place} */
    int failuresOf(Versionstamp message) {
        return message.equals(failed) ? failures : 0;
    }

    GroupPartition failedOnceMore(Versionstamp message) {
        return new GroupPartition(place, calls, epoch, holder, failuresOf(message) + 1, message, isSuspect, parked);
    }

    GroupPartition withParked(int more) {
        return new GroupPartition(place, calls, epoch, holder, failures, failed, isSuspect, parked + more);
    }

    /** {@return this, from where the log begins if that is later} */
    GroupPartition notBefore(Place begin) {
        return place.stamp().compareTo(begin.stamp()) >= 0
                ? this
                : new GroupPartition(begin, calls, epoch, holder, failures, failed, isSuspect, parked);
    }

    boolean isHeldBy(Claim claim) {
        return claim.member().equals(holder) && claim.epoch() == epoch;
    }
}
