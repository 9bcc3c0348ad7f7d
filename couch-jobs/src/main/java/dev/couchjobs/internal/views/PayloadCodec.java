package dev.couchjobs.internal.views;

import dev.couchjobs.JobType;
import dev.couchjobs.JsonCodec;
import dev.couchjobs.PayloadException;
import dev.couchjobs.PayloadTooLargeException;
import dev.couchjobs.RawPayload;
import dev.couchjobs.internal.job.Payload;
import dev.couchjobs.internal.loop.RootCauses;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** A job's data and its result as they are stored, JSON or other bytes that may be encrypted, and back. */
public final class PayloadCodec {
    /** Leaves room in a transaction of 10,000,000 bytes for keys and for what the caller writes beside the job. */
    public static final int BYTES_MAX = 8_000_000;

    /** An entry is one value, and many of them are read together. */
    static final int ENTRY_BYTES_MAX = 65_536;

    private final JsonCodec codec;
    private final PayloadCipher cipher;

    public PayloadCodec(JsonCodec codec) {
        this(codec, PayloadCipher.NONE);
    }

    public PayloadCodec(JsonCodec codec, PayloadCipher cipher) {
        this.codec = codec;
        this.cipher = cipher;
    }

    /**
     * {@return data as JSON, which is not encrypted}
     *
     * @throws PayloadException if it cannot be written, or is null in JSON, which no handler expects
     */
    public <D> byte[] json(JobType<D, ?> type, String jobId, D data) {
        byte[] json = write("data", type, jobId, Objects.requireNonNull(data, "data"), type.dataType());
        if (isJsonNull(json)) {
            throw new PayloadException("The data of job " + jobId + " of type " + type
                    + " is null in JSON. Give it other data, such as {} or []. Nothing was stored.");
        }
        return json;
    }

    /** {@return a digest of data, which equal data has in every JVM} */
    public <D> String digest(JobType<D, ?> type, String jobId, D data) {
        byte[] written = codec instanceof JacksonCodec jackson
                ? write("data", type, jobId, data, type.dataType(), jackson::writeSorted)
                : json(type, jobId, data);
        return sha256(BinaryPayload.is(written) ? written : CanonicalJson.of(written));
    }

