package dev.couchjobs.bridge.internal.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.bridge.testing.TestClient;
import java.net.URI;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of addresses, the checks of settings, and the growth of pauses. */
class CouchSettingsTest {

    @Test
    void aNameAndAPasswordInTheAddressAreTakenOutOfIt() {
        CouchSettings settings =
                TestClient.settings(URI.create("https://ad%40min:pass%3Aw+ord@couch.example:6984/jobs/"));
        assertThat(settings.address()).isEqualTo(URI.create("https://couch.example:6984/jobs"));
        assertThat(settings.credentials()).isEqualTo(new Credentials.Basic("ad@min", "pass:w+ord"));
        assertThat(settings.toString()).doesNotContain("w+ord");
    }

    @Test
    void aServerMayLieBelowAPath() {
        Address address = Address.of(URI.create("http://host/couch/jobs%2Ftoday"));
        assertThat(address.of("/_changes")).isEqualTo(URI.create("http://host/couch/jobs%2Ftoday/_changes"));
        assertThat(address.ofServer("_session")).isEqualTo(URI.create("http://host/couch/_session"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"http://host:5984", "http://host:5984/", "ftp://host/jobs", "jobs", "http://host/jobs?rev=1"})
    void whatIsNoAddressOfADatabaseIsRefusedWithAnExample(String address) {
        assertThatThrownBy(() -> TestClient.settings(URI.create(address)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("looks like http://localhost:5984/jobs");
    }

    @Test
    void aPasswordIsNotRepeatedInAnError() {
        assertThatThrownBy(() -> TestClient.settings(URI.create("http://admin:geheim@host")))
                .hasMessageNotContaining("geheim");
    }

    @Test
    void settingsThatCannotWorkAreRefused() {
        CouchSettings settings = TestClient.settings(URI.create("http://host/jobs"));
        assertThatThrownBy(() -> settings.withBatch(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings.withBatch(1001)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings.withHeartbeat(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings.withTimeout(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings.withPauses(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPauseIsCutByUpToAHalfButNotBelowWhatTheServerAskedFor() {
        Backoff backoff = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(1), new Random(7));
        for (int i = 0; i < 1000; i++) {
            assertThat(backoff.after(new TransientException("x")))
                    .isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
        }
    }
}
