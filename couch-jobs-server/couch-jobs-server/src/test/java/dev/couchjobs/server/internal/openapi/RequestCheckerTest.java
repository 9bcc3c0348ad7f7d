package dev.couchjobs.server.internal.openapi;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.internal.http.Json;
import dev.couchjobs.server.internal.http.Problem.FieldError;
import dev.couchjobs.server.internal.http.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What the checks say of bodies with a mistake. */
class RequestCheckerTest {
    private static final List<String> VALUES =
            List.of("null", "true", "-1", "1e400", "\"\"", "\"nonsense\"", "[]", "[null]", "{}", "{\"nonsense\": 1}");

    private final ApiDocument document = ApiDocument.get();
    private final RequestChecker checker = new RequestChecker(document);
    private final JsonNode json = Json.read(document.json().getBytes(StandardCharsets.UTF_8));

    private static JsonNode body(String text) {
        return Json.read(text.getBytes(StandardCharsets.UTF_8));
    }

    private List<FieldError> errors(ApiOperation operation, String body) {
        try {
            checker.body(operation, body(body));
            return List.of();
        } catch (ProblemException e) {
            return e.problem().errors();
        }
    }

    private Set<String> fields(ApiOperation operation) {
        String at = "/paths/" + operation.path().replace("/", "~1") + "/"
                + operation.method().toLowerCase(Locale.ROOT) + "/requestBody/content/application~1json/schema";
        JsonNode schema = json.at(at);
        return document.propertyNames(
                schema.has("$ref") ? schema.get("$ref").stringValue().substring(1) : at);
    }

    @Test
    void ofABodyWithAMistakeOnlyTheMistakeIsNamedAndInPlainWords() {
        List<String> faults = new ArrayList<>();
        int bodies = 0;
        for (ApiOperation operation : document.operations().values()) {
            if (operation.body().isEmpty()) {
                continue;
            }
            for (String field : fields(operation)) {
                for (String value : VALUES) {
                    String body = "{\"" + field + "\": " + value + ", \"zzz\": 1}";
                    bodies++;
                    for (FieldError error : errors(operation, body)) {
                        boolean isUnknown = error.detail().startsWith("is not known");
                        if (error.detail().matches(".*\\b(schemas?|valid)\\b.*")
                                || (isUnknown && !error.pointer().matches(".*/(zzz|nonsense)"))) {
                            faults.add(operation.id() + " " + body + " " + error);
                        }
                    }
                }
            }
        }
        assertThat(bodies).isGreaterThan(1_000);
        assertThat(faults).isEmpty();
    }

    @Test
    void eachMistakeOfSeveralIsNamed() {
        ApiOperation add = requireNonNull(document.operations().get("addJob"));
        assertThat(errors(add, "{\"data\": 1, \"id\": 5, \"priority\": 3, \"tag\": []}"))
                .containsExactlyInAnyOrder(
                        new FieldError("/id", "has to be a string, and is an integer"),
                        new FieldError("/tag", "is not known; the nearest that is, is tags"));
        assertThat(errors(add, "{\"data\": null}"))
                .containsExactly(new FieldError("/data", "has to be anything but null"));
    }

    @Test
    void whatGoesTogetherIsNamed() {
        ApiOperation put = requireNonNull(document.operations().get("putSchedule"));
        String job = "\"job\": {\"type\": \"a\", \"data\": 1}";
        List<FieldError> expected =
                List.of(new FieldError("", "has to have exactly one of these: cron, every, afterEach"));
        assertThat(errors(put, "{" + job + "}")).isEqualTo(expected);
        assertThat(errors(put, "{" + job + ", \"cron\": \"* * * * *\", \"every\": \"PT1H\"}"))
                .isEqualTo(expected);
    }
}
