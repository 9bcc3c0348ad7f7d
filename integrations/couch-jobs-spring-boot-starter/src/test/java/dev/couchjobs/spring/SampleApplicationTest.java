package dev.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.Authenticator;
import dev.couchjobs.server.Role;
import dev.couchjobs.spring.sample.Mails.Receipt;
import dev.couchjobs.spring.sample.MailsJobs;
import dev.couchjobs.spring.sample.SampleApplication;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The sample application, as its users see it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(240)
class SampleApplicationTest {
    private static final String RESUME = "/jobs/v1/types/welcome-mail/resume";
    private static final JobType<String, Void> UNHANDLED = JobType.of("unhandled", String.class);

    /** A selection is a job in the rows of the server (docs/decisions/0051-selections-are-the-servers-own-jobs.md). */
    private static final JobType<Object, Object> SELECTION = JobType.of("selection", Object.class, Object.class);

    private static final Subspace SELECTIONS = new Subspace(Tuple.from("couch_jobs_server", "selections"));

    private static final String LOGIN =
            "Basic " + Base64.getEncoder().encodeToString("operator:secret".getBytes(StandardCharsets.UTF_8));
    private static final String[] SETTINGS = {
        "--server.port=0",
        "--couch-jobs.database=memory",
        "--couch-jobs.http.path=/jobs",
        "--couch-jobs.http.roles.OPERATOR=operate",
        "--spring.security.user.name=operator",
        "--spring.security.user.password=secret",
        "--spring.security.user.roles=OPERATOR",
        "--management.endpoints.web.exposure.include=health,info,metrics",
        "--management.endpoint.health.show-details=always"
    };

    private final HttpClient client = HttpClient.newHttpClient();
    private ConfigurableApplicationContext application;

    @BeforeAll
    void start() {
        application = run(SampleApplication.class);
    }

    private static ConfigurableApplicationContext run(Class<?>... sources) {
        return SpringApplication.run(sources, SETTINGS);
    }

    @AfterAll
    void stop() {
        application.close();
    }

    /** What waits for a database that is closed waits for as long as the application lets its jobs take. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void whatTheApiRunsEndsBeforeItsDatabase(CapturedOutput output) {
        run(SampleApplication.class).close();

        assertThat(output).contains("Graceful shutdown complete").doesNotContain("database was closed");
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return request(application, path);
    }

    private static HttpRequest.Builder request(ConfigurableApplicationContext application, String path) {
        return HttpRequest.newBuilder(URI.create(
                "http://localhost:" + application.getEnvironment().getRequiredProperty("local.server.port") + path));
    }

    private HttpRequest.Builder asOperator(String path) {
        return request(path).header("Authorization", LOGIN);
    }

    private String get(String path) throws Exception {
        HttpResponse<String> response = send(asOperator(path));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }

    @Test
    void aRequestStoresAUserAndAJobThatRuns() throws Exception {
        HttpResponse<String> response = send(request("/users/ann").PUT(BodyPublishers.noBody()));

        assertThat(response.body()).isEqualTo("Welcome, ann!");
        assertThat(get("/users/ann")).isEqualTo("true");
        assertThat(application
                        .getBean(CouchJobs.class)
                        .result(MailsJobs.WELCOME, "welcome-ann", Duration.ofSeconds(30)))
                .isEqualTo(new Receipt("sent to ann"));
    }

    @Test
    void aRequestThatFailsStoresNeither() throws Exception {
        String name = "a".repeat(21);
        HttpResponse<String> response = send(request("/users/" + name).PUT(BodyPublishers.noBody()));

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(get("/users/" + name)).isEqualTo("false");
        CouchJobs jobs = application.getBean(CouchJobs.class);
        assertThat(jobs.getJobData(application.getBean(Database.class), MailsJobs.WELCOME, "welcome-" + name)
                        .join())
                .isEmpty();
    }

    @Test
    void healthMetricsAndInfoOfTheActuatorKnowTheJobs() throws Exception {
        assertThat(get("/actuator/health")).contains("\"couchJobs\"").contains("\"liveWorkers\"");
        assertThat(get("/actuator/metrics")).contains("couchjobs.");
        assertThat(get("/actuator/info")).contains("\"database\":\"InMemory\"").contains("\"worker\"");
    }

    /** Nor does the API, which works on its own jobs, count as a worker of the application's. */
    @Test
    void healthCountsTheWorkersOfTheApplication() throws Exception {
        get("/jobs/v1/health");
        assertThat(get("/actuator/health")).contains("\"liveWorkers\":1");
        String[] settings = Stream.concat(Arrays.stream(SETTINGS), Stream.of("--couch-jobs.worker.enabled=false"))
                .toArray(String[]::new);
        try (ConfigurableApplicationContext other = SpringApplication.run(SampleApplication.class, settings)) {
            String path = "/actuator/health";
            assertThat(send(request(other, path).header("Authorization", LOGIN)).body())
                    .contains("\"liveWorkers\":0");
        }
    }

