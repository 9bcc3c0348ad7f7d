package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Worker;
import dev.couchjobs.server.TestServer.Response;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Types whose payloads are hidden. */
@Timeout(60)
class HidingTest {
    private static final JobType<Object, Object> MAIL = JobType.of("mail", Object.class, Object.class);
    private static final List<String> PATHS = List.of(
            "/v1/types/mail/jobs",
            "/v1/types/mail/jobs?state=finished",
            "/v1/types/mail/jobs?status=succeeded",
            "/v1/types/mail/jobs?status=failed",
            "/v1/types/mail/jobs/good",
            "/v1/types/mail/jobs/good/result?timeout=PT0S",
            "/v1/types/mail/jobs/good/log",
            "/v1/types/mail/jobs/good/checkpoint",
            "/v1/types/mail/jobs/good/progress",
            "/v1/types/mail/jobs/bad",
            "/v1/types/mail/jobs/bad/attempts",
            "/v1/types/mail/dead-letters");

    /** The caller's role is what it says. */
    private final TestServer server = new TestServer(http -> http.hidePayloads("mail"::equals)
            .authenticator(request -> CompletableFuture.completedFuture(
                    Optional.of(Access.of("x", Role.READ, Role.valueOf(request.getHeader("Role")))))));

    @BeforeEach
    void work() {
        server.jobs.statuses().index(MAIL).join();
        server.jobs
                .add(server.database, NewJob.of(MAIL, "secret data").id("good"))
                .join();
        server.jobs
                .add(server.database, NewJob.of(MAIL, "secret data").id("bad").retry(RetryPolicy.never()))
                .join();
        Worker worker = server.jobs
                .worker()
                .handle(MAIL, job -> {
                    if (job.id().equals("bad")) {
                        throw new IllegalStateException("secret message\nCaused by: secret");
                    }
                    job.log("secret entry");
                    job.checkpoint("secret checkpoint");
                    job.progress(1, 2, "secret progress");
                    return "secret result";
                })
                .start();
        for (String id : List.of("good", "bad")) {
            var unused = server.jobs
                    .resultAsync(MAIL, id, Duration.ofSeconds(30))
                    .handle((result, error) -> true)
                    .join();
        }
        worker.close();
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void aCallerThatOnlyReadsSeesNoPayload() {
        for (String path : PATHS) {
            Response reply = server.get(path, "Role", "READ");
            assertThat(reply.status()).as(path + reply.detail()).isEqualTo(200);
            assertThat(reply.body().toString()).as(path).doesNotContain("secret");
        }
        Response good = server.get("/v1/types/mail/jobs/good", "Role", "READ");
        assertThat(good.body().get("hidden").booleanValue()).isTrue();
        Response bad = server.get("/v1/types/mail/jobs/bad", "Role", "WORK");
        assertThat(bad.body().get("error").stringValue()).isEqualTo("java.lang.IllegalStateException");
    }

    @Test
    void aCallerThatOperatesSeesThem() {
        for (String path : List.of("good", "good/log", "good/checkpoint", "bad", "bad/attempts")) {
            for (String role : List.of("OPERATE", "ADMIN")) {
                Response reply = server.get("/v1/types/mail/jobs/" + path, "Role", role);
                assertThat(reply.body().toString()).as(path).contains("secret").doesNotContain("\"hidden\"");
            }
        }
    }

    @Test
    void otherTypesAreSeen() {
        server.post("/v1/types/other/jobs", "{'id': 'a', 'data': 'open'}", "Role", "OPERATE");
        assertThat(server.get("/v1/types/other/jobs/a", "Role", "READ")
                        .body()
                        .get("data")
                        .stringValue())
                .isEqualTo("open");
    }
}
