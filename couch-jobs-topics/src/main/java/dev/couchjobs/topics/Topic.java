package dev.couchjobs.topics;

import dev.couchjobs.topics.internal.log.TopicKeys;
import java.util.Objects;

/**
 * The name of a topic and what its messages hold. Immutable. Two topics are equal if name and class are.
 *
 * @param <T> the class of the messages' values
 */
public final class Topic<T> {
    private final String name;
    private final Class<T> valueType;

    private Topic(String name, Class<T> valueType) {
        TopicKeys.checkName("A topic", name);
        this.name = name;
        this.valueType = Objects.requireNonNull(valueType, "valueType");
    }

    /**
     * A topic whose values are written as JSON, as payloads of jobs are. Values of {@code byte[]} are written as they
     * are.
     *
     * @param name 1 to 500 bytes in UTF-8, stable
     * @param valueType a class that the codec can write and read, such as a record
     * @param <T> the class of the values
     * @return the topic
     * @throws IllegalArgumentException if the name is empty, too long, or has half of a surrogate pair in it
     */
    public static <T> Topic<T> of(String name, Class<T> valueType) {
        return new Topic<>(name, valueType);
    }

    /** {@return its name} */
    public String name() {
        return name;
    }

    /** {@return the class of the values} */
    public Class<T> valueType() {
        return valueType;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Topic<?> that && name.equals(that.name) && valueType.equals(that.valueType);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return "Topic[" + name + " of " + valueType.getName() + "]";
    }
}
