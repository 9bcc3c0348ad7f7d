package dev.couchjobs.internal.turns;

import dev.couchjobs.internal.rows.TypeKeys;

/**
 * A turn key of a type.
 *
 * @param type the type
 * @param name the key
 */
public record TurnKey(TypeKeys type, String name) {
    /** {@return the key of the row that requests a turn} */
    byte[] request() {
        return TurnKeys.of(type).turnRequests().pack(name);
    }

    /** {@return the key of the row that exists while the turn key has a turn} */
    byte[] inTurn() {
        return TurnKeys.of(type).inTurn(name);
    }
}
