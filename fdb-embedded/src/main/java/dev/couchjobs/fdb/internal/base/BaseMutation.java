package dev.couchjobs.fdb.internal.base;

import java.util.Arrays;

/**
 * One change to a {@link Base}. Arrays are not copied: the maker of a change does not write to them until it is
 * applied.
 */
public sealed interface BaseMutation {
    /**
     * Sets a key.
     *
     * @param key the key
     * @param value its new value
     */
    @SuppressWarnings("ArrayRecordComponent") // changes are never compared
    record Put(byte[] key, byte[] value) implements BaseMutation {}

    /**
     * Removes a key, if it is there.
     *
     * @param key the key
     */
    @SuppressWarnings("ArrayRecordComponent") // changes are never compared
    record Remove(byte[] key) implements BaseMutation {}

    /**
     * Removes all keys from {@code begin} up to, but not including, {@code end}.
     *
     * @param begin the first key
     * @param end behind the last key
     */
    @SuppressWarnings("ArrayRecordComponent") // changes are never compared
    record Clear(byte[] begin, byte[] end) implements BaseMutation {}

    /**
     * Sets a key.
     *
     * @param key the key
     * @param value its new value
     * @return the change
     */
    static BaseMutation put(byte[] key, byte[] value) {
        return new Put(key, value);
    }

    /**
     * Removes a key, if it is there.
     *
     * @param key the key
     * @return the change
     */
    static BaseMutation remove(byte[] key) {
        return new Remove(key);
    }

    /**
     * Removes all keys of a range, which may hold no more than one.
     *
     * @param begin the first key
     * @param end behind the last key; not less than {@code begin}
     * @return the change
     */
    static BaseMutation clear(byte[] begin, byte[] end) {
        return Arrays.equals(end, Arrays.copyOf(begin, begin.length + 1)) ? new Remove(begin) : new Clear(begin, end);
    }
}
