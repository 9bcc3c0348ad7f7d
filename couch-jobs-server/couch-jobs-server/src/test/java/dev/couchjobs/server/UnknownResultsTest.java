package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each transaction of the server commits, and runs again, as after a commit whose result is unknown. */
@Timeout(60)
class UnknownResultsTest {
    private final HttpClient client = HttpClient.newHttpClient();
    private final Database database = EmbeddedDatabase.openInMemory();
    private final CouchJobs jobs = CouchJobs.on(database);
    private final JobsServer server = JobsServer.start(
            JobsHttp.on(jobs, twice(database)).authenticator(Authenticator.always(Access.of("test", Role.ADMIN))),
            "127.0.0.1",
            0);

    @AfterEach
    void close() {
        server.close();
        jobs.close();
        database.close();
    }

    @SuppressWarnings("unchecked")
    private static Database twice(Database once) {
        return (Database) Proxy.newProxyInstance(
                Database.class.getClassLoader(), new Class<?>[] {Database.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("runAsync") && arguments.length == 1) {
                        var body = (Function<Transaction, CompletableFuture<Object>>) arguments[0];
                        return once.runAsync(body).thenCompose(first -> once.runAsync(body));
                    }
                    try {
                        return method.invoke(once, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private HttpResponse<String> send(String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.address().resolve(path))
                .method(method, BodyPublishers.ofString(body))
                .header("Content-Type", "application/json");
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    @Test
    void aWriteUnderAConditionFindsThatItHasCommitted() throws IOException, InterruptedException {
        send("POST", "/v1/types/mail/jobs", "{\"id\": \"a\", \"data\": 1}");
        String tag = send("GET", "/v1/types/mail/jobs/a", "")
                .headers()
                .firstValue("ETag")
                .orElseThrow();

        HttpResponse<String> written =
                send("POST", "/v1/types/mail/jobs/a/reprioritise", "{\"priority\": 5}", "If-Match", tag);
        assertThat(written.statusCode()).as(written.body()).isEqualTo(200);
        assertThat(written.headers().firstValue("Idempotent-Replay")).isEmpty();
        assertThat(send("GET", "/v1/types/mail/jobs/a", "").body()).contains("\"priority\":5");

        HttpResponse<String> late =
                send("POST", "/v1/types/mail/jobs/a/reprioritise", "{\"priority\": 6}", "If-Match", tag);
        assertThat(late.statusCode()).isEqualTo(412);
    }

    @Test
    void aQueueTopicOfWhichTheFirstTryIsUnknownIsCreated() throws IOException, InterruptedException {
        HttpResponse<String> created = send("POST", "/queue/topics", "{\"name\": \"log\"}");
        assertThat(created.statusCode()).as(created.body()).isEqualTo(200);
        assertThat(send("POST", "/queue/topics", "{\"name\": \"log\"}").statusCode())
                .isEqualTo(409);
    }

    @Test
    void aWriteUnderAKeyHasOneEffect() throws IOException, InterruptedException {
        String job = "{\"data\": 1}";
        HttpResponse<String> added = send("POST", "/v1/types/mail/jobs", job, "Idempotency-Key", "k");
        HttpResponse<String> again = send("POST", "/v1/types/mail/jobs", job, "Idempotency-Key", "k");
        assertThat(added.statusCode()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(added.body());
        assertThat(send("GET", "/v1/types/mail/counts", "").body()).contains("\"pending\":1");
    }
}
