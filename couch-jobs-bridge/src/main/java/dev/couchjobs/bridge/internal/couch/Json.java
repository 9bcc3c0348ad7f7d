package dev.couchjobs.bridge.internal.couch;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** JSON as CouchDB writes it. */
final class Json {
    /**
     * The server limits what a document may be. Limits of our own would make one odd document spoil every batch that it is
     * read in.
     */
    private static final StreamReadConstraints AS_MUCH_AS_THE_SERVER_TAKES = StreamReadConstraints.builder()
            .maxNestingDepth(Integer.MAX_VALUE)
            .maxNumberLength(Integer.MAX_VALUE)
            .maxStringLength(Integer.MAX_VALUE)
            .maxNameLength(Integer.MAX_VALUE)
            .build();

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(AS_MUCH_AS_THE_SERVER_TAKES)
                    .streamWriteConstraints(StreamWriteConstraints.builder()
                            .maxNestingDepth(Integer.MAX_VALUE)
                            .build())
                    .build())
            .build();

    private Json() {}

    /** {@return the value} */
    static JsonNode read(byte[] bytes, int length) {
        try {
            return MAPPER.readTree(bytes, 0, length);
        } catch (JacksonException e) {
            throw new PassingFault("What came is not JSON: " + e.getOriginalMessage());
        }
    }

    static byte[] write(JsonNode value) {
        return MAPPER.writeValueAsBytes(value);
    }
}
