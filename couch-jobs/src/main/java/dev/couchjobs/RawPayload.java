package dev.couchjobs;

import dev.couchjobs.internal.views.JsonCheck;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A payload as bytes: JSON that is passed on as it is written, or any other content with its media type. As the type of
 * a job's data or result it bypasses the {@link JsonCodec}, and the library stores and returns the same bytes:
 *
 * <pre>{@code
 * JobType<RawPayload, RawPayload> type = JobType.of("scan", RawPayload.class, RawPayload.class);
 * jobs.add(db, NewJob.of(type, RawPayload.of("image/png", bytes)));
 * jobs.add(db, NewJob.of(type, RawPayload.json("{\"amount\": 0.12345678901234567890}")));
 * }</pre>
 *
 * <p>A type whose data is {@code byte[]} stores the bytes as {@code application/octet-stream}.
 *
 * <p>Log entries and checkpoints can be JSON as it is written, and no other content. JSON is within the limits that
 * {@code docs/payloads.md} lists, so that programs in other languages can read it.
 *
 * <p>Immutable. Two payloads are equal if their media types and bytes are.
 */
public final class RawPayload {
    /** The media type of JSON. */
    public static final String JSON = "application/json";

    /** The media type of bytes of which no more is known. */
    public static final String BYTES = "application/octet-stream";

    /** A type, a subtype and parameters, as in the header of a message (RFC 9110, section 8.3.1). */
    private static final Pattern MEDIA_TYPE = Pattern.compile("[!-~&&[^/;,]]+/[!-~&&[^/;,]]+(;[ -~]*)?");

    private static final int MEDIA_TYPE_LENGTH_MAX = 200;

    private final String mediaType;
    private final byte[] bytes;

    private RawPayload(String mediaType, byte[] bytes) {
        this.mediaType = mediaType;
        this.bytes = bytes;
    }

    /**
     * Makes a payload of a JSON text.
     *
     * @param text the text
     * @return the payload
     * @throws IllegalArgumentException if it is not JSON, or exceeds a limit; the message says which
     */
    public static RawPayload json(String text) {
        return checked(JsonCheck.encode(Objects.requireNonNull(text, "text")));
    }

    /**
     * Makes a payload of a JSON text.
     *
     * @param utf8 the text in UTF-8, which is copied
     * @return the payload
     * @throws IllegalArgumentException if it is not JSON in UTF-8, or exceeds a limit; the message says which
     */
    public static RawPayload json(byte[] utf8) {
        return checked(utf8.clone());
    }

    /**
     * Makes a payload of any bytes.
     *
     * @param mediaType what they are, such as {@code image/png}: at most 200 characters; with {@link #JSON} the payload
     *     is the same as that of {@link #json(byte[])}
     * @param bytes the bytes, which are copied
     * @return the payload
     * @throws IllegalArgumentException if the media type is none, or the bytes are said to be JSON and are not
     */
    public static RawPayload of(String mediaType, byte[] bytes) {
        if (mediaType.equals(JSON)) {
            return json(bytes);
        }
        if (mediaType.length() > MEDIA_TYPE_LENGTH_MAX
                || !MEDIA_TYPE.matcher(mediaType).matches()) {
            throw new IllegalArgumentException("A media type is a type and a subtype, such as image/png, of at most "
                    + MEDIA_TYPE_LENGTH_MAX + " characters; it is not \"" + mediaType + "\".");
        }
        return new RawPayload(mediaType, bytes.clone());
    }

    private static RawPayload checked(byte[] utf8) {
        JsonCheck.check(utf8);
        return new RawPayload(JSON, utf8);
    }

    /** {@return what the bytes are: {@link #JSON}, or the type that they were stored with} */
    public String mediaType() {
        return mediaType;
    }

    /** {@return whether the bytes are a JSON text in UTF-8} */
    public boolean isJson() {
        return mediaType.equals(JSON);
    }

    /** {@return how many bytes it has} */
    public int size() {
        return bytes.length;
    }

    /** {@return a copy of the bytes} */
    public byte[] toBytes() {
        return bytes.clone();
    }

    /** {@return the text of JSON; of other content its media type and size} */
    @Override
    public String toString() {
        return isJson() ? new String(bytes, StandardCharsets.UTF_8) : bytes.length + " bytes of " + mediaType;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RawPayload payload
                && mediaType.equals(payload.mediaType)
                && Arrays.equals(bytes, payload.bytes);
    }

    @Override
    public int hashCode() {
        return 31 * mediaType.hashCode() + Arrays.hashCode(bytes);
    }
}
