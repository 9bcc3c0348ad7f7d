package dev.couchjobs.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The server's OpenAPI document as a page. It knows as much of OpenAPI as that document uses. */
final class ApiPage {
    static final Path SOURCE =
            Path.of("couch-jobs-server/couch-jobs-server/src/main/resources/dev/couchjobs/server/openapi.yaml");
    static final Path PATH = Path.of("api.html");
    static final String TITLE = "HTTP API";

    private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch", "head", "options");

    private record Operation(String method, String path, JsonNode pathItem, JsonNode node) {
        String id() {
            return node.path("operationId").asString();
        }

        String name() {
            return method.toUpperCase(Locale.ROOT) + " " + path;
        }

        boolean hasTag(String tag) {
            return node.path("tags")
                    .valueStream()
                    .anyMatch(each -> each.asString().equals(tag));
        }
    }

    private final JsonNode root;
    private final List<Operation> operations = new ArrayList<>();

    private ApiPage(JsonNode root) {
        this.root = root;
        for (Map.Entry<String, JsonNode> path : root.path("paths").properties()) {
            for (Map.Entry<String, JsonNode> each : path.getValue().properties()) {
                if (METHODS.contains(each.getKey())) {
                    operations.add(new Operation(each.getKey(), path.getKey(), path.getValue(), each.getValue()));
                }
            }
        }
    }

    static ApiPage read(Path file) {
        return new ApiPage(new YAMLMapper().readTree(file));
    }

    void addTo(SearchIndex index) {
        for (Operation operation : operations) {
            String summary = operation.node.path("summary").asString();
            index.add(PATH, operation.id(), TITLE, operation.name(), operation.id() + ": " + summary);
        }
    }

    String html() {
        StringBuilder html = new StringBuilder("<h1>" + TITLE + "</h1>\n");
        html.append(paragraph(root.path("info").path("description").asString()));
        List<String> tags = root.path("tags")
                .valueStream()
                .map(tag -> tag.path("name").asString())
                .toList();
        html.append(tags.stream()
                .map(tag -> Html.link("#" + anchor(tag), tag))
                .collect(Collectors.joining(", ", "<p>", ", " + Html.link("#schemas", "schemas") + "</p>\n")));
        for (String tag : tags) {
            html.append("<h2 id=\"%s\">%s</h2>\n".formatted(Html.escaped(anchor(tag)), Html.escaped(tag)));
            operations.stream().filter(operation -> operation.hasTag(tag)).forEach(each -> html.append(html(each)));
        }
        html.append("<h2 id=\"schemas\">schemas</h2>\n");
        for (Map.Entry<String, JsonNode> schema :
                root.path("components").path("schemas").properties()) {
            String name = Html.escaped(schema.getKey());
            html.append("<h3 id=\"schema-%s\">%s</h3>\n".formatted(name, name));
            html.append("<p>").append(SchemaHtml.of(schema.getValue())).append("</p>\n");
            html.append(SchemaHtml.properties(schema.getValue()));
        }
        return html.toString();
    }

    private String html(Operation operation) {
        StringBuilder html = new StringBuilder();
        html.append("<h3 id=\"%s\">%s</h3>\n".formatted(Html.escaped(operation.id()), Html.code(operation.name())));
        html.append(paragraph(operation.node.path("summary").asString()));
        html.append("<p>")
                .append(Html.code(operation.id()))
                .append(", for the role ")
                .append(Html.code(operation.node.path("x-role").asString()))
                .append("</p>\n<ul>\n");
        List<JsonNode> parameters = new ArrayList<>();
        operation.pathItem.path("parameters").forEach(parameters::add);
        operation.node.path("parameters").forEach(parameters::add);
        parameters.forEach(parameter -> html.append(parameter(resolved(parameter))));
        JsonNode body = operation.node.path("requestBody");
        if (!body.isMissingNode()) {
            html.append(item("body", body.path("required").asBoolean(false), resolved(body)));
        }
        for (Map.Entry<String, JsonNode> reply :
                operation.node.path("responses").properties()) {
            String status = reply.getKey().equals("default") ? "other" : reply.getKey();
            html.append(item(status, false, resolved(reply.getValue())));
        }
        return html.append("</ul>\n").toString();
    }

    private static String parameter(JsonNode parameter) {
        return "<li>%s in the %s%s: %s%s</li>\n"
                .formatted(
                        Html.code(parameter.path("name").asString()),
                        Html.escaped(parameter.path("in").asString()),
                        parameter.path("required").asBoolean(false) ? ", required" : "",
                        SchemaHtml.of(parameter.path("schema")),
                        parameter.has("description")
                                ? " – "
                                        + Html.escaped(
                                                parameter.path("description").asString())
                                : "");
    }

    /** {@return a body or a reply, with the schema of each kind of content} */
    private static String item(String name, boolean required, JsonNode node) {
        StringBuilder html = new StringBuilder("<li>");
        html.append(name.equals("body") ? "body" : Html.code(name)).append(required ? ", required: " : ": ");
        html.append(Html.escaped(node.path("description").asString("")));
        for (Map.Entry<String, JsonNode> content : node.path("content").properties()) {
            JsonNode schema = content.getValue().path("schema");
            html.append(' ').append(Html.code(content.getKey()));
            html.append(' ').append(SchemaHtml.of(schema)).append(SchemaHtml.properties(schema));
        }
        return html.append("</li>\n").toString();
    }

    private JsonNode resolved(JsonNode node) {
        String target = node.path("$ref").asString("");
        return target.isEmpty() ? node : root.at(target.substring(1));
    }

    private static String paragraph(String text) {
        return "<p>" + Html.escaped(text) + "</p>\n";
    }

    private static String anchor(String tag) {
        return "tag-" + tag.replace(' ', '-');
    }
}
