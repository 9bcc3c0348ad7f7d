package dev.couchjobs.internal.data;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * The rows of the processes that wait for jobs of one type (rfc/017). Each process is known by a random token: the
 * leader by the value of one row, every follower by the key of its own.
 */
public final class IdleProcesses {
    private static final byte[] NO_VALUE = {};

    private IdleProcesses() {}

    /** {@return the token of the leader, if there is one} */
    public static CompletableFuture<Optional<Long>> leader(ReadTransaction tx, TypeKeys keys) {
        return tx.get(keys.leader())
                .thenApply(value -> Quarantine.readable(tx, keys, keys.leader(), value, IdleProcesses::decode));
    }

    private static long decode(byte[] value) {
        return Tuple.fromBytes(value).getLong(0);
    }

    /** Makes a process the leader in the place of any other. */
    public static void setLeader(Transaction tx, TypeKeys keys, long token) {
        tx.set(keys.leader(), Tuple.from(token).pack());
    }

    /** Leaves the type without a leader. */
    public static void clearLeader(Transaction tx, TypeKeys keys) {
        tx.clear(keys.leader());
    }

    /** {@return what completes when another process leads, or none} */
    public static CompletableFuture<Void> watchLeader(Transaction tx, TypeKeys keys) {
        return tx.watch(keys.leader());
    }

    /** {@return whether a process is a follower} */
    public static CompletableFuture<Boolean> isFollower(ReadTransaction tx, TypeKeys keys, long token) {
        return tx.get(keys.follower(token)).thenApply(value -> value != null);
    }

    /** Makes a process a follower. */
    public static void addFollower(Transaction tx, TypeKeys keys, long token) {
        tx.set(keys.follower(token), NO_VALUE);
    }

    /** Calls a follower, which is none then. */
    public static void removeFollower(Transaction tx, TypeKeys keys, long token) {
        tx.clear(keys.follower(token));
    }

    /** {@return what completes when a follower is called} */
    public static CompletableFuture<Void> watchFollower(Transaction tx, TypeKeys keys, long token) {
        return tx.watch(keys.follower(token));
    }

    /** {@return the token of the first follower from a token on, or else of the first of all; joining it conflicts} */
    public static CompletableFuture<Optional<Long>> follower(Transaction tx, TypeKeys keys, long from) {
        return followers(tx, tx, keys, keys.followersFrom(from), 1)
                .thenCompose(upper -> upper.isEmpty()
                        ? followers(tx, tx, keys, keys.followersBelow(from), 1)
                        : CompletableFuture.completedFuture(upper))
                .thenApply(found -> found.stream().findFirst());
    }

    /** {@return the tokens of some followers, those from a token on first; read without conflicts} */
    public static CompletableFuture<List<Long>> followers(Transaction tx, TypeKeys keys, long from, int limit) {
        return followers(tx, tx.snapshot(), keys, keys.followersFrom(from), limit)
                .thenCombine(
                        followers(tx, tx.snapshot(), keys, keys.followersBelow(from), limit),
                        (upper, lower) -> Stream.concat(upper.stream(), lower.stream())
                                .limit(limit)
                                .toList());
    }

    private static CompletableFuture<List<Long>> followers(
            Transaction tx, ReadTransaction view, TypeKeys keys, Range range, int limit) {
        return Quarantine.range(tx, view, keys, range, limit, false, row -> keys.tokenOfFollower(row.getKey()));
    }

    /** Calls all of them; none is the leader then. */
    public static void clear(Transaction tx, TypeKeys keys) {
        tx.clear(keys.idle());
    }
}
