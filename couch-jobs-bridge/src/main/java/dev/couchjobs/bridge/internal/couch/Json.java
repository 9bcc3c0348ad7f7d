package dev.couchjobs.bridge.internal.couch;

import java.io.InputStream;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the JSON of CouchDB. */
final class Json {
    /** The limit of nested objects and arrays, which code visits recursively. */
    private static final int DEPTH = 1_000;
    /** The limit of digits of a number: parsing takes time that grows with their square. */
    private static final int DIGITS = 10_000;
    /** The limit of names, values and brackets in an answer: each takes many times the memory of its two bytes. */
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

    /** {@return the value} Throws an {@link UnreadableException} if it exceeds a limit. */
    static JsonNode read(InputStream bytes) {
        try {
            return MAPPER.readTree(bytes);
        } catch (StreamConstraintsException e) {
            throw new UnreadableException("The answer cannot be read: " + e.getOriginalMessage());
        } catch (JacksonException e) {
            throw new TransientException("The answer is not JSON: " + e.getOriginalMessage());
        }
    }

    static ByteChunks write(JsonNode value) {
        ByteChunks byteChunks = new ByteChunks();
        MAPPER.writeValue(byteChunks, value);
        return byteChunks;
    }
}
