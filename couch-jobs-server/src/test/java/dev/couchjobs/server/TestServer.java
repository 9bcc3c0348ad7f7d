package dev.couchjobs.server;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** A server with a database in memory, and a client for it. */
public final class TestServer implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    final Database database;
    final CouchJobs jobs;
    private final JobsServer server;
    private final boolean ownsDatabase;

    TestServer(UnaryOperator<JobsHttp> settings) {
        this(EmbeddedDatabase.openInMemory(), true, settings, ServerOptions.on("127.0.0.1", 0));
    }

    private TestServer(
            Database database, boolean ownsDatabase, UnaryOperator<JobsHttp> settings, ServerOptions options) {
        this.database = database;
        this.ownsDatabase = ownsDatabase;
        jobs = CouchJobs.on(database);
        try {
            server = JobsServer.start(settings.apply(JobsHttp.on(jobs, database)), options);
        } catch (RuntimeException e) {
            jobs.close();
            database.close();
            throw e;
        }
    }

    static TestServer with(UnaryOperator<JobsHttp> settings, UnaryOperator<ServerOptions> options) {
        return on("127.0.0.1", settings, options);
    }

    static TestServer on(String host, UnaryOperator<JobsHttp> settings, UnaryOperator<ServerOptions> options) {
        return new TestServer(
                EmbeddedDatabase.openInMemory(), true, settings, options.apply(ServerOptions.on(host, 0)));
    }

    public static TestServer forEverything() {
        return new TestServer(TestServer::open);
    }

    private static JobsHttp open(JobsHttp http) {
        return http.authenticator(Authenticator.always(Access.of("test", Role.ADMIN)));
    }

    /** {@return a further server with the same database} */
    TestServer another() {
        return new TestServer(database, false, TestServer::open, ServerOptions.on("127.0.0.1", 0));
    }

    /** What a server has replied. */
    public record Response(int status, HttpResponse<byte[]> http, JsonNode body) {
        public String header(String name) {
            return http.headers().firstValue(name).orElse("");
        }

        /** {@return the code at the end of a problem's type} */
        public String problem() {
            String type = body.path("type").asString("");
            return type.substring(type.lastIndexOf(':') + 1);
        }

        public String detail() {
            return body.path("detail").asString("");
        }
    }

    public URI uri(String path) {
        return server.address().resolve(path);
    }

    Response send(HttpRequest request) {
        try {
            return response(client.send(request, HttpResponse.BodyHandlers.ofByteArray()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Response response(HttpResponse<byte[]> response) {
        boolean isJson =
                response.headers().firstValue("Content-Type").orElse("").matches("application/(problem\\+)?json.*");
        JsonNode body = isJson ? JSON.readTree(response.body()) : MissingNode.getInstance();
        return new Response(response.statusCode(), response, body);
    }

    /** Posts without waiting for the response. */
    CompletableFuture<Response> sendLater(String path, String json) {
        return client.sendAsync(request("POST", path, json), HttpResponse.BodyHandlers.ofByteArray())
                .thenApply(TestServer::response);
    }

    /** {@return a request}
     * @param json the body, with apostrophes in place of quotation marks; empty for none
     * @param headers names and values
     */
    HttpRequest request(String method, String path, String json, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
        if (json.isEmpty()) {
            request.method(method, HttpRequest.BodyPublishers.noBody());
        } else {
            byte[] body = json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
            request.method(method, HttpRequest.BodyPublishers.ofByteArray(body));
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request.build();
    }

    public Response get(String path, String... headers) {
        return send(request("GET", path, "", headers));
    }

    public Response post(String path, String json, String... headers) {
        return send(request("POST", path, json, headers));
    }

    public Response put(String path, String json, String... headers) {
        return send(request("PUT", path, json, headers));
    }

    public Response delete(String path, String... headers) {
        return send(request("DELETE", path, "", headers));
    }

    @Override
    public void close() {
        server.close();
        jobs.close();
        if (ownsDatabase) {
            database.close();
        }
    }
}
