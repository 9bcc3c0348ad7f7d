package dev.couchjobs.internal.views;

import dev.couchjobs.JobType;
import dev.couchjobs.JsonCodec;
import dev.couchjobs.PayloadException;
import dev.couchjobs.PayloadTooLargeException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** A job's data and its result as JSON and back. */
public final class PayloadCodec {
    /** Leaves room in a transaction of 10,000,000 bytes for keys and for what the caller writes beside the job. */
    public static final int BYTES_MAX = 8_000_000;

    /** An entry is one value, and many of them are read together. */
    static final int ENTRY_BYTES_MAX = 65_536;

    private final JsonCodec codec;

    public PayloadCodec(JsonCodec codec) {
        this.codec = codec;
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
            json = codec.write(value, as);
        } catch (Exception e) {
            throw new PayloadException(
                    "The " + what + " of job " + jobId + " of type " + type + " cannot be written as JSON: "
                            + messageOf(e) + ". Nothing was stored.",
                    e);
        }
        if (json.length > BYTES_MAX) {
            throw new PayloadTooLargeException(what, type.name(), jobId, json.length, BYTES_MAX);
        }
        return json;
    }

    /** Jackson's own message names the position in a text that the user does not have. */
    private static @Nullable String messageOf(Exception error) {
        return error instanceof JacksonException known ? known.getOriginalMessage() : error.getMessage();
    }

    /** An entry of a job's log, or a checkpoint. */
    public String encodeEntry(JobType<?, ?> type, String jobId, Object entry) {
        byte[] json = write("log entry", type, jobId, Objects.requireNonNull(entry, "entry"), entry.getClass());
        if (json.length > ENTRY_BYTES_MAX) {
            throw new PayloadTooLargeException("log entry", type.name(), jobId, json.length, ENTRY_BYTES_MAX);
        }
        return new String(json, StandardCharsets.UTF_8);
    }

    @SuppressWarnings("unchecked") // what the codec was asked for
    <T> T decodeEntry(String typeName, String jobId, String json, Class<T> as) {
        try {
            return (T) codec.read(json.getBytes(StandardCharsets.UTF_8), as);
        } catch (Exception e) {
            throw new PayloadException(
                    "A log entry of job " + jobId + " of type " + typeName + " cannot be read as " + as.getName() + ": "
                            + messageOf(e) + ". Read it as what it was written as, or look at its JSON.",
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
            return codec.read(json, as);
        } catch (Exception e) {
            throw new PayloadException(
                    "The stored " + what + " of job " + jobId + " of type " + type + " cannot be read as "
                            + as.getTypeName() + ": " + messageOf(e)
                            + ". Use the type it was written with, or one that also reads the older form.",
                    e);
        }
    }
}
