package dev.couchjobs.internal.verbs;

import dev.couchjobs.JobType;
import dev.couchjobs.PayloadException;
import dev.couchjobs.PayloadTooLargeException;
import java.util.Objects;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectMapper;

/** A job's data as JSON and back. */
public final class PayloadCodec {
    /** Leaves room in a transaction of 10,000,000 bytes for keys and for what the caller writes beside the job. */
    public static final int BYTES_MAX = 8_000_000;

    private final ObjectMapper mapper;

    public PayloadCodec(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    <D> byte[] encode(JobType<D, ?> type, String jobId, D data) {
        Objects.requireNonNull(data, "data");
        byte[] json;
        try {
            json = mapper.writerFor(mapper.constructType(type.dataType())).writeValueAsBytes(data);
        } catch (JacksonException e) {
            throw new PayloadException(
                    "The data of job " + jobId + " of type " + type + " cannot be written as JSON: "
                            + e.getOriginalMessage() + ". Nothing was stored.",
                    e);
        }
        if (json.length > BYTES_MAX) {
            throw new PayloadTooLargeException(type.name(), jobId, json.length, BYTES_MAX);
        }
        return json;
    }

    /** {@return the data} */
    public <D> D decode(JobType<D, ?> type, String jobId, byte[] json) {
        try {
            return mapper.readValue(json, mapper.constructType(type.dataType()));
        } catch (JacksonException e) {
            throw new PayloadException(
                    "The stored data of job " + jobId + " of type " + type + " cannot be read as "
                            + type.dataType().getTypeName() + ": " + e.getOriginalMessage()
                            + ". Use the type it was written with, or one that also reads the older form.",
                    e);
        }
    }
}
