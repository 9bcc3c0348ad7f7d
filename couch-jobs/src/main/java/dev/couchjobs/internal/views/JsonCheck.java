package dev.couchjobs.internal.views;

import com.google.errorprone.annotations.FormatMethod;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;

/**
 * What a payload must be so that the JSON readers of Java, Python and JavaScript take it at their defaults. Every
 * payload passes this check before it is stored. {@code docs/payloads.md} has the table.
 */
public final class JsonCheck {
    /** Jackson reads 500 levels; replies of the server put a payload into others. */
    static final int DEPTH_MAX = 400;

    /** In characters, as Jackson's default. */
    static final int NUMBER_LENGTH_MAX = 1_000;

    /** Of a number, positive or negative: Java expands a number with a larger one into as many digits. */
    static final int EXPONENT_MAX = 9_999;

    /** In bytes of UTF-8: Jackson's default counts these in bytes, and UTF-16 units, which are fewer, in a text. */
    static final int NAME_BYTES_MAX = 50_000;

    private static final String HALF_PAIR =
            "%s contains half of a surrogate pair, which is no character and cannot be written in UTF-8";

    private static final int CHARS = 8_192;

    /** No limits of Jackson's: those above are the only ones, and have better messages. */
    static final StreamReadConstraints UNLIMITED = StreamReadConstraints.builder()
            .maxNestingDepth(Integer.MAX_VALUE)
            .maxNumberLength(Integer.MAX_VALUE)
            .maxNameLength(Integer.MAX_VALUE)
            .maxStringLength(Integer.MAX_VALUE)
            .build();

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(UNLIMITED)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private JsonCheck() {}

    /**
     * {@return a text in UTF-8}
     *
     * @throws IllegalArgumentException if it contains half of a surrogate pair
     */
    public static byte[] encode(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] utf8 = new byte[bytes.remaining()];
            bytes.get(utf8);
            return utf8;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(String.format(HALF_PAIR, "the text"), e);
        }
    }

    /**
     * Checks a text.
     *
     * @throws IllegalArgumentException if it is not JSON in UTF-8, or exceeds a limit
     */
    public static void check(byte[] json) {
        requireUtf8(json);
        boolean hasEscapes = hasEscapedSurrogate(json);
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), json)) {
            if (parser.nextToken() == null) {
                throw new IllegalArgumentException("it is empty");
            }
            int depth = 0;
            do {
                JsonToken token = parser.currentToken();
                if (token.isStructStart()) {
                    depth++;
                    require(depth <= DEPTH_MAX, "it is nested deeper than %,d levels", DEPTH_MAX);
                } else if (token.isStructEnd()) {
                    depth--;
                } else {
                    checkScalar(parser, token, hasEscapes);
                }
            } while (parser.nextToken() != null && depth > 0);
            require(parser.currentToken() == null, "more follows its end");
        } catch (StreamReadException e) {
            throw new IllegalArgumentException("it is not JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static void checkScalar(JsonParser parser, JsonToken token, boolean hasEscapes) throws JacksonException {
        switch (token) {
            case PROPERTY_NAME -> {
                String name = parser.currentName();
                require(!hasEscapes || hasWholePairs(name), HALF_PAIR, "a name in it");
                require(
                        utf8Length(name) <= NAME_BYTES_MAX,
                        "a name in it is longer than %,d bytes in UTF-8",
                        NAME_BYTES_MAX);
            }
            case VALUE_STRING -> {
                // Without escapes the text is as valid as its bytes; asking for its length reads it to its end.
                require(!hasEscapes || hasWholePairs(parser.getString()), HALF_PAIR, "a text in it");
                parser.finishToken();
            }
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
                require(
                        parser.getStringLength() <= NUMBER_LENGTH_MAX,
                        "a number in it has more than %,d characters; write it as a text",
                        NUMBER_LENGTH_MAX);
                require(
                        token == JsonToken.VALUE_NUMBER_INT || hasSmallExponent(parser.getString()),
                        "a number in it has an exponent beyond %,d; write it as a text",
                        EXPONENT_MAX);
            }
            default -> {}
        }
    }

    @FormatMethod
    private static void require(boolean holds, String reason, Object... limit) {
        if (!holds) {
            throw new IllegalArgumentException(String.format(reason, limit));
        }
    }

    /** {@return the length of a text of whole pairs in UTF-8} */
    private static int utf8Length(String text) {
        int length = text.length();
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            // A pair has two units and four bytes.
            length += unit < 0x80 ? 0 : unit < 0x800 || Character.isSurrogate(unit) ? 1 : 2;
        }
        return length;
    }

    private static boolean hasSmallExponent(String number) {
        int at = Math.max(number.indexOf('e'), number.indexOf('E'));
        if (at < 0) {
            return true;
        }
        int exponent = 0;
        for (int i = at + 1; i < number.length() && exponent <= EXPONENT_MAX; i++) {
            char digit = number.charAt(i);
            if (digit != '+' && digit != '-') {
                exponent = exponent * 10 + (digit - '0');
            }
        }
        return exponent <= EXPONENT_MAX;
    }

    private static boolean hasWholePairs(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                boolean isPair = Character.isHighSurrogate(text.charAt(i))
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!isPair) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    /** Jackson takes overlong forms and surrogates for characters. */
    private static void requireUtf8(byte[] json) {
        if (isAscii(json)) {
            return;
        }
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder(); // reports what is malformed
        ByteBuffer in = ByteBuffer.wrap(json);
        CharBuffer out = CharBuffer.allocate(Math.min(CHARS, json.length + 1));
        CoderResult result;
        do {
            out.clear();
            result = decoder.decode(in, out, true);
        } while (result.isOverflow());
        require(!result.isError(), "it is not UTF-8: the byte at %,d begins no character", in.position());
        require(
                json.length == 0 || json[0] != (byte) 0xEF || json[1] != (byte) 0xBB,
                "it begins with a byte order mark");
    }

    private static boolean isAscii(byte[] json) {
        for (byte each : json) {
            if (each < 0) {
                return false;
            }
        }
        return true;
    }

    /** {@return whether a text contains the escape of a surrogate: &#92;uD800 to &#92;uDFFF} */
    private static boolean hasEscapedSurrogate(byte[] json) {
        for (int i = 0; i + 2 < json.length; i++) {
            if (json[i] == '\\' && json[i + 1] == 'u' && (json[i + 2] | 0x20) == 'd') {
                return true;
            }
        }
        return false;
    }
}
