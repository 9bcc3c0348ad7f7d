package dev.couchjobs.server;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.fdb.testing.TestEngine;
import dev.couchjobs.topics.Topics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** A server with a database of the engine that is tested, and a client for it. */
public final class TestServer implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    final Database database;
    /** Of the server's own rows. */
    final Subspace serverRows;

    final CouchJobs jobs;
    final Topics topics;
    private final JobsServer server;
    private final Subspace root;
    private final boolean ownsDatabase;

    TestServer(UnaryOperator<JobsHttp> settings) {
        this(open(), newRoot(), true, settings, ServerOptions.on("127.0.0.1", 0));
    }

    private TestServer(
            Database database,
            Subspace root,
            boolean ownsDatabase,
            UnaryOperator<JobsHttp> settings,
            ServerOptions options) {
        this.database = database;
        this.root = root;
        this.ownsDatabase = ownsDatabase;
        serverRows = root.get("server");
        jobs = CouchJobs.builder(database).subspace(root).build();
        topics = Topics.builder(database).subspace(root).build();
        try {
            server = JobsServer.start(
                    settings.apply(
                            JobsHttp.on(jobs, database).subspace(serverRows).topics(topics)),
                    options);
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
        return new TestServer(open(), newRoot(), true, settings, options.apply(ServerOptions.on(host, 0)));
    }

    /** One engine, where {@code -Dengine} selects several: what differs between these is tested below the server. */
    private static Database open() {
        return TestEngine.selected().get(0).open();
    }

    /** Servers on one cluster have nothing in common. */
    private static Subspace newRoot() {
        return new Subspace(
                Tuple.from("couch-jobs-server-test", UUID.randomUUID().toString()));
    }

    /** {@return where the rows of the jobs are} */
    Subspace jobRows() {
        return root.get("couch_jobs");
    }

    public static TestServer forEverything() {
        return new TestServer(TestServer::forAll);
    }

    /** {@return a server for everything on a database, which the caller closes} */
    static TestServer of(Database database) {
        return new TestServer(database, newRoot(), false, TestServer::forAll, ServerOptions.on("127.0.0.1", 0));
    }

    /** {@return a server of a database, which it closes} */
    static TestServer of(Database database, UnaryOperator<JobsHttp> settings) {
        return new TestServer(
                database, newRoot(), true, http -> settings.apply(forAll(http)), ServerOptions.on("127.0.0.1", 0));
    }

    private static JobsHttp forAll(JobsHttp http) {
        return http.authenticator(Authenticator.always(Access.of("test", Role.ADMIN)));
    }

    /** {@return a further server with the same database} */
    TestServer another() {
        return another(TestServer::forAll);
    }

    /** {@return a further server with the same database, and other settings} */
    TestServer another(UnaryOperator<JobsHttp> settings) {
        return new TestServer(database, root, false, settings, ServerOptions.on("127.0.0.1", 0));
    }

    /** {@return the topics as a process has them whose clock is ahead} */
    Topics topicsOfClockAhead(Duration ahead) {
        Environment system = Environment.system();
        return Topics.builder(database)
                .subspace(root)
                .environment(new Environment(
                        () -> system.clock().instant().plus(ahead), system.scheduler(), system.random()))
                .build();
    }

    /** What a server has replied. */
    /** {@return a selection that has ended} */
    Response awaitSelection(String type, String id, String... headers) {
        Response selection = get("/v1/types/" + type + "/selections/" + id, headers);
        while (!selection.body().has("outcome")) {
            Polling.pause();
            selection = get("/v1/types/" + type + "/selections/" + id, headers);
        }
        return selection;
    }

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
        return sendLater(request("POST", path, json));
    }

    /** Sends without waiting for the response. */
    CompletableFuture<Response> sendLater(HttpRequest request) {
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
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
            database.run(tx -> {
                tx.clear(root.range());
                return root;
            });
            database.close();
        }
    }
}
