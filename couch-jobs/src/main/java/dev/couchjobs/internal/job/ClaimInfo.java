package dev.couchjobs.internal.job;

import dev.couchjobs.ReleaseReason;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;
import java.util.Objects;

/**
 * The current or the last claim on a job.
 *
 * @param number the number of claims on this job so far, including this one; it only grows; 0 for none
 * @param failures how many attempts have failed since the job was last enqueued
 * @param by the name of the process that claimed the job
 * @param since when, in milliseconds since the epoch, by that process's clock
 * @param shared whether the claim shares its activity row with other claims of the same transaction
 * @param logged whether the job has a log
 * @param expiries how many claims have expired since the job was last enqueued
 * @param started whether the work on the job is known to have begun; a claim that ends before that is no attempt
 * @param limitShard the shard that counts the claim while the job runs, or {@link #NO_LIMIT_SHARD}
 * @param releases how many claims were released after the work had begun, since the job was last enqueued
 */
public record ClaimInfo(
        long number,
        int failures,
        String by,
        long since,
        boolean shared,
        boolean logged,
        int expiries,
        boolean started,
        int limitShard,
        Releases releases) {
    /** Into how many shards a limit of a type is divided at most. */
    public static final int LIMIT_SHARDS_MAX = 16;
    /** Stands for the shard of a claim that no shard counts. */
    public static final int NO_LIMIT_SHARD = -1;

    /** The claim of a job that was never claimed. */
    public static final ClaimInfo NONE =
            new ClaimInfo(0, 0, "", 0, false, false, 0, true, NO_LIMIT_SHARD, Releases.NONE);

    ClaimInfo next(String by, long since, boolean shared, boolean started, int newShard) {
        return new ClaimInfo(number + 1, failures, by, since, shared, logged, expiries, started, newShard, releases);
    }

    ClaimInfo by(String name) {
        return new ClaimInfo(number, failures, name, since, shared, logged, expiries, started, limitShard, releases);
    }

    /** {@return this claim after a heartbeat} */
    ClaimInfo renewed(boolean shared) {
        return new ClaimInfo(number, failures, by, since, shared, logged, expiries, true, limitShard, releases);
    }

    /** {@return this claim, ended by its holder without a failure} */
    ClaimInfo ended(boolean started) {
        return ended(failures, expiries, started, releases);
    }

    /** {@return this claim, released by its holder after the work had begun} */
    ClaimInfo released(ReleaseReason reason) {
        return ended(failures, expiries, true, releases.plusOne(reason));
    }

    ClaimInfo failed() {
        return ended(failures + 1, expiries, true, releases);
    }

    /** {@return this claim after its expiry: a failed attempt if the work had begun} */
    ClaimInfo expired() {
        return ended(started ? failures + 1 : failures, expiries + 1, started, releases);
    }

    /** {@return this claim of a job that has all its attempts before it} */
    ClaimInfo fresh() {
        return ended(0, 0, started, Releases.NONE);
    }

    private ClaimInfo ended(int failures, int expiries, boolean started, Releases releases) {
        return new ClaimInfo(number, failures, by, since, false, logged, expiries, started, NO_LIMIT_SHARD, releases);
    }

    /** {@return this ended claim, whose attempt is in a row of its own} */
    ClaimInfo withoutAttempt() {
        return new ClaimInfo(number, failures, by, since, shared, logged, expiries, number == 0, limitShard, releases);
    }

    ClaimInfo logging() {
        return new ClaimInfo(number, failures, by, since, shared, true, expiries, true, limitShard, releases);
    }

    /** {@return whether a claim on the job has expired, so that the job may crash the processes that run it} */
    public boolean isSuspect() {
        return expiries > 0;
    }

    ClaimInfo with(Releases newReleases) {
        return new ClaimInfo(number, failures, by, since, shared, logged, expiries, started, limitShard, newReleases);
    }

    /** Adds this without its releases as a nested tuple, or as null. {@return whether there is one} */
    boolean encode(TupleWriter row) {
        if (number == 0) {
            row.addNull();
            return false;
        }
        row.beginNested().add(number).add(failures).add(by).add(since).add(shared);
        if (limitShard != NO_LIMIT_SHARD) {
            row.add(logged).add(expiries).add(started).add(limitShard);
        } else if (expiries > 0 || !started) {
            row.add(logged).add(expiries).add(started);
        } else if (logged) {
            row.add(true);
        }
        row.endNested(false);
        return true;
    }

    static ClaimInfo decode(TupleReader row) {
        if (row.skipNull()) {
            return NONE;
        }
        row.beginNested();
        ClaimInfo claim = new ClaimInfo(
                row.readLong(),
                row.readInt(),
                row.readString(),
                row.readLong(),
                row.readBoolean(),
                row.hasNext() && row.readBoolean(),
                row.hasNext() ? row.readInt() : 0,
                !row.hasNext() || row.readBoolean(),
                row.hasNext() ? Objects.checkIndex(row.readInt(), LIMIT_SHARDS_MAX) : NO_LIMIT_SHARD,
                Releases.NONE);
        row.endNested();
        return claim;
    }
}
