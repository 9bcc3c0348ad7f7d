package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** No two texts that a client writes differently in an address are the same for the server. */
@Timeout(120)
class QueryEncodingTest {
    /** Bytes that are no UTF-8, and what is no byte. */
    private static final List<String> MALFORMED = List.of(
            "%FF",
            "%FE",
            "a%FFb",
            "%C0%AF",
            "%C0%80",
            "%C1%BF",
            "%E0%80%AF",
            "%F0%80%80%80",
            "%ED%A0%80",
            "%ED%BF%BF",
            "%ED%A0%BD%ED%B8%80",
            "%F4%90%80%80",
            "%F8%88%80%80%AF",
            "%80",
            "%C3",
            "%C3%28",
            "%E2%82",
            "%F0%9F%98",
            "%C3%C3%BC",
            "%",
            "%4",
            "%zz",
            "%+1",
            "%-1",
            "%%41");

    /** Bytes that a client has not encoded. */
    private static final List<String> RAW = List.of("\u00FF", "\u00FE", "\u00C0\u00AF", "\u00ED\u00A0\u0080", "\u00C3");

    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    /** {@return each place in the query of an operation: values, a value given again, and names} */
    private static List<String> queries(DocumentedApi.Operation operation, String text) {
        List<String> queries = new ArrayList<>();
        for (JsonNode parameter : operation.query().toList()) {
            String name = parameter.get("name").stringValue();
            queries.add(name + "=" + text);
            queries.add(name + "=1&" + name + "=" + text);
            queries.add(name + text + "=1");
        }
        queries.add(text);
        queries.add(text + "=1");
        queries.add("unknown=" + text);
        return queries;
    }

    private String send(RawClient client, String method, String target) throws IOException {
        client.send(method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n");
        return client.readReply();
    }

    private List<DocumentedApi.Operation> operations() {
        return new DocumentedApi(server.get("/openapi.json").body()).operations();
    }

    private static String path(DocumentedApi.Operation operation) {
        return operation
                .path()
                .replace("{partition}", "0")
                .replace("/tokens/{id}", "/tokens/0123456789abcdef")
                .replaceAll("\\{[^}]*}", "a");
    }

    @Test
    void aQueryThatIsNoUtf8IsRefusedByEachOperation() throws IOException {
        List<String> wrong = new ArrayList<>();
        try (RawClient client = new RawClient(server.uri("/"))) {
            for (DocumentedApi.Operation operation : operations()) {
                for (String text : operation.query().findAny().isEmpty() ? MALFORMED.subList(0, 1) : MALFORMED) {
                    for (String query : queries(operation, text)) {
                        String reply = send(client, operation.method(), path(operation) + "?" + query);
                        if (!reply.startsWith("HTTP/1.1 400 ") || !reply.contains("malformed-query")) {
                            wrong.add(operation + "?" + query + ": "
                                    + reply.lines().findFirst());
                        }
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void bytesThatAreNotEncodedAreNotGuessed() throws IOException {
        for (String raw : RAW) {
            try (RawClient client = new RawClient(server.uri("/"))) {
                assertThat(send(client, "GET", "/v1/types/a/jobs?tag=" + raw))
                        .as(raw)
                        .startsWith("HTTP/1.1 400 ");
            }
        }
    }

    @Test
    void aPathThatIsNoUtf8IsRefused() throws IOException {
        for (String text : MALFORMED) {
            try (RawClient client = new RawClient(server.uri("/"))) {
                assertThat(send(client, "GET", "/v1/types/a/jobs/" + text))
                        .as(text)
                        .startsWith("HTTP/1.1 400 ");
            }
        }
    }

    @Test
    void whateverUtf8HasIsTheTextThatItIs() {
        List<String> encoded = List.of(
                "%C3%BC",
                "%E2%82%AC", "%F0%9F%98%80", "%EF%BF%BD", "%F4%8F%BF%BF", "a+b", "a%2Bb", "%00", "%2525", "=a");
        List<String> ids = new ArrayList<>();
        for (String id : encoded) {
            TestServer.Response added = server.send(HttpRequest.newBuilder(server.uri("/v1/types/a/jobs?id=" + id))
                    .header("Content-Type", "image/png")
                    .POST(HttpRequest.BodyPublishers.ofString("x"))
                    .build());
            ids.add(added.status() == 201 ? added.body().get("id").stringValue() : added.problem());
        }
        assertThat(ids.subList(0, 7)).containsExactly("ü", "€", "😀", "\uFFFD", "\uDBFF\uDFFF", "a b", "a+b");
        assertThat(ids.subList(8, 10)).containsExactly("%25", "=a");
    }
}
