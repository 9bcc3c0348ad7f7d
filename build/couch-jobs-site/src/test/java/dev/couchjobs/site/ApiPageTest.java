package dev.couchjobs.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a small OpenAPI document. */
class ApiPageTest {
    private static final String DOCUMENT = """
            info: {description: Of things.}
            tags: [{name: things}]
            paths:
              /things/{id}:
                parameters: [{$ref: "#/components/parameters/Id"}]
                put:
                  operationId: putThing
                  summary: Puts a <thing>.
                  tags: [things]
                  x-role: operate
                  requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}
                  responses: {"204": {description: Done.}}
            components:
              parameters:
                Id: {name: id, in: path, required: true, description: Its id., schema: {type: string, maxLength: 9}}
              schemas:
                Thing:
                  type: object
                  required: [size]
                  properties:
                    size: {type: [integer, "null"], minimum: 1, description: In bytes.}
                    parts: {type: array, items: {type: object, properties: {kind: {enum: [one, two]}}}}
            """;

    @TempDir
    Path directory;

    @Test
    void operationsAndSchemasAreTold() throws IOException {
        Path file = Files.writeString(directory.resolve("openapi.yaml"), DOCUMENT);
        String text =
                ApiPage.read(file).html().replaceAll("</?(code|p|ul)>", "").replaceAll("\\s+", " ");
        assertThat(text)
                .containsSubsequence(
                        "<h2 id=\"tag-things\">things</h2>",
                        "<h3 id=\"putThing\">PUT /things/{id}</h3>",
                        "Puts a &lt;thing&gt;.",
                        "putThing, for the role operate",
                        "<li>id in the path, required: string (maxLength 9) – Its id.</li>",
                        "<li>body, required: application/json <a href=\"#schema-Thing\">Thing</a></li>",
                        "<li>204: Done.</li>",
                        "<h3 id=\"schema-Thing\">Thing</h3>",
                        "<li>size, required: integer or null (minimum 1) – In bytes.</li>",
                        "<li>parts: array of object <li>kind: one of one, two</li>");
    }
}
