package dev.couchjobs.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.couchjobs.bench.Table;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ClusterSampleTest {
    /** A part of what FoundationDB 7.3 reports. */
    private static JsonNode status(long commits, long first, long second) {
        return JsonMapper.shared().readTree("""
                        {"data": {"state": {"healthy": true}},
                         "workload": {
                          "transactions": {"committed": {"counter": %d, "hz": 1}, "conflicted": {"counter": 7}},
                          "operations": {"writes": {"counter": 50}}, "bytes": {"written": {"counter": 900}}},
                         "processes": {
                          "a": {"address": "127.0.0.1:1", "roles": [{"role": "coordinator"},
                           {"role": "storage", "mutations": {"counter": %d}}]},
                          "b": {"address": "127.0.0.1:2", "roles": [
                           {"role": "storage", "mutations": {"counter": %d}}]}}}""".formatted(commits, first, second));
    }

    @Test
    void countersAreSinceTheFirstReading() {
        ClusterCounters counters =
                ClusterCounters.of(status(30, 1_010, 90)).since(ClusterCounters.of(status(10, 1_000, 60)));

        assertThat(counters.commits()).isEqualTo(20);
        assertThat(counters.conflicts()).isZero();
        assertThat(counters.largestShare()).isCloseTo(0.75, within(1e-9));
    }

    @Test
    void aClusterIsAtRestWithAllItsStorageProcesses() {
        assertThat(ClusterCounters.isAtRest(status(0, 0, 0), 2)).isTrue();
        assertThat(ClusterCounters.isAtRest(status(0, 0, 0), 3)).isFalse();
        assertThat(ClusterCounters.isAtRest(JsonMapper.shared().readTree("{}"), 0))
                .isFalse();
    }

    @Test
    void figuresAreOfOneJobAndNameTheProcessWithMostCpu() {
        ClusterCounters counters = new ClusterCounters(300, 10, 1_800, 190_000, Map.of("127.0.0.1:1", 1_800L));
        Map<String, Duration> cpuTimes = Map.of(
                "storage1",
                Duration.ofMillis(50),
                "storage2",
                Duration.ofMillis(10),
                "log",
                Duration.ofMillis(70),
                "commit_proxy",
                Duration.ofMillis(80),
                "grv_proxy",
                Duration.ofMillis(20),
                ClusterSample.CLIENT,
                Duration.ofMillis(900));
        Table table = ClusterSample.table();

        new ClusterSample(100, Duration.ofSeconds(2), counters, 0.9, cpuTimes)
                .addTo(table, new ClusterSettings.Point(2, 4, 1, ClusterSettings.Pace.SOLO));

        assertThat(table.markdown().lines().skip(2).findFirst().orElseThrow().split(" *\\| *", -1))
                .containsExactly(
                        "",
                        "solo, 2, 4, 1",
                        "50",
                        "3.00",
                        "0.10",
                        "18.0",
                        "1900",
                        "90 %",
                        "500",
                        "600",
                        "700",
                        "1000",
                        "9000",
                        "client 0.45",
                        "");
    }
}
