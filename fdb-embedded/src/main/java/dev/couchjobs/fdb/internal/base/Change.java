package dev.couchjobs.fdb.internal.base;

import java.util.Arrays;

/**
 * One change to a {@link Base}. Arrays are not copied: the maker of a change does not write to them until it is
 * applied.
 */
public sealed interface Change {
    /**
     * Sets a key.
     *
     * @param key the key
     * @param value its new value
     */
    @SuppressWarnings("ArrayRecordComponent") // changes are never compared
    record Put(byte[] key, byte[] value) implements Change {}

    /**
     * Removes a key, if it is there.
     *
     * @param key the key
     */
    @SuppressWarnings("ArrayRecordComponent") // changes are never compared
    record Remove(byte[] key) implements Change {}

    /**
     * Removes all keys from {@code begin} up to, but not including, {@code end}.
     *
     * @param begin the first key
     * @param end behind the last key
     */
    @SuppressWarnings("ArrayRecordComponent") // changes are never compared
    record Clear(byte[] begin, byte[] end) implements Change {}

    /**
     * Sets a key.
     *
     * @param key the key
     * @param value its new value
     * @return the change
     */
    static Change put(byte[] key, byte[] value) {
        return new Put(key, value);
    }

    /**
     * Removes a key, if it is there.
     *
     * @param key the key
     * @return the change
     */
    static Change remove(byte[] key) {
        return new Remove(key);
    }

    /**
     * Removes all keys of a range, which may hold no more than one.
     *
     * @param begin the first key
     * @param end behind the last key; not less than {@code begin}
     * @return the change
     */
    static Change clear(byte[] begin, byte[] end) {
        return Arrays.equals(end, Arrays.copyOf(begin, begin.length + 1)) ? new Remove(begin) : new Clear(begin, end);
    }
}
