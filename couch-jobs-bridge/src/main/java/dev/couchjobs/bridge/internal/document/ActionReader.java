package dev.couchjobs.bridge.internal.document;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/** Reads the action of a step. */
final class ActionReader {
    static final List<String> KINDS = List.of("shell", "http", "java");

    private static final Pattern METHOD = Pattern.compile("[A-Za-z]{1,20}");
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    private ActionReader() {}

    /** {@return the kind of action in a field; {@code otherwise} if the field is absent; empty if it is no kind} */
    static Optional<String> kind(Fields step, String name, String otherwise) {
        if (!step.has(name)) {
            return Optional.of(otherwise);
        }
        Optional<String> kind = step.text(name).map(text -> text.toLowerCase(Locale.ROOT));
        if (kind.isPresent() && !KINDS.contains(kind.get())) {
            step.fault(
                    name,
                    "there is no kind " + ValidationErrors.quote(kind.get()) + ", only " + String.join(", ", KINDS)
                            + step.errors().hint(kind.get(), KINDS));
            return Optional.empty();
        }
        return kind;
    }

    /** {@return the action in a field, if it is present and valid} */
    static Optional<ActionPlan> read(Fields step, String name, String kind) {
        Optional<JsonNode> value = step.value(name);
        if (value.isEmpty()) {
            return Optional.empty();
        }
        if (value.get().isString()) {
            return step.words(name).flatMap(text -> ofText(step, name, kind, text));
        }
        if (!value.get().isObject()) {
            step.illTyped(name, value.get(), "a text or an object");
            return Optional.empty();
        }
        return step.object(name).flatMap(fields -> switch (kind) {
            case "http" -> http(fields);
            case "java" -> java(fields);
            default -> shell(fields);
        });
    }

    private static Optional<ActionPlan> ofText(Fields step, String name, String kind, String text) {
        return switch (kind) {
            case "http" -> {
                String[] parts = BLANKS.split(text.strip(), -1);
                if (parts.length != 2) {
                    step.fault(name, "has to be a method and an address, as in \"POST https://example.org/users\"");
                    yield Optional.empty();
                }
                yield request(step, name, name, parts[0], parts[1], Map.of(), NullNode.getInstance(), Optional.empty());
            }
            case "java" -> Optional.of(new ActionPlan.Java(text, NullNode.getInstance()));
            default -> Optional.of(new ActionPlan.Shell(text, Optional.empty(), Map.of()));
        };
    }

    private static Optional<ActionPlan> shell(Fields fields) {
        fields.only(List.of("command", "directory", "environment"));
        Map<String, String> environment = fields.texts("environment");
        for (String variable : environment.keySet()) {
            if (variable.isEmpty() || variable.indexOf('=') >= 0 || variable.indexOf('\0') >= 0) {
                fields.fault("environment", ValidationErrors.quote(variable) + " cannot be the name of a variable");
            }
        }
        Optional<String> directory = fields.words("directory");
        return !fields.requires("command", "say what to run")
                ? Optional.empty()
                : fields.words("command").map(command -> new ActionPlan.Shell(command, directory, environment));
    }

    private static Optional<ActionPlan> http(Fields fields) {
        fields.only(List.of("method", "url", "headers", "body", "timeout"));
        Map<String, String> headers = fields.texts("headers");
        JsonNode body = json(fields, "body");
        Optional<Duration> timeout = fields.seconds("timeout");
        Optional<String> method = fields.has("method") ? fields.words("method") : Optional.of("GET");
        if (!fields.requires("url", "say where to") || method.isEmpty()) {
            return Optional.empty();
        }
        return fields.words("url")
                .flatMap(url -> request(fields, "method", "url", method.get(), url, headers, body, timeout));
    }

    private static Optional<ActionPlan> request(
            Fields fields,
            String methodField,
            String urlField,
            String method,
            String url,
            Map<String, String> headers,
            JsonNode body,
            Optional<Duration> timeout) {
        if (!METHOD.matcher(method).matches()) {
            fields.fault(methodField, ValidationErrors.quote(method) + " is not a method of HTTP, such as GET or POST");
            return Optional.empty();
        }
        if (!isAddress(url)) {
            fields.fault(
                    urlField,
                    ValidationErrors.quote(url) + " is not an address that begins with http:// or" + " https://");
            return Optional.empty();
        }
        return Optional.of(new ActionPlan.Http(method.toUpperCase(Locale.ROOT), url, headers, body, timeout));
    }

    private static boolean isAddress(String url) {
        try {
            URI address = new URI(url);
            return address.getHost() != null
                    && ("http".equalsIgnoreCase(address.getScheme()) || "https".equalsIgnoreCase(address.getScheme()));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static Optional<ActionPlan> java(Fields fields) {
        fields.only(List.of("handler", "data"));
        JsonNode data = json(fields, "data");
        return !fields.requires("handler", "name a handler that is registered")
                ? Optional.empty()
                : fields.words("handler").map(handler -> new ActionPlan.Java(handler, data));
    }

    private static JsonNode json(Fields fields, String name) {
        return fields.value(name).map(JsonNumbers::canonical).orElse(NullNode.getInstance());
    }
}