    @Test
    void theDashboardAndTheApiAreBelowThePath() throws Exception {
        assertThat(get("/jobs/")).contains("<html");
        assertThat(get("/jobs/v1/health")).contains("\"status\"");
    }

    @Test
    void onlyOperatorsReachTheDashboard() throws Exception {
        for (String path : List.of("/jobs/", "/jobs/v1/health", "/actuator/metrics")) {
            assertThat(send(request(path)).statusCode()).as(path).isEqualTo(401);
        }
        assertThat(send(request("/actuator/health")).statusCode()).isEqualTo(200);
    }

    @Test
    void theRoleOfTheCallerIsThatOfTheDashboard() throws Exception {
        assertThat(get("/jobs/v1/caller")).contains("\"operator\"").contains("\"operate\"");
        assertThat(send(asOperator(RESUME).POST(BodyPublishers.noBody())).statusCode())
                .isEqualTo(204);
        assertThat(send(asOperator("/jobs/v1/tokens")).statusCode()).isEqualTo(403);
    }

    /** The server asks again every two seconds, on another thread, who the caller of a request that waits is. */
    @Test
    void aRequestThatWaitsKeepsItsRole() throws Exception {
        application
                .getBean(CouchJobs.class)
                .add(application.getBean(Database.class), UNHANDLED, "u", "nothing")
                .join();

        assertThat(send(asOperator("/jobs/v1/types/unhandled/jobs/u/result?timeout=PT1S"))
                        .statusCode())
                .isEqualTo(202);
    }

    @Test
    void aPageOfAnotherSiteUsesNoLoginOfAnOperator() throws Exception {
        HttpResponse<String> response =
                send(asOperator(RESUME).header("Origin", "https://example.org").POST(BodyPublishers.noBody()));

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body()).contains("cross-site");
    }

    /** The servlet may not wait for its first request: an earlier run may have left a selection. */
    @Test
    void aSelectionGoesOnWithoutARequest() throws Exception {
        try (ConfigurableApplicationContext other = run(SampleApplication.class);
                CouchJobs jobs = CouchJobs.builder(other.getBean(Database.class))
                        .subspace(SELECTIONS)
                        .build()) {
            jobs.add(
                            other.getBean(Database.class),
                            SELECTION,
                            "s",
                            Map.of("type", "unhandled", "action", "count", "where", Map.of()))
                    .join();

            assertThat(jobs.result(SELECTION, "s", Duration.ofSeconds(30))).isEqualTo(Map.of("read", 0, "applied", 0));
        }
    }

    @Test
    void whatAnApplicationKeepsIsInItsSubspace() throws Exception {
        String[] settings = Stream.concat(Arrays.stream(SETTINGS), Stream.of("--couch-jobs.subspace=blog"))
                .toArray(String[]::new);
        Range blog = new Subspace(Tuple.from("blog")).range();
        try (ConfigurableApplicationContext other = SpringApplication.run(SampleApplication.class, settings)) {
            Database database = other.getBean(Database.class);
            other.getBean(Topics.class)
                    .create(database, Topic.of("orders", String.class), TopicSettings.partitions(1))
                    .join();

            HttpResponse<String> topics = send(request(other, "/jobs/v1/topics").header("Authorization", LOGIN));
            HttpResponse<String> resumed = send(request(other, RESUME)
                    .header("Authorization", LOGIN)
                    .header("Idempotency-Key", "once")
                    .POST(BodyPublishers.noBody()));

            assertThat(topics.body()).contains("orders");
            assertThat(resumed.statusCode()).isEqualTo(204);
            List<KeyValue> rows = database.run(tx ->
                    tx.getRange(new byte[0], new byte[] {(byte) 0xFF}).asList().join());
            assertThat(rows)
                    .extracting(KeyValue::getKey)
                    .allMatch(key ->
                            Arrays.compareUnsigned(blog.begin, key) <= 0 && Arrays.compareUnsigned(key, blog.end) < 0);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnAuthenticator {
        @Bean
        Authenticator own() {
            return Authenticator.always(Access.of("own", Role.READ));
        }
    }

    @Test
    void anAuthenticatorOfTheApplicationDecides() throws Exception {
        try (ConfigurableApplicationContext other = run(SampleApplication.class, OwnAuthenticator.class)) {
            HttpResponse<String> caller = send(request(other, "/jobs/v1/caller").header("Authorization", LOGIN));

            assertThat(caller.body()).contains("\"own\"").doesNotContain("operate");
        }
    }
}
