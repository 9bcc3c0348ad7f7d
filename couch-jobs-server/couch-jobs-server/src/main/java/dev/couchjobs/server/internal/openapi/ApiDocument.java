package dev.couchjobs.server.internal.openapi;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.dialect.Dialects;
import com.networknt.schema.keyword.AnnotationKeyword;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.http.PayloadPlaces;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The OpenAPI document. It is the only place that says which paths there are, what they take and who may call them: the
 * server routes by it and checks requests with its schemas, so that it cannot differ from what the server does.
 */
public final class ApiDocument {
    private static final String RESOURCE = "/dev/couchjobs/server/openapi.yaml";
    private static final String IRI = "urn:couch-jobs:openapi";
    private static final String PAYLOAD = "x-payload";
    private static final List<String> METHODS = List.of("get", "put", "post", "delete", "patch");

    private final JsonNode document;
    private final String json;
    private final SchemaRegistry schemas;
    private final Map<String, ApiOperation> operations = new LinkedHashMap<>();

    private ApiDocument(String yaml) {
        document = new YAMLMapper().readTree(yaml);
        json = document.toString();
        schemas = SchemaRegistry.withDefaultDialect(
                Dialect.builder(Dialects.getDraft202012())
                        .keyword(new AnnotationKeyword(PAYLOAD))
                        .build(),
                registry -> registry.schemas(Map.of(IRI, json)));
        document.get("paths").forEachEntry(this::readPath);
    }

    /** Read when it is first used, and once: that is a third of the start of a server. */
    private static final class Loaded {
        static final ApiDocument DOCUMENT = load();
    }

    /** {@return the document of this server} */
    public static ApiDocument get() {
        return Loaded.DOCUMENT;
    }

    private static ApiDocument load() {
        try (InputStream in = ApiDocument.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(RESOURCE + " is missing: the library is not complete.");
            }
            return new ApiDocument(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the document as JSON} */
    public String json() {
        return json;
    }

    /** {@return the operations by their ids} */
    public Map<String, ApiOperation> operations() {
        return operations;
    }

    private void readPath(String path, JsonNode item) {
        for (String method : METHODS) {
            if (item.has(method)) {
                ApiOperation operation = operation(path, method, item);
                if (operations.put(operation.id(), operation) != null) {
                    throw new IllegalStateException("Two operations are called " + operation.id() + ".");
                }
            }
        }
    }

    private ApiOperation operation(String path, String method, JsonNode item) {
        JsonNode operation = item.get(method);
        String at = "/paths/" + escape(path) + "/" + method;
        Map<String, Parameter> parameters = new LinkedHashMap<>();
        addParameters(parameters, item.path("parameters"), "/paths/" + escape(path) + "/parameters");
        addParameters(parameters, operation.path("parameters"), at + "/parameters");
        String bodySchema = at + "/requestBody/content/" + escape("application/json") + "/schema";
        Optional<Supplier<Schema>> body =
                operation.has("requestBody") ? Optional.of(schema(bodySchema)) : Optional.empty();
        return new ApiOperation(
                operation.get("operationId").stringValue(),
                method.toUpperCase(Locale.ROOT),
                path,
                Optional.ofNullable(operation.get("x-role"))
                        .map(role -> Role.valueOf(role.stringValue().toUpperCase(Locale.ROOT))),
                operation.path("x-any-type").asBoolean(false),
                Optional.ofNullable(operation.get("x-resource")).map(JsonNode::stringValue),
                parameters,
                body,
                payloads(document.at(bodySchema)),
                operation.at("/requestBody/content").has("application/octet-stream"),
                operation.path("requestBody").path("required").asBoolean(false));
    }

    /** {@return where payloads stand in a value of a schema, which marks them by {@code x-payload}} */
    private PayloadPlaces payloads(JsonNode schema) {
        if (schema.path(PAYLOAD).asBoolean(false)) {
            return PayloadPlaces.WHOLE;
        }
        if (schema.has("$ref")) {
            return payloads(document.at(schema.get("$ref").stringValue().substring(1)));
        }
        Map<String, PayloadPlaces> properties = new LinkedHashMap<>();
        schema.path("allOf").forEach(part -> properties.putAll(payloads(part).properties()));
        schema.path("properties").forEachEntry((name, property) -> properties.put(name, payloads(property)));
        properties.values().removeIf(PayloadPlaces::isNone);
        Optional<PayloadPlaces> items = schema.has("items")
                ? Optional.of(payloads(schema.get("items"))).filter(places -> !places.isNone())
                : Optional.empty();
        return new PayloadPlaces(false, properties, items);
    }

    private void addParameters(Map<String, Parameter> to, JsonNode list, String at) {
        List<JsonNode> declared = new ArrayList<>();
        list.forEach(declared::add);
        for (int i = 0; i < declared.size(); i++) {
            String place = at + "/" + i;
            JsonNode parameter = declared.get(i);
            if (parameter.has("$ref")) {
                place = parameter.get("$ref").stringValue().substring(1);
                parameter = document.at(place);
            }
            String name = parameter.get("name").stringValue();
            JsonNode schema = parameter.get("schema");
            to.put(
                    name,
                    new Parameter(
                            name,
                            parameter.get("in").stringValue(),
                            parameter.path("required").asBoolean(false),
                            schema.path("type").asString("string"),
                            schema(place + "/schema")));
        }
    }

    /** {@return the names that an object may have, by the schema at a pointer} */
    Set<String> propertyNames(String pointer) {
        Set<String> names = new TreeSet<>();
        JsonNode schema = document.at(pointer);
        schema.path("properties").propertyNames().forEach(names::add);
        schema.path("allOf")
                .forEach(part -> names.addAll(
                        propertyNames(part.get("$ref").stringValue().substring(1))));
        return names;
    }

    /** {@return the fields of which an object has one, by the schema at a pointer, or several together} */
    List<String> alternatives(String pointer) {
        List<String> alternatives = new ArrayList<>();
        document.at(pointer + "/oneOf").forEach(alternative -> {
            List<String> names = new ArrayList<>();
            alternative.path("required").forEach(name -> names.add(name.stringValue()));
            alternatives.add(String.join(" with ", names));
        });
        return alternatives;
    }

    /** {@return a value that the schema at a pointer takes, if it has an example} */
    Optional<String> example(String pointer) {
        JsonNode example = document.at(pointer).path("examples").path(0);
        return example.isMissingNode() ? Optional.empty() : Optional.of(example.asString());
    }

    /**
     * {@return the schema at a pointer, made when it is first used: a command uses few of them}
     *
     * <p>The lock is that of all schemas, as they share parts.
     */
    private Supplier<Schema> schema(String pointer) {
        return new Supplier<>() {
            private @Nullable Schema made;

            @Override
            public Schema get() {
                synchronized (schemas) {
                    if (made == null) {
                        made = schemas.getSchema(SchemaLocation.of(IRI + "#" + pointer));
                    }
                    return made;
                }
            }
        };
    }

    private static String escape(String segment) {
        return segment.replace("~", "~0").replace("/", "~1");
    }

    /**
     * Compares the document with the code.
     *
     * @throws IllegalStateException if an operation has no code, or code belongs to no operation
     */
    public void requireBound(Set<String> bound) {
        Set<String> missing = new TreeSet<>(operations.keySet());
        missing.removeAll(bound);
        Set<String> unknown = new TreeSet<>(bound);
        unknown.removeAll(operations.keySet());
        if (!missing.isEmpty() || !unknown.isEmpty()) {
            throw new IllegalStateException(
                    "Operations without code: " + missing + "; code without an operation: " + unknown + ".");
        }
    }
}
