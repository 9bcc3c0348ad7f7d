package dev.couchjobs.fdb.internal.base;

import org.jspecify.annotations.Nullable;

/**
 * Walks a {@link Base} in one direction and shows one state of it. Meant to be short-lived: opened, moved a few steps
 * and closed by one thread. An open cursor keeps its {@link Base} from closing.
 */
public interface BaseCursor extends AutoCloseable {
    /**
     * The key that the cursor is on.
     *
     * @return the key, for the caller to keep, or null past the last one
     */
    byte @Nullable [] key();

    /**
     * The value of that key.
     *
     * @return the value, for the caller to keep
     * @throws IllegalStateException past the last key
     */
    byte[] value();

    /**
     * Moves on to the next key in the cursor's direction.
     *
     * @throws IllegalStateException past the last key
     */
    void advance();

    /** Gives the cursor back. Closing it again does nothing. */
    @Override
    void close();
}
