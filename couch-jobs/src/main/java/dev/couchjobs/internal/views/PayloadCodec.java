package dev.couchjobs.internal.views;

import dev.couchjobs.JobType;
import dev.couchjobs.PayloadException;
import dev.couchjobs.PayloadTooLargeException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.exc.InvalidDefinitionException;

/** A job's data and its result as JSON and back. */
public final class PayloadCodec {
    /** Leaves room in a transaction of 10,000,000 bytes for keys and for what the caller writes beside the job. */
    public static final int BYTES_MAX = 8_000_000;

    /** An entry is one value, and many of them are read together. */
    static final int ENTRY_BYTES_MAX = 65_536;

    private final ObjectMapper mapper;

    public PayloadCodec(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    public <D> byte[] encode(JobType<D, ?> type, String jobId, D data) {
        return write("data", type, jobId, Objects.requireNonNull(data, "data"), type.dataType());
    }

    /** {@return the result of a job as JSON, or empty if it is null} */
    public <R> Optional<byte[]> encodeResult(JobType<?, R> type, String jobId, @Nullable R result) {
        return result == null ? Optional.empty() : Optional.of(write("result", type, jobId, result, type.resultType()));
    }

    private byte[] write(String what, JobType<?, ?> type, String jobId, Object value, Type as) {
        byte[] json;
        try {
            json = written(what, type, jobId, value, mapper.writerFor(mapper.constructType(as)));
        } catch (JacksonException e) {
            throw new PayloadException(
                    "The " + what + " of job " + jobId + " of type " + type + " cannot be written as JSON: "
                            + e.getOriginalMessage() + ". Nothing was stored.",
                    e);
        }
        if (json.length > BYTES_MAX) {
            throw new PayloadTooLargeException(what, type.name(), jobId, json.length, BYTES_MAX);
        }
        return json;
    }

    /**
     * Jackson writes an object in which it sees no properties as one that has none: what is in its fields would be
     * lost.
     */
    private static byte[] written(String what, JobType<?, ?> type, String jobId, Object value, ObjectWriter writer) {
        try {
            return writer.with(SerializationFeature.FAIL_ON_EMPTY_BEANS).writeValueAsBytes(value);
        } catch (InvalidDefinitionException e) {
            byte[] json = writer.writeValueAsBytes(value); // or fails of something else
            Class<?> empty = e.getType() == null ? Object.class : e.getType().getRawClass();
            if (hasState(empty)) {
                throw new PayloadException(
                        "The " + what + " of job " + jobId + " of type " + type + " cannot be written as JSON: class "
                                + empty.getName()
                                + " has fields, but no properties that Jackson sees. Make it a record,"
                                + " give it getters, or annotate its fields with @JsonProperty. Nothing was stored.",
                        e);
            }
            return json;
        }
    }

    private static boolean hasState(Class<?> empty) {
        for (Class<?> declaring = empty; declaring != null; declaring = declaring.getSuperclass()) {
            for (Field field : declaring.getDeclaredFields()) {
                if ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0 && !field.isSynthetic()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** An entry of a job's log, or a checkpoint. */
    public String encodeEntry(JobType<?, ?> type, String jobId, Object entry) {
        byte[] json = write("log entry", type, jobId, Objects.requireNonNull(entry, "entry"), entry.getClass());
        if (json.length > ENTRY_BYTES_MAX) {
            throw new PayloadTooLargeException("log entry", type.name(), jobId, json.length, ENTRY_BYTES_MAX);
        }
        return new String(json, StandardCharsets.UTF_8);
    }

    <T> T decodeEntry(String typeName, String jobId, String json, Class<T> as) {
        try {
            return mapper.readValue(json, as);
        } catch (JacksonException e) {
            throw new PayloadException(
                    "A log entry of job " + jobId + " of type " + typeName + " cannot be read as " + as.getName() + ": "
                            + e.getOriginalMessage() + ". Read it as what it was written as, or look at its JSON.",
                    e);
        }
    }

    /** {@return the data} */
    @SuppressWarnings("unchecked") // what a job type calls the type of its data
    public <D> D decode(JobType<D, ?> type, String jobId, byte[] json) {
        return (D) read("data", type, jobId, json, type.dataType());
    }

    /** {@return the result} */
    @SuppressWarnings("unchecked") // what a job type calls the type of its result
    public <R> R decodeResult(JobType<?, R> type, String jobId, byte[] json) {
        return (R) read("result", type, jobId, json, type.resultType());
    }

    private Object read(String what, JobType<?, ?> type, String jobId, byte[] json, Type as) {
        try {
            return mapper.readValue(json, mapper.constructType(as));
        } catch (JacksonException e) {
            throw new PayloadException(
                    "The stored " + what + " of job " + jobId + " of type " + type + " cannot be read as "
                            + as.getTypeName() + ": " + e.getOriginalMessage()
                            + ". Use the type it was written with, or one that also reads the older form.",
                    e);
        }
    }
}
