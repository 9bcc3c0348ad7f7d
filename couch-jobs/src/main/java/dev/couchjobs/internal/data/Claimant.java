package dev.couchjobs.internal.data;

import com.apple.foundationdb.tuple.Tuple;
import org.jspecify.annotations.Nullable;

/**
 * The present or the last claim on a job.
 *
 * @param number how many claims there have been on this job, this one included; it only grows, 0 if there was none
 * @param failures how many attempts have failed since the job was last enqueued anew
 * @param by who claimed it
 * @param since when, in milliseconds since the epoch, by that process's clock
 * @param shared whether the claim shares its activity row with others that were made with it
 * @param logged whether this claim, or one before it, has written something down that goes with the job
 */
public record Claimant(long number, int failures, String by, long since, boolean shared, boolean logged) {
    /** No claim so far. */
    public static final Claimant NONE = new Claimant(0, 0, "", 0, false, false);

    Claimant next(String by, long since, boolean shared) {
        return new Claimant(number + 1, failures, by, since, shared, logged);
    }

    /** This claim, heard of again with others or by itself. */
    Claimant sharing(boolean shared) {
        return this.shared == shared ? this : new Claimant(number, failures, by, since, shared, logged);
    }

    Claimant failed() {
        return new Claimant(number, failures + 1, by, since, false, logged);
    }

    Claimant fresh() {
        return failures == 0 && !shared ? this : new Claimant(number, 0, by, since, false, logged);
    }

    Claimant logging() {
        return new Claimant(number, failures, by, since, shared, true);
    }

    @Nullable Tuple encode() {
        if (number == 0) {
            return null;
        }
        Tuple claim = Tuple.from(number, failures, by, since, shared);
        return logged ? claim.add(true) : claim;
    }

    static Claimant decode(@Nullable Tuple claim) {
        return claim == null
                ? NONE
                : new Claimant(
                        claim.getLong(0),
                        Math.toIntExact(claim.getLong(1)),
                        claim.getString(2),
                        claim.getLong(3),
                        claim.getBoolean(4),
                        claim.size() > 5);
    }
}
