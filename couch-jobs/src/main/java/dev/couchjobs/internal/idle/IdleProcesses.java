package dev.couchjobs.internal.idle;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.rows.Quarantine;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.loop.ArmedWatch;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * The rows of the idle processes of one type (rfc/017). A random token identifies each process: one row has the token
 * of the leader as its value, and each follower has a row with its token in the key.
 */
public final class IdleProcesses {
    private static final byte[] NO_VALUE = {};

    private IdleProcesses() {}

    /** {@return the token of the leader, if there is one} */
    public static CompletableFuture<Optional<Long>> leader(ReadTransaction tx, TypeKeys keys) {
        return tx.get(IdleKeys.of(keys).leader())
                .thenApply(value ->
                        Quarantine.readable(tx, keys, IdleKeys.of(keys).leader(), value, IdleProcesses::decode));
    }

    private static long decode(byte[] value) {
        return Tuple.fromBytes(value).getLong(0);
    }

    /** Makes a process the leader, instead of the current one. */
    static void setLeader(Transaction tx, TypeKeys keys, long token) {
        tx.set(IdleKeys.of(keys).leader(), Tuple.from(token).pack());
    }

    /** Leaves the type without a leader. */
    static void clearLeader(Transaction tx, TypeKeys keys) {
        tx.clear(IdleKeys.of(keys).leader());
    }

    /** {@return a watch that fires when the leader changes} */
    static CompletableFuture<ArmedWatch> watchLeader(Transaction tx, TypeKeys keys) {
        return ArmedWatch.arm(tx, IdleKeys.of(keys).leader());
    }

    /** {@return whether a process is a follower} */
    static CompletableFuture<Boolean> isFollower(ReadTransaction tx, TypeKeys keys, long token) {
        return tx.get(IdleKeys.of(keys).follower(token)).thenApply(value -> value != null);
    }

    /** Makes a process a follower. */
    static void addFollower(Transaction tx, TypeKeys keys, long token) {
        tx.set(IdleKeys.of(keys).follower(token), NO_VALUE);
    }

    /** Wakes a follower by removing its row. */
    static void removeFollower(Transaction tx, TypeKeys keys, long token) {
        tx.clear(IdleKeys.of(keys).follower(token));
    }

    /** {@return a watch that fires when a follower is woken} */
    static CompletableFuture<ArmedWatch> watchFollower(Transaction tx, TypeKeys keys, long token) {
        return ArmedWatch.arm(tx, IdleKeys.of(keys).follower(token));
    }

    /** {@return the first follower from a token on, or else the first one; conflicts with new followers before it} */
    public static CompletableFuture<Optional<Long>> follower(Transaction tx, TypeKeys keys, long from) {
        return followers(tx, tx, keys, IdleKeys.of(keys).followersFrom(from), 1)
                .thenCompose(upper -> upper.isEmpty()
                        ? followers(tx, tx, keys, IdleKeys.of(keys).followersBelow(from), 1)
                        : CompletableFuture.completedFuture(upper))
                .thenApply(tokens -> tokens.stream().findFirst());
    }

    /** {@return the tokens of followers, beginning with a token and then from the first; read without conflicts} */
    static CompletableFuture<List<Long>> followers(Transaction tx, TypeKeys keys, long from, int limit) {
        return followers(tx, tx.snapshot(), keys, IdleKeys.of(keys).followersFrom(from), limit)
                .thenCombine(
                        followers(tx, tx.snapshot(), keys, IdleKeys.of(keys).followersBelow(from), limit),
                        (upper, lower) -> Stream.concat(upper.stream(), lower.stream())
                                .limit(limit)
                                .toList());
    }

    private static CompletableFuture<List<Long>> followers(
            Transaction tx, ReadTransaction view, TypeKeys keys, Range range, int limit) {
        return Quarantine.range(
                tx, view, keys, range, limit, false, row -> IdleKeys.of(keys).tokenOfFollower(row.getKey()));
    }

    /** Wakes all idle processes by removing their rows; no process is the leader then. */
    public static void clear(Transaction tx, TypeKeys keys) {
        tx.clear(IdleKeys.of(keys).idle());
    }
}
