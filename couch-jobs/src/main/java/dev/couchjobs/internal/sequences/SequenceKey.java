package dev.couchjobs.internal.sequences;

import dev.couchjobs.internal.rows.TypeKeys;

/**
 * The key of a sequence of a type.
 *
 * @param type the type
 * @param name the key
 */
public record SequenceKey(TypeKeys type, String name) {
    /** {@return the key of the row with the current job of the sequence} */
    public byte[] row() {
        return SequenceKeys.of(type).sequences().pack(name);
    }
}
