package dev.couchjobs;

import dev.couchjobs.internal.views.JacksonCodec;
import java.lang.reflect.Type;
import java.util.Objects;
import tools.jackson.databind.ObjectMapper;

/**
 * Writes and reads the data, results and log entries of jobs as JSON; see {@link CouchJobsBuilder#codec}. The default
 * uses Jackson 3. Implementations are safe for use by several threads.
 */
public interface JsonCodec {
    /**
     * A codec by Jackson 3. It refuses to write what Jackson would change: a {@link java.util.BitSet}, a {@link
     * java.util.Calendar}, nanoseconds of a {@code java.sql.Timestamp}, and a {@link RawPayload} within a value.
     * Numbers whose declared type is {@link Object} come back as {@link Integer}, {@link Long} or
     * {@link java.math.BigInteger} if they are whole, and else as {@link Double}.
     *
     * @param mapper a JSON mapper
     * @return the codec
     */
    static JsonCodec of(ObjectMapper mapper) {
        return new JacksonCodec(Objects.requireNonNull(mapper, "mapper"));
    }

    /**
     * Writes a value.
     *
     * @param value the value, not null
     * @param type its declared type
     * @return JSON in UTF-8
     * @throws Exception if the value cannot be written; the verb fails with a {@link PayloadException} that has its
     *     message, and nothing is stored
     */
    byte[] write(Object value, Type type) throws Exception;

    /**
     * Reads a value.
     *
     * @param json JSON in UTF-8, as a codec has written it
     * @param type the declared type
     * @return the value, of that type
     * @throws Exception if it cannot be read as that type; the verb fails with a {@link PayloadException} that has its
     *     message
     */
    Object read(byte[] json, Type type) throws Exception;
}
