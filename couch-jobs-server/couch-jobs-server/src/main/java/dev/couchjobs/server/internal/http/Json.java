package dev.couchjobs.server.internal.http;

import dev.couchjobs.RawPayload;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.POJONode;

/** JSON as the API reads and writes it: numbers keep their digits, and a name occurs once in an object. */
public final class Json {
    private static final int DEPTH_MAX = 500;
    private static final int DECODED_AT_ONCE = 8 * 1024;

    /** {@code ('x' (code 120))}, {@code ((CTRL-CHAR, code 10))}. */
    private static final Pattern CODES = Pattern.compile("\\(\\(?('.+'|CTRL-CHAR),? \\(?code [^)]*\\)\\)?");

    private static final Pattern NOTES =
            Pattern.compile(" ?\\((start marker at|enable|code|for type|of type)[^()]*(\\([^()]*\\)[^()]*)*\\)");

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH_MAX)
                            .build())
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private Json() {}

    public static byte[] write(JsonNode node) {
        return MAPPER.writeValueAsBytes(node);
    }

    /**
     * {@return JSON in one line} Payloads may have line ends, between their tokens only: a space there means the same.
     */
    public static byte[] writeLine(JsonNode node) {
        byte[] text = write(node);
        for (int i = 0; i < text.length; i++) {
            if (text[i] == '\n' || text[i] == '\r') {
                text[i] = ' ';
            }
        }
        return text;
    }

    /**
     * {@return a text as JSON}
     *
     * @throws ProblemException if the text is not JSON
     */
    public static JsonNode read(byte[] text) {
        return read(text, PayloadPlaces.NONE);
    }

    /**
     * {@return a text as JSON, in which payloads are kept as they are written}
     *
     * @throws ProblemException if the text is not JSON
     */
    public static JsonNode read(byte[] text, PayloadPlaces places) {
        return read(text, places, false);
    }

    /**
     * {@return JSON that this class has written, in which payloads are kept with the space around them}
     *
     * @throws ProblemException if the text is not JSON
     */
    public static JsonNode readWritten(byte[] text, PayloadPlaces places) {
        return read(text, places, true);
    }

    private static JsonNode read(byte[] text, PayloadPlaces places, boolean isWritten) {
        requireUtf8(text);
        try {
            return places.isNone() ? MAPPER.readTree(text) : new PayloadReader(MAPPER, text, isWritten).read(places);
        } catch (JacksonException e) {
            throw new ProblemException(Problem.of(400, "malformed-json", "The body is not JSON.")
                    .detail(plain(e) + place(e.getLocation()) + "."));
        }
    }

    /**
     * JSON that systems exchange is in UTF-8 (RFC 8259, section 8.1). Jackson also takes UTF-16 and UTF-32, which have
     * bytes of zero where JSON has none, and sequences that are longer than they need to be. It ignores a byte order
     * mark in UTF-8, as the RFC allows.
     */
    private static void requireUtf8(byte[] text) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer rest = ByteBuffer.wrap(text);
        CharBuffer characters = CharBuffer.allocate(DECODED_AT_ONCE);
        CoderResult result = CoderResult.OVERFLOW;
        boolean hasZero = false;
        while (result.isOverflow() && !hasZero) {
            characters.clear();
            result = decoder.decode(rest, characters, true);
            hasZero = characters.flip().chars().anyMatch(character -> character == 0);
        }
        if (hasZero || result.isError()) {
            throw new ProblemException(Problem.of(400, "not-utf-8", "The body is not in UTF-8.")
                    .detail("JSON is sent in UTF-8: "
                            + (hasZero ? "it contains no byte of zero." : "byte " + rest.position() + " is not.")));
        }
    }

    /** What callers need not know: Jackson's classes, settings and character codes. */
    private static String plain(JacksonException error) {
        String message = error.getOriginalMessage();
        if (error instanceof StreamConstraintsException) {
            return tooLarge(message);
        }
        if (error instanceof UnexpectedEndOfInputException) {
            return "It ends too early";
        }
        if (message.startsWith("Trailing token")) {
            return "There is more behind its end";
        }
        return NOTES.matcher(CODES.matcher(message).replaceAll("$1")).replaceAll("");
    }

    private static String tooLarge(String message) {
        if (message.startsWith("Document nesting depth")) {
            return "It is nested deeper than " + DEPTH_MAX + " levels";
        }
        return message.startsWith("Number")
                ? "A number in it has more than 1,000 characters; write it as a text"
                : "A name in it is longer than 50,000 bytes in UTF-8";
    }

    private static String place(@Nullable TokenStreamLocation location) {
        return location == null ? "" : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
    }

    /**
     * {@return a payload within a tree, which is written as it is}
     *
     * @param payload JSON: other bytes are beside their media type in a tree
     */
    public static JsonNode of(RawPayload payload) {
        if (!payload.isJson()) {
            throw new IllegalArgumentException("This is no JSON: " + payload + ".");
        }
        return JsonNodeFactory.instance.pojoNode(new HeldPayload(payload));
    }

    /**
     * {@return a payload}
     *
     * @throws IllegalArgumentException if it exceeds a limit of payloads
     */
    public static RawPayload payload(JsonNode node) {
        return node instanceof POJONode holder && holder.getPojo() instanceof HeldPayload held
                ? held.payload()
                : RawPayload.json(write(node));
    }

    /** {@return bytes as a payload; empty if they are no JSON} */
    public static Optional<RawPayload> payloadIfJson(byte[] bytes) {
        try {
            return Optional.of(RawPayload.json(bytes));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** {@return a payload as JSON} */
    public static JsonNode parsed(RawPayload payload) {
        return MAPPER.readTree(payload.toBytes());
    }
}
