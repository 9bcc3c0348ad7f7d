package dev.couchjobs.bridge.internal.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostAllowListTest {

    @Test
    void aHostIsAllowedOnTheUsualPorts() {
        assertThat(allows("example.org", "http://example.org/", "https://EXAMPLE.org.:443/"))
                .isTrue();
        assertThat(allows("example.org", "http://example.org:8080/")).isFalse();
        assertThat(allows("example.org", "https://example.org:80/")).isFalse();
        assertThat(allows("example.org", "http://www.example.org/")).isFalse();
    }

    @Test
    void aPortMayBeNamedOrLeftOpen() {
        assertThat(allows("example.org:8080", "http://example.org:8080/")).isTrue();
        assertThat(allows("example.org:8080", "http://example.org/")).isFalse();
        assertThat(allows("example.org:*", "http://example.org/", "http://example.org:8080/"))
                .isTrue();
        assertThat(allows("[::1]:8080", "http://[::1]:8080/")).isTrue();
    }

    @Test
    void aStarStandsForAllNamesBelow() {
        assertThat(allows("*.example.org", "http://a.example.org/", "http://a.b.example.org/"))
                .isTrue();
        assertThat(allows("*.example.org", "http://example.org/")).isFalse();
        assertThat(allows("*.example.org", "http://badexample.org/")).isFalse();
    }

    @Test
    void aStarAloneStandsForEverything() {
        assertThat(allows("*", "http://anything:1234/")).isTrue();
    }

    @Test
    void whatIsNoHostIsToldTheOperator() {
        assertThatThrownBy(() -> HostAllowList.of(List.of("http://example.org")))
                .hasMessageContaining("'http://example.org' is not a host; write example.org");
    }

    private static boolean allows(String rule, String... urls) {
        HostAllowList list = HostAllowList.of(List.of(rule));
        return List.of(urls).stream()
                .allMatch(url -> list.objection(URI.create(url)).isEmpty());
    }
}
