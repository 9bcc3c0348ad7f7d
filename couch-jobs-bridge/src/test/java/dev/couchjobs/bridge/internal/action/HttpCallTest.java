package dev.couchjobs.bridge.internal.action;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HttpCallTest {
    private static final HttpCall CALL = new HttpCall(
            "POST",
            URI.create("https://a.example/x"),
            Map.of("Authorization", "secret", "X-Key", "secret", "Accept", "text/plain", "Content-Type", "text/plain"),
            new byte[] {1});

    @Test
    void anotherServerGetsNoSecrets() throws URISyntaxException {
        assertThat(CALL.redirected(307, "https://b.example/").headers()).containsOnlyKeys("Accept", "Content-Type");
        assertThat(CALL.redirected(307, "https://a.example:444/").headers()).doesNotContainKey("X-Key");
        assertThat(CALL.redirected(307, "/y").headers()).containsKeys("Authorization", "X-Key");
    }

    @Test
    void aPostBecomesAGetWhereTheStandardSaysSo() throws URISyntaxException {
        for (int status : List.of(301, 302, 303)) {
            HttpCall next = CALL.redirected(status, "/y");
            assertThat(next.method()).isEqualTo("GET");
            assertThat(next.body()).isEmpty();
            assertThat(next.headers()).doesNotContainKey("Content-Type");
        }
        assertThat(CALL.redirected(308, "/y").method()).isEqualTo("POST");
        HttpCall deletion = new HttpCall("DELETE", URI.create("http://a.example/"), Map.of(), new byte[0]);
        assertThat(deletion.redirected(302, "/y").method()).isEqualTo("DELETE");
        assertThat(deletion.redirected(303, "/y").method()).isEqualTo("GET");
    }

    @Test
    void nothingLeadsFromHttpsToHttp() throws URISyntaxException {
        HttpCall next = CALL.redirected(302, "http://a.example/");

        assertThat(CALL.objection(next, HostAllowList.of(List.of("*"))).orElseThrow())
                .contains("from https", "not encrypted");
    }
}
