package dev.couchjobs.topics;

import dev.couchjobs.PayloadException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A message of a topic. Immutable.
 *
 * @param <T> the class of its value
 */
public interface Message<T> {
    /** {@return its topic} */
    Topic<T> topic();

    /** {@return its partition} */
    int partition();

    /** {@return its place in the partition} */
    Offset offset();

    /** {@return its key} */
    Optional<String> key();

    /** {@return its headers} */
    Map<String, String> headers();

    /** {@return when it was appended, by the clock of that process} */
    Instant appendedAt();

    /** {@return whether it deletes its key, and has no value} */
    boolean isDeletion();

    /**
     * Reads its value.
     *
     * @return the value
     * @throws PayloadException if what is stored cannot be read as the topic's class
     * @throws IllegalStateException if it deletes its key
     */
    T value();
}
