package dev.couchjobs.server;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** The document as a client reads it from a running server. */
final class DocumentedApi {
    private static final String IRI = "urn:document";
    private static final List<String> METHODS = List.of("get", "put", "post", "delete", "patch");

    private final JsonNode document;
    private final SchemaRegistry schemas;

    DocumentedApi(JsonNode document) {
        this.document = document;
        schemas = SchemaRegistry.withDefaultDialect(
                SpecificationVersion.DRAFT_2020_12, builder -> builder.schemas(Map.of(IRI, document.toString())));
    }

    /** An operation of the document. */
    record Operation(String id, String method, String path, JsonNode declaration, List<JsonNode> parameters) {
        boolean takesBody() {
            return declaration.has("requestBody");
        }

        boolean needsBody() {
            return declaration.path("requestBody").path("required").asBoolean(false);
        }

        Stream<JsonNode> query() {
            return parameters.stream()
                    .filter(parameter -> parameter.get("in").stringValue().equals("query"));
        }

        @Override
        public String toString() {
            return id;
        }
    }

    List<Operation> operations() {
        List<Operation> operations = new ArrayList<>();
        document.get("paths").forEachEntry((path, item) -> {
            for (String method : METHODS) {
                if (item.has(method)) {
                    JsonNode declared = item.get(method);
                    List<JsonNode> parameters = new ArrayList<>();
                    item.path("parameters").forEach(parameter -> parameters.add(resolve(parameter)));
                    declared.path("parameters").forEach(parameter -> parameters.add(resolve(parameter)));
                    operations.add(new Operation(
                            declared.get("operationId").stringValue(),
                            method.toUpperCase(Locale.ROOT),
                            path,
                            declared,
                            parameters));
                }
            }
        });
        return operations;
    }

    /** {@return the media types of what an operation replies with} */
    Collection<String> replies(Operation operation) {
        return resolve(operation.declaration().at("/responses/200"))
                .path("content")
                .propertyNames();
    }

    private JsonNode resolve(JsonNode node) {
        return node.has("$ref") ? document.at(node.get("$ref").stringValue().substring(1)) : node;
    }

    /** {@return what is wrong with a reply, by the document} */
    List<String> faults(Operation operation, TestServer.Response response) {
        String status = Integer.toString(response.status());
        JsonNode responses = operation.declaration().get("responses");
        String key = responses.has(status) ? status : "default";
        if (key.equals("default") && response.status() < 400) {
            return List.of("the document has no status " + status);
        }
        String pointer = "/paths/" + operation.path().replace("/", "~1") + "/"
                + operation.method().toLowerCase(Locale.ROOT) + "/responses/" + key;
        JsonNode declared = responses.get(key);
        if (declared.has("$ref")) {
            pointer = declared.get("$ref").stringValue().substring(1);
            declared = resolve(declared);
        }
        if (!declared.has("content")) {
            return response.http().body().length == 0 ? List.of() : List.of("there is a body");
        }
        String type = declared.get("content").propertyNames().iterator().next();
        if (!response.header("Content-Type").equals(type)) {
            return List.of("the content type is " + response.header("Content-Type"));
        }
        Schema schema = schemas.getSchema(
                SchemaLocation.of(IRI + "#" + pointer + "/content/" + type.replace("/", "~1") + "/schema"));
        return schema.validate(response.body()).stream().map(Object::toString).toList();
    }
}