    private static String sha256(byte[] bytes) {
        try {
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }

    /** {@return data as it is stored, which recognises itself although two encryptions of it differ} */
    public <D> Payload encode(JobType<D, ?> type, String jobId, D data) {
        return toStored(type, jobId, json(type, jobId, data));
    }

    /** {@return data of which there is the JSON as it is stored} */
    public Payload toStored(JobType<?, ?> type, String jobId, byte[] json) {
        PayloadCipher.Place place = data("data", type.name(), jobId);
        // A transaction remembers the payload in static state: it must not hold the codec and its classes.
        PayloadCipher keys = cipher;
        return Payload.of(keys.seal(place, json), stored -> keys.holds(place, stored, json));
    }

    /** {@return the result of a job as it is stored, or empty if it is null} */
    public <R> Optional<byte[]> encodeResult(JobType<?, R> type, String jobId, @Nullable R result) {
        return result == null
                ? Optional.empty()
                : Optional.of(cipher.seal(
                        data("result", type.name(), jobId), write("result", type, jobId, result, type.resultType())));
    }

    private static PayloadCipher.Place data(String what, String typeName, String jobId) {
        return new PayloadCipher.Place(PayloadCipher.Use.DATA, what, typeName, jobId);
    }

    private static PayloadCipher.Place entry(String typeName, String jobId) {
        return new PayloadCipher.Place(PayloadCipher.Use.ENTRY, "log entry", typeName, jobId);
    }

    private byte[] write(String what, JobType<?, ?> type, String jobId, Object value, Type as) {
        return write(what, type, jobId, value, as, codec::write);
    }

    /** What writes a value as JSON. */
    @FunctionalInterface
    private interface Writer {
        byte[] write(Object value, Type as) throws Exception;
    }

    private byte[] write(String what, JobType<?, ?> type, String jobId, Object value, Type as, Writer writer) {
        byte[] json;
        try {
            if (value instanceof RawPayload raw) {
                json = raw.isJson() ? raw.toBytes() : BinaryPayload.write(raw.mediaType(), raw.toBytes());
            } else if (as == byte[].class) {
                json = BinaryPayload.write(RawPayload.BYTES, (byte[]) value);
            } else {
                json = Objects.requireNonNull(writer.write(value, as), "the codec has returned null");
                JsonCheck.check(json);
            }
        } catch (Throwable e) { // also an error: the codec and the classes of payloads are the user's
            throw failure(
                    "The " + what + " of job " + jobId + " of type " + type + " cannot be written as JSON: ",
                    e,
                    ". Nothing was stored.");
        }
        if (json.length > BYTES_MAX) {
            throw new PayloadTooLargeException(what, type.name(), jobId, json.length, BYTES_MAX);
        }
        return json;
    }

    /**
     * {@return the error of a codec, explained} The texts of errors are stored with jobs. The message of the codec may
     * quote a payload, and so is left out if payloads are encrypted. That of an {@link OutOfMemoryError}, which ends an
     * attempt in its own way, quotes nothing.
     */
    private PayloadException failure(String what, Throwable error, String advice) {
        return cipher.keyIds().isEmpty() || error instanceof OutOfMemoryError
                ? new PayloadException(what + messageOf(error) + advice, error)
                : new PayloadException(what + error.getClass().getName()
                        + ", whose message is left out because payloads are encrypted" + advice);
    }

    /** Jackson's own message names the position in a text that the user does not have. */
    private static String messageOf(Throwable error) {
        if (error instanceof JacksonException known) {
            return known.getOriginalMessage();
        }
        String message = RootCauses.message(error);
        return error instanceof Exception && message != null ? message : RootCauses.text(error);
    }

    /** An entry of a job's log, or a checkpoint. */
    public String encodeEntry(JobType<?, ?> type, String jobId, Object entry) {
        byte[] json = write("log entry", type, jobId, Objects.requireNonNull(entry, "entry"), entry.getClass());
        if (BinaryPayload.is(json)) {
            throw new PayloadException("A log entry or checkpoint of job " + jobId + " of type " + type
                    + " is no JSON. Store the bytes elsewhere, and log where they are.");
        }
        if (json.length > ENTRY_BYTES_MAX) {
            throw new PayloadTooLargeException("log entry", type.name(), jobId, json.length, ENTRY_BYTES_MAX);
        }
        return cipher.sealText(entry(type.name(), jobId), json);
    }

    /** {@return the JSON of a stored entry} */
    String entryJson(String typeName, String jobId, String stored) {
        return cipher.openText(entry(typeName, jobId), stored);
    }

    @SuppressWarnings("unchecked") // what the codec was asked for
    <T> T decodeEntry(String typeName, String jobId, String stored, Class<T> as) {
        String json = entryJson(typeName, jobId, stored);
        try {
            return (T) read(json.getBytes(StandardCharsets.UTF_8), as);
        } catch (Throwable e) { // as above
            throw failure(
                    "A log entry of job " + jobId + " of type " + typeName + " cannot be read as " + as.getName()
                            + ": ",
                    e,
                    ". Read it as what it was written as, or look at its JSON.");
        }
    }

    /** {@return the data} */
    @SuppressWarnings("unchecked") // what a job type calls the type of its data
    public <D> D decode(JobType<D, ?> type, String jobId, byte[] stored) {
        return (D) read("data", type, jobId, stored, type.dataType());
    }

    /** {@return the result} */
    @SuppressWarnings("unchecked") // what a job type calls the type of its result
    public <R> R decodeResult(JobType<?, R> type, String jobId, byte[] stored) {
        return (R) read("result", type, jobId, stored, type.resultType());
    }

    private Object read(String what, JobType<?, ?> type, String jobId, byte[] stored, Type as) {
        byte[] json = cipher.open(data("stored " + what, type.name(), jobId), stored);
        try {
            return read(json, as);
        } catch (Throwable e) { // as above
            throw failure(
                    "The stored " + what + " of job " + jobId + " of type " + type + " cannot be read as "
                            + as.getTypeName() + ": ",
                    e,
                    ". Use the type it was written with, or one that also reads the older form.");
        }
    }

    private Object read(byte[] stored, Type as) throws Exception {
        if (BinaryPayload.is(stored)) {
            RawPayload raw = BinaryPayload.read(stored);
            if (as != RawPayload.class && as != byte[].class) {
                throw new IllegalArgumentException("it is no JSON, but " + raw);
            }
            return as == byte[].class ? raw.toBytes() : raw;
        }
        if (as == RawPayload.class) {
            return RawPayload.json(stored);
        }
        Object value = codec.read(stored, as);
        if (value == null && !isJsonNull(stored)) {
            throw new IllegalArgumentException("the codec has returned null");
        }
        return value;
    }

    /** Of JSON, only null begins with its letter. */
    private static boolean isJsonNull(byte[] json) {
        int at = 0;
        while (at < json.length && (json[at] == ' ' || json[at] == '\t' || json[at] == '\n' || json[at] == '\r')) {
            at++;
        }
        return at < json.length && json[at] == 'n';
    }
}
