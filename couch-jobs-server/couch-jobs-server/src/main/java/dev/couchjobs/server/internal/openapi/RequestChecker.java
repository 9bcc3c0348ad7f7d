package dev.couchjobs.server.internal.openapi;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import dev.couchjobs.server.internal.http.EditDistance;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.Problem.FieldError;
import dev.couchjobs.server.internal.http.ProblemException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.exc.JsonNodeException;

/** Checks what a request brings against the document, and says of everything wrong what to do. */
public final class RequestChecker {
    private static final int ERRORS_MAX = 20;
    private static final Pattern ALTERNATIVE = Pattern.compile("/oneOf/\\d+$");

    private final ApiDocument document;

    public RequestChecker(ApiDocument document) {
        this.document = document;
    }

    /**
     * {@return the values of the query, of the types that the document gives them}
     *
     * @param query the first value of each name, as text
     * @throws ProblemException if a value is wrong, a name is unknown or a required one is missing
     */
    public Map<String, JsonNode> query(ApiOperation operation, Map<String, String> query) {
        List<FieldError> errors = new ArrayList<>();
        Map<String, JsonNode> values = new LinkedHashMap<>();
        query.forEach((name, text) -> {
            Parameter parameter = operation.parameters().get(name);
            if (parameter == null || !parameter.in().equals("query")) {
                errors.add(new FieldError(name, "is not known" + suggestion(name, operation.queryNames())));
                return;
            }
            JsonNode value = parameter.parse(text);
            check(parameter.schema().get(), value, name, errors);
            values.put(name, value);
        });
        operation.parameters().values().stream()
                .filter(parameter -> parameter.in().equals("query") && parameter.isRequired())
                .filter(parameter -> !query.containsKey(parameter.name()))
                .forEach(parameter -> errors.add(new FieldError(parameter.name(), "is missing")));
        fail(errors, "invalid-parameter", "A parameter is wrong.");
        return values;
    }

    /**
     * Checks the parameters in the path.
     *
     * @throws ProblemException if one is wrong
     */
    public void path(ApiOperation operation, Map<String, String> path) {
        List<FieldError> errors = new ArrayList<>();
        path.forEach((name, text) -> {
            Parameter parameter = operation.parameters().get(name);
            if (parameter != null) {
                check(parameter.schema().get(), parameter.parse(text), name, errors);
            }
        });
        fail(errors, "invalid-parameter", "A part of the path is wrong.");
    }

    /**
     * Checks the headers that the operation declares.
     *
     * @param header the value of a header, if it is there
     * @throws ProblemException if one is wrong
     */
    public void headers(ApiOperation operation, Function<String, Optional<String>> header) {
        List<FieldError> errors = new ArrayList<>();
        operation.parameters().values().stream()
                .filter(parameter -> parameter.in().equals("header"))
                .forEach(parameter -> header.apply(parameter.name())
                        .ifPresent(text ->
                                check(parameter.schema().get(), parameter.parse(text), parameter.name(), errors)));
        fail(errors, "invalid-parameter", "A header is wrong.");
    }

    /**
     * Checks the body.
     *
     * @throws ProblemException if it is wrong
     */
    public void body(ApiOperation operation, JsonNode body) {
        if (body.isMissingNode()) {
            if (operation.isBodyRequired()) {
                throw new ProblemException(Problem.of(400, "body-missing", "The request needs a body.")
                        .detail("Send JSON: " + operation.method() + " " + operation.path()
                                + " in /openapi.json says what."));
            }
            return;
        }
        List<FieldError> errors = new ArrayList<>();
        operation.body().ifPresent(schema -> check(schema.get(), body, "", errors));
        fail(errors, "invalid-body", "The body is not what the operation takes.");
    }

    private static void fail(List<FieldError> errors, String code, String title) {
        if (!errors.isEmpty()) {
            List<FieldError> first = errors.subList(0, Math.min(ERRORS_MAX, errors.size()));
            throw new ProblemException(Problem.of(400, code, title)
                    .detail(subject(first.get(0)) + " " + first.get(0).detail() + ".")
                    .errors(first));
        }
    }

    private static String subject(FieldError error) {
        return error.pointer().isEmpty() ? "The body" : error.pointer();
    }

    private void check(Schema schema, JsonNode value, String prefix, List<FieldError> errors) {
        for (Error error : errorsOf(schema, value, prefix, errors)) {
            String pointer = prefix + error.getInstanceLocation();
            String parent = parent(error);
            if (ALTERNATIVE.matcher(parent).find()) {
                continue; // the error of the alternatives together says it
            }
            if (error.getKeyword().equals("additionalProperties")
                    || error.getKeyword().equals("unevaluatedProperties")) {
                unknown(
                        pointer + "/" + error.getProperty(),
                        error.getProperty(),
                        document.propertyNames(parent),
                        errors);
            } else {
                String missing = error.getKeyword().equals("required") ? "/" + error.getProperty() : "";
                errors.add(new FieldError(
                        pointer + missing,
                        ErrorText.of(error, document.example(parent), document.alternatives(parent))));
            }
        }
    }

    /** Of an object with a wrong field the validator takes the other fields for unknown, too. */
    private static void unknown(String pointer, String name, Collection<String> known, List<FieldError> errors) {
        if (!known.contains(name)) {
            errors.add(new FieldError(pointer, "is not known" + suggestion(name, known)));
        }
    }

    /** The library fails on integers of more than 64 bits that are written with an exponent. */
    private static List<Error> errorsOf(Schema schema, JsonNode value, String prefix, List<FieldError> errors) {
        try {
            return schema.validate(value);
        } catch (JsonNodeException e) {
            errors.add(new FieldError(prefix, "has a number that is too large"));
            return List.of();
        }
    }

    /** {@return the place of the schema whose keyword refuses the value} */
    private static String parent(Error error) {
        String keyword = error.getSchemaLocation().getFragment().toString();
        return keyword.substring(0, keyword.lastIndexOf('/'));
    }

    private static String suggestion(String name, Collection<String> known) {
        return known.stream()
                .min(Comparator.comparingInt(candidate -> EditDistance.between(name, candidate)))
                .map(nearest -> "; the nearest that is, is " + nearest)
                .orElse("");
    }
}
