package dev.couchjobs.internal.turns;

import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.rows.TypeKeys;

/** The keys of the turns of a type. */
final class TurnKeys {
    private final Subspace turns;
    private final byte[] turnsPrefix;
    private final Subspace inTurn;
    private final Subspace turnRequests;
    private final Subspace weights;

    private TurnKeys(TypeKeys type) {
        turns = type.table("turns");
        turnsPrefix = turns.pack();
        inTurn = type.table("in_turn");
        turnRequests = type.table("turn_requests");
        weights = type.table("weights");
    }

    static TurnKeys of(TypeKeys type) {
        return type.derived(TurnKeys.class, TurnKeys::new);
    }

    /** The order in which the turn keys with due jobs take turns. */
    Range turns() {
        return turns.range();
    }

    byte[] turnsPrefix() {
        return turnsPrefix;
    }

    /** Reads the path of a turn: sequence and turn key. */
    Tuple unpackTurn(byte[] key) {
        return turns.unpack(key);
    }

    /** The key that exists while a turn key has a turn. */
    byte[] inTurn(String turnKey) {
        return inTurn.pack(turnKey);
    }

    /** The turn keys for which jobs have become due since a claim has looked. */
    Subspace turnRequests() {
        return turnRequests;
    }

    /** The weights of turn keys; at the subspace's own key whether there are any. */
    Subspace weights() {
        return weights;
    }
}
