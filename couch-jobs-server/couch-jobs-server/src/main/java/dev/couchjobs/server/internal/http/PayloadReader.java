package dev.couchjobs.server.internal.http;

import dev.couchjobs.RawPayload;
import java.util.Arrays;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/** Reads a text as a tree, in which payloads are not parsed: each is the part of the text that it was. */
final class PayloadReader {
    private final JsonMapper mapper;
    private final byte[] text;
    private final boolean keepsSpace;

    /**
     * Reads a text.
     *
     * @param keepsSpace whether the space around a payload belongs to it, as where nothing else is spaced
     */
    PayloadReader(JsonMapper mapper, byte[] text, boolean keepsSpace) {
        this.mapper = mapper;
        this.text = text;
        this.keepsSpace = keepsSpace;
    }

    JsonNode read(PayloadPlaces places) {
        try (JsonParser parser = mapper.createParser(text)) {
            if (parser.nextToken() == null) {
                return MissingNode.getInstance();
            }
            JsonNode node = node(parser, places);
            if (parser.nextToken() != null) {
                mapper.readTree(text); // fails with the error of what follows
            }
            return node;
        }
    }

    private JsonNode node(JsonParser parser, PayloadPlaces places) {
        JsonToken token = parser.currentToken();
        if (places.isPayload() && token != JsonToken.VALUE_NULL) {
            return payload(parser);
        }
        if (places.isNone() || !token.isStructStart()) {
            return parser.readValueAsTree();
        }
        return token == JsonToken.START_OBJECT ? object(parser, places) : array(parser, places.inItems());
    }

    private ObjectNode object(JsonParser parser, PayloadPlaces places) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            object.set(name, node(parser, places.in(name)));
        }
        return object;
    }

    private ArrayNode array(JsonParser parser, PayloadPlaces places) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(node(parser, places));
        }
        return array;
    }

    private static boolean isSpace(byte letter) {
        return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
    }

    private JsonNode payload(JsonParser parser) {
        int from = (int) parser.currentTokenLocation().getByteOffset();
        parser.skipChildren();
        parser.finishToken();
        int to = (int) parser.currentLocation().getByteOffset();
        while (keepsSpace && from > 0 && isSpace(text[from - 1])) {
            from--;
        }
        while (keepsSpace && to < text.length && isSpace(text[to])) {
            to++;
        }
        try {
            return Json.of(RawPayload.json(Arrays.copyOfRange(text, from, to)));
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Problem.of(422, "payload", "The payload cannot be stored, or read.")
                    .detail("A payload is refused: " + e.getMessage() + "."));
        }
    }
}
