package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Worker;
import dev.couchjobs.server.TestServer.Response;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** How long jobs wait and run, as a caller of the API samples it. */
@Timeout(60)
class LatencyTest {
    private static final JobType<Object, Object> MAIL = JobType.of("mail", Object.class, Object.class);

    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    /** Asks until there are so many samples of a kind: the server takes them once a second. */
    private List<Duration> sample(String kind, int count) {
        List<Duration> found = new ArrayList<>();
        long last = 0;
        while (found.size() < count) {
            Response response = server.get("/v1/latencies?after=" + last);
            for (JsonNode item : response.body().get("items")) {
                assertThat(item.get("type").stringValue()).isEqualTo("mail");
                assertThat(item.get("number").longValue()).isGreaterThan(last);
                last = item.get("number").longValue();
                if (item.get("kind").stringValue().equals(kind)) {
                    found.add(Duration.parse(item.get("time").stringValue()));
                }
            }
            assertThat(response.body().get("last").longValue()).isEqualTo(last);
        }
        return found;
    }

    @Test
    void jobsThatAreAddedMeanwhileAreSampled() {
        server.get("/v1/latencies");
        CountDownLatch end = new CountDownLatch(1);
        Worker worker = server.jobs
                .worker()
                .concurrency(5)
                .handle(MAIL, job -> {
                    end.await();
                    return "done";
                })
                .start();
        Instant before = Instant.now();
        for (int i = 0; i < 5; i++) {
            server.post("/v1/types/mail/jobs", "{'id': 'j" + i + "', 'data': 1}");
        }
        List<Duration> waits = sample("wait", 5);
        Duration sinceBefore = Duration.between(before, Instant.now());
        assertThat(waits).hasSize(5).allMatch(wait -> wait.compareTo(sinceBefore) < 0);
        Instant begun = Instant.now();
        server.get("/v1/latencies");
        Duration atLeast = Duration.between(begun, Instant.now());
        end.countDown();
        assertThat(sample("run", 5)).hasSize(5).allMatch(run -> run.compareTo(atLeast) >= 0);
        worker.close();
    }

    @Test
    void aJobWithATimeIsDueThen() {
        server.get("/v1/latencies");
        Instant due = Instant.now().plusSeconds(2);
        server.jobs
                .add(server.database, NewJob.of(MAIL, (Object) 1).id("soon").at(due))
                .join();
        Worker worker = server.jobs.worker().handle(MAIL, job -> "done").start();
        Duration wait = sample("wait", 1).get(0);
        assertThat(wait).isLessThan(Duration.between(due, Instant.now()).plusSeconds(1));
        worker.close();
    }

    @Test
    void aCallerSeesSamplesOfItsTypesOnly() {
        try (TestServer orders = server.another(http -> http.authenticator(
                Authenticator.always(Access.of("jo", Role.READ).onlyTypes("orders"))))) {
            orders.get("/v1/latencies");
            server.post("/v1/types/mail/jobs", "{'data': 1}");
            server.post("/v1/types/orders/jobs", "{'data': 1}");
            Worker worker = server.jobs
                    .worker()
                    .handle(MAIL, job -> "done")
                    .handle(JobType.of("orders", Object.class, Object.class), job -> "done")
                    .start();
            Response response = orders.get("/v1/latencies");
            while (response.body().get("last").longValue() < 4) {
                response = orders.get("/v1/latencies");
            }
            assertThat(response.body().get("items"))
                    .hasSize(2)
                    .allMatch(item -> item.get("type").stringValue().equals("orders"));
            worker.close();
        }
    }
}
