package dev.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.spring.sample.Mails.Receipt;
import dev.couchjobs.spring.sample.MailsJobs;
import dev.couchjobs.spring.sample.SampleApplication;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The sample application, as its users see it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
class SampleApplicationTest {
    private final HttpClient client = HttpClient.newHttpClient();
    private ConfigurableApplicationContext application;

    @BeforeAll
    void start() {
        application = SpringApplication.run(
                SampleApplication.class,
                "--server.port=0",
                "--couch-jobs.database=memory",
                "--couch-jobs.http.path=/jobs",
                "--management.endpoints.web.exposure.include=health,info,metrics",
                "--management.endpoint.health.show-details=always");
    }

    @AfterAll
    void stop() {
        application.close();
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(
                "http://localhost:" + application.getEnvironment().getRequiredProperty("local.server.port") + path));
    }

    private String get(String path) throws Exception {
        HttpResponse<String> response = send(request(path));
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

    @Test
    void theDashboardAndTheApiAreBelowThePath() throws Exception {
        assertThat(get("/jobs/")).contains("<html");
        assertThat(get("/jobs/v1/health")).contains("\"status\"");
    }
}
