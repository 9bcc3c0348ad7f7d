package dev.couchjobs.internal.idle;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.rows.TypeKeys;

/** The keys of the idle processes of a type. */
final class IdleKeys {
    private static final long IDLE_LEADER = 0;
    private static final long IDLE_FOLLOWERS = 1;

    private final Subspace idle;

    private IdleKeys(TypeKeys type) {
        idle = type.table("idle");
    }

    static IdleKeys of(TypeKeys type) {
        return type.derived(IdleKeys.class, IdleKeys::new);
    }

    /** The leader and the followers of the idle processes. */
    Range idle() {
        return idle.range();
    }

    /** The token of the leader. */
    byte[] leader() {
        return idle.pack(IDLE_LEADER);
    }

    byte[] follower(long token) {
        return idle.pack(Tuple.from(IDLE_FOLLOWERS, token));
    }

    /** The followers with tokens from a token on. */
    Range followersFrom(long token) {
        return new Range(follower(token), idle.get(IDLE_FOLLOWERS).range().end);
    }

    /** The followers with tokens below a token. */
    Range followersBelow(long token) {
        return new Range(idle.get(IDLE_FOLLOWERS).range().begin, follower(token));
    }

    long tokenOfFollower(byte[] key) {
        return idle.unpack(key).getLong(1);
    }
}
