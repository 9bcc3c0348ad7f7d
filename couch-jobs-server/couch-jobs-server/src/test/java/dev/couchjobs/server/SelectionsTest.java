package dev.couchjobs.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.server.TestServer.Response;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Changes of many jobs by one request. */
@Timeout(60)
class SelectionsTest {
    private final TestServer server = TestServer.forEverything();

    @AfterEach
    void close() {
        server.close();
    }

    private void add(int jobs) {
        for (int i = 0; i < jobs; i++) {
            server.post("/v1/types/mail/jobs", "{'id': 'j" + i + "', 'data': 1, 'limitKey': 'k" + i % 2 + "'}");
        }
    }

    private String start(String request) {
        Response started = server.post("/v1/types/mail/selections", request);
        assertThat(started.status()).isEqualTo(202);
        return started.body().get("id").stringValue();
    }

    private Response ended(String id) {
        return server.awaitSelection("mail", id);
    }

    @Test
    void jobsThatMeetAConditionAreCancelled() {
        add(6);
        Response done = ended(start("{'action': 'cancel', 'where': {'limitKey': 'k1'}, 'reason': 'not wanted'}"));
        assertThat(done.body().get("outcome").stringValue()).isEqualTo("succeeded");
        assertThat(done.body().get("read").longValue()).isEqualTo(6);
        assertThat(done.body().get("applied").longValue()).isEqualTo(3);
        assertThat(server.get("/v1/types/mail/counts").body().get("cancelled").longValue())
                .isEqualTo(3);
        assertThat(server.get("/v1/types/mail/jobs/j1").body().get("error").stringValue())
                .contains("not wanted");
    }

    @Test
    void aCountChangesNothing() {
        add(3);
        Response done = ended(start("{'action': 'count', 'where': {'ids': ['j0', 'j2', 'none']}}"));
        assertThat(done.body().get("applied").longValue()).isEqualTo(2);
        assertThat(server.get("/v1/types/mail/counts").body().get("pending").longValue())
                .isEqualTo(3);
    }

    @Test
    void jobsWhoseTimeAWrongClockHasSetAreMadeDue() {
        for (String at : List.of("2000-01-01T00:00:00Z", "2050-01-01T00:00:00Z", "2051-01-01T00:00:00Z")) {
            server.post("/v1/types/mail/jobs", "{'id': '" + at.substring(0, 4) + "', 'data': 1, 'at': '" + at + "'}");
        }
        String condition = "{'action': 'run_now', 'where': {'dueAfter': '2050-06-01T00:00:00+02:00'}}";
        assertThat(ended(start(condition)).body().get("applied").longValue()).isEqualTo(1);
        assertThat(ended(start(condition)).body().get("applied").longValue()).isZero();
        assertThat(server.get("/v1/types/mail/jobs/2050").body().toString()).contains("2050-01-01T00:00:00Z");
        assertThat(server.get("/v1/types/mail/jobs/2051").body().toString()).doesNotContain("2051-01-01");
        for (String no : List.of("tomorrow", "2050", "2050-13-01T00:00:00Z")) {
            Response refused = server.post(
                    "/v1/types/mail/selections", "{'action': 'run_now', 'where': {'dueAfter': '" + no + "'}}");
            assertThat(refused.status()).isEqualTo(400);
            Response other = server.post("/v1/types/mail/selections", "{'action': 'reschedule', 'at': '" + no + "'}");
            assertThat(other.status()).isEqualTo(400);
        }
    }

    @Test
    void aConditionThatIsNotKnownSelectsNothing() {
        Response refused =
                server.post("/v1/types/mail/selections", "{'action': 'remove', 'where': {'limitkey': 'k1'}}");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.detail()).contains("/where/limitkey").contains("limitKey");
        Response incomplete = server.post("/v1/types/mail/selections", "{'action': 'reschedule'}");
        assertThat(incomplete.detail()).contains("/at");
    }

    @Test
    void aSelectionIsSeenOnlyWithItsType() {
        String id = start("{'action': 'count'}");
        assertThat(server.get("/v1/types/other/selections/" + id).status()).isEqualTo(404);
    }
}
