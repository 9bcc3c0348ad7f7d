package dev.couchjobs.topics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A message to append. Immutable.
 *
 * @param <T> the class of its value
 */
public final class NewMessage<T> {
    private final @Nullable T value;
    private final @Nullable String key;
    private final @Nullable Integer partition;
    private final Map<String, String> headers;

    private NewMessage(
            @Nullable T value, @Nullable String key, @Nullable Integer partition, Map<String, String> headers) {
        this.value = value;
        this.key = key;
        this.partition = partition;
        this.headers = headers;
    }

    /**
     * A message without a key. The partitions take turns.
     *
     * @param value its value
     * @param <T> the class of the value
     * @return the message
     */
    public static <T> NewMessage<T> of(T value) {
        return new NewMessage<>(Objects.requireNonNull(value, "value"), null, null, Map.of());
    }

    /**
     * A message that deletes a key of a compacted topic: compaction removes those before it, and then this one.
     *
     * @param key the key
     * @param <T> the class of the topic's values
     * @return the message
     */
    public static <T> NewMessage<T> deletion(String key) {
        return new NewMessage<>(null, Objects.requireNonNull(key, "key"), null, Map.of());
    }

    /**
     * The same message with a key. Messages with the same key are in one partition, in the order of their commits, for
     * as long as the topic has the same number of partitions.
     *
     * @param newKey any text
     * @return the message
     */
    public NewMessage<T> key(String newKey) {
        return new NewMessage<>(value, Objects.requireNonNull(newKey, "key"), partition, headers);
    }

    /**
     * The same message for a partition, whatever its key is.
     *
     * @param newPartition from 0, less than the topic has
     * @return the message
     */
    public NewMessage<T> partition(int newPartition) {
        return new NewMessage<>(value, key, newPartition, headers);
    }

    /**
     * The same message with a header, in place of one with the same name.
     *
     * @param name its name
     * @param text its text
     * @return the message
     */
    public NewMessage<T> header(String name, String text) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(text, "text"));
        return new NewMessage<>(value, key, partition, all);
    }

    /** {@return its value; empty if it deletes its key} */
    public Optional<T> value() {
        return Optional.ofNullable(value);
    }

    /** {@return its key} */
    public Optional<String> key() {
        return Optional.ofNullable(key);
    }

    /** {@return the partition, if the caller has chosen one} */
    public OptionalInt partition() {
        return partition == null ? OptionalInt.empty() : OptionalInt.of(partition);
    }

    /** {@return its headers, in the order they were added} */
    public Map<String, String> headers() {
        return new LinkedHashMap<>(headers);
    }
}
