package dev.couchjobs.internal.limits;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.counters.StateCounters;
import dev.couchjobs.internal.job.ClaimInfo;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * How many jobs a transaction may claim by the limit of the running jobs of a type.
 *
 * <p>The numbers are read without a conflict: other transactions than claims only lower them. Each claim is counted by
 * one shard, and claims of one shard commit one after the other, so no shard exceeds its share.
 *
 * <p>That bounds all running jobs only if the shards count each of them, and none counts more than its share. Other
 * jobs run after the limit was set or lowered, until they end. A claim that finds some takes no more than the number
 * of all running jobs allows, and all such claims commit one after the other. A claim that finds none may commit beside
 * one of these: both stay within the shares of their shards, and there are no other jobs any more.
 *
 * @param max the limit
 * @param unused how many jobs more may run
 * @param shard the shard that counts the claims, or {@link ClaimInfo#NO_LIMIT_SHARD} in an instance without shards
 * @param jobs how many jobs the transaction may claim
 * @param isSerial whether all claims commit one after the other
 * @param isOrdered whether that is so although there are several shards
 */
record RunningLimit(int max, int unused, int shard, int jobs, boolean isSerial, boolean isOrdered) {
    static CompletableFuture<RunningLimit> read(
            ReadTransaction tx, TypeKeys keys, int max, boolean hasShards, Allowance.Home home) {
        CompletableFuture<Integer> unused =
                StateCounters.read(tx.snapshot(), keys).thenApply(counts -> (int) (max - counts.running()));
        return hasShards
                ? unused.thenCombine(
                        LimitShards.read(tx.snapshot(), keys), (left, counts) -> of(max, left, counts, home))
                : unused.thenApply(left -> new RunningLimit(
                        max, Math.max(0, left), ClaimInfo.NO_LIMIT_SHARD, Math.max(0, left), true, true));
    }

    /**
     * @param left how many jobs more may run; negative after the limit was lowered
     * @param counts how many running jobs each shard counts
     */
    private static RunningLimit of(int max, int left, int[] counts, Allowance.Home home) {
        int[] split = Split.shares(max);
        int[] shares = Arrays.copyOf(split, counts.length);
        int[] unused = IntStream.range(0, counts.length)
                .map(shard -> Math.max(0, shares[shard] - counts[shard]))
                .toArray();
        boolean areAllCounted = Arrays.stream(counts).sum() == max - left;
        boolean areWithinShares = IntStream.range(0, counts.length).allMatch(shard -> counts[shard] <= shares[shard]);
        boolean isOrdered = !areAllCounted || !areWithinShares;
        int shard = Split.choose(home, Arrays.copyOf(unused, split.length));
        // Only a damaged number leaves no share although more jobs may run.
        int ofShard = isOrdered && unused[shard] == 0 ? left : unused[shard];
        int jobs = Math.max(0, Math.min(left, ofShard));
        boolean isSerial = isOrdered || split.length == 1;
        return new RunningLimit(max, Math.max(0, left), shard, jobs, isSerial, isOrdered);
    }

    /** Lets the claims of the transaction conflict with those that it has to know. */
    void conflict(Transaction tx, TypeKeys keys) {
        if (isOrdered) {
            ClaimRules.conflictWithClaims(tx, keys);
        }
        if (shard != ClaimInfo.NO_LIMIT_SHARD) {
            LimitShards.conflictWithClaims(tx, keys, shard);
        }
    }
}
