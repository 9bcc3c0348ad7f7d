package dev.couchjobs.bridge.internal.couch;

import java.io.InputStream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** JSON as CouchDB writes it. */
final class Json {
    /** Objects and arrays within each other: code that walks through them does so by nested calls. */
    private static final int DEPTH = 1_000;
    /** Digits of a number: to read one takes time that grows with their square. */
    private static final int DIGITS = 10_000;
    /** Names, values and brackets of one answer: each takes many times the memory of its two bytes. */
    private static final int TOKENS = 1_500_000;

    private static final StreamReadConstraints AS_MUCH_AS_CAN_BE_HELD = StreamReadConstraints.builder()
            .maxNestingDepth(DEPTH)
            .maxNumberLength(DIGITS)
            .maxTokenCount(TOKENS)
            .maxStringLength(Integer.MAX_VALUE)
            .maxNameLength(Integer.MAX_VALUE)
            .build();

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(AS_MUCH_AS_CAN_BE_HELD)
                    .streamWriteConstraints(StreamWriteConstraints.builder()
                            .maxNestingDepth(Integer.MAX_VALUE)
                            .build())
                    .build())
            .build();

    private Json() {}

    /** {@return the value} Fails with an {@link UnreadableException} if there is too much in it. */
    static JsonNode read(InputStream bytes) {
        try {
            return MAPPER.readTree(bytes);
        } catch (StreamConstraintsException e) {
            throw new UnreadableException("What came cannot be read: " + e.getOriginalMessage());
        } catch (JacksonException e) {
            throw new TransientException("What came is not JSON: " + e.getOriginalMessage());
        }
    }

    static ByteChunks write(JsonNode value) {
        ByteChunks byteChunks = new ByteChunks();
        MAPPER.writeValue(byteChunks, value);
        return byteChunks;
    }
}
