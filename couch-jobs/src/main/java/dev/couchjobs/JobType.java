package dev.couchjobs;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import tools.jackson.core.type.TypeReference;

/**
 * A kind of job: a stable name, shared by all who add and process such jobs, and the Java type of their data.
 *
 * <p>The name is what is stored, so renaming or moving the Java class loses no job. Two job types with one name are one
 * queue. Immutable; usually a constant.
 *
 * @param <D> the type of the job's data: anything that Jackson can write and read, such as a record
 */
@SuppressWarnings("UnusedTypeParameter") // it ties the data that add takes to the data that accept gives
public final class JobType<D> {
    private static final int NAME_BYTES_MAX = 500;

    private final String name;
    private final Type dataType;

    private JobType(String name, Type dataType) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(dataType, "dataType");
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > NAME_BYTES_MAX) {
            throw new IllegalArgumentException("A job type needs a name of 1 to " + NAME_BYTES_MAX
                    + " bytes in UTF-8; this one has " + bytes + ": choose a short, stable name.");
        }
        this.name = name;
        this.dataType = dataType;
    }

    /**
     * A job type whose data is of a plain class.
     *
     * @param name the stable name, 1 to 500 bytes in UTF-8
     * @param dataType the class of the job's data
     * @param <D> the type of the job's data
     * @return the job type
     * @throws IllegalArgumentException if the name is empty or too long
     */
    public static <D> JobType<D> of(String name, Class<D> dataType) {
        return new JobType<>(name, dataType);
    }

    /**
     * A job type whose data is of a generic type, such as {@code new TypeReference<List<Page>>() {}}.
     *
     * @param name the stable name, 1 to 500 bytes in UTF-8
     * @param dataType the type of the job's data
     * @param <D> the type of the job's data
     * @return the job type
     * @throws IllegalArgumentException if the name is empty or too long
     */
    public static <D> JobType<D> of(String name, TypeReference<D> dataType) {
        return new JobType<>(name, dataType.getType());
    }

    /** {@return the stable name under which jobs of this type are stored} */
    public String name() {
        return name;
    }

    /** {@return the Java type of the job's data} */
    public Type dataType() {
        return dataType;
    }

    /** Job types are equal when their names and data types are. */
    @Override
    public boolean equals(Object other) {
        return other instanceof JobType<?> that && name.equals(that.name) && dataType.equals(that.dataType);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    /** {@return the name} */
    @Override
    public String toString() {
        return name;
    }
}
