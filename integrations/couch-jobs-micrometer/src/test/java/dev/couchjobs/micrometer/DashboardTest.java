package dev.couchjobs.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard asks for the names and labels under which Prometheus has the meters, and for all of them. */
@Timeout(120)
class DashboardTest {
    private static final Path FILE = Path.of("grafana", "couch-jobs.json");
    private static final Duration OFTEN = Duration.ofMillis(5);
    private static final JobType<Integer, Void> MAIL = JobType.of("mail", Integer.class);
    private static final Topic<Integer> NEWS = Topic.of("news", Integer.class);
    private static final Pattern SAMPLE = Pattern.compile("^(couchjobs_\\w+)(?:\\{([^}]*)})? ", Pattern.MULTILINE);
    private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*(?:=~|!=|!~|=)\\s*\"");
    private static final Pattern NAME = Pattern.compile("couchjobs_\\w+");
    private static final Pattern GROUPING = Pattern.compile("\\bby\\s*\\(([^)]*)\\)");
    /** Of a timer the dashboard needs no more than its count, sum and buckets. */
    private static final String UNUSED = "_max";

    private static final Map<String, Set<String>> LABELS = new HashMap<>();
    private static final List<String> EXPRESSIONS = new ArrayList<>();
    private static JsonNode dashboard;

    @BeforeAll
    static void runJobsAndReadTheDashboard() throws IOException {
        dashboard = JsonMapper.shared().readTree(Files.readString(FILE));
        addExpressions(dashboard.get("panels"));
        SAMPLE.matcher(scrape())
                .results()
                .forEach(sample -> LABELS.computeIfAbsent(sample.group(1), name -> new TreeSet<>())
                        .addAll(labels(sample.group(2) == null ? "" : sample.group(2))));
    }

    private static void addExpressions(JsonNode panels) {
        panels.forEach(panel -> {
            panel.path("targets")
                    .forEach(target -> EXPRESSIONS.add(target.get("expr").asString()));
            addExpressions(panel.path("panels"));
        });
    }

    private static Set<String> labels(String text) {
        return LABEL.matcher(text).results().map(label -> label.group(1)).collect(Collectors.toSet());
    }

    /** {@return what Prometheus reads after jobs have run, and after what seldom happens} */
    private static String scrape() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
                return DistributionStatisticConfig.builder()
                        .percentilesHistogram(id.getName().startsWith("couchjobs."))
                        .build()
                        .merge(config);
            }
        });
        JobMetrics metrics = JobMetrics.on(registry);
        try (Database database = EmbeddedDatabase.openInMemory();
                CouchJobs jobs = CouchJobs.builder(database).listener(metrics).build()) {
            String id = jobs.add(database, MAIL, 1).join().jobId();
            var unused = jobs.worker().process(MAIL, job -> {}).start();
            jobs.result(MAIL, id, Duration.ofMinutes(1));
            metrics.lost(new JobsListener.Lost("mail", "a", 1, false, true));
            metrics.expired(new JobsListener.Expired("mail", 1));
            metrics.removed(new JobsListener.Removed("mail", 1));
            metrics.heartbeatsLate(
                    new JobsListener.HeartbeatsLate("mail", 1, Duration.ofSeconds(2), Duration.ofSeconds(3)));
            metrics.transactionEnded(
                    new JobsListener.TransactionEnded("accept", "mail", 2, 1, Duration.ofMillis(1), Optional.empty()));
            Topics topics = Topics.on(database);
            topics.create(database, NEWS, TopicSettings.partitions(1)).join();
            topics.group(NEWS, "readers").create(database, Position.earliest()).join();
            try (JobGauges gauges = JobGauges.on(registry, database, jobs, OFTEN, List.of(MAIL));
                    TopicGauges lags = TopicGauges.on(registry, database, topics, OFTEN)) {
                assertThat(gauges).isNotNull();
                assertThat(lags).isNotNull();
                while (registry.find("couchjobs.attempts").timer() == null
                        || registry.find("couchjobs.topics.lag").gauge() == null) {
                    Polling.pause();
                }
                return registry.scrape();
            }
        }
    }

    private static Set<String> names(String expression) {
        return NAME.matcher(expression).results().map(found -> found.group()).collect(Collectors.toSet());
    }

    @Test
    void allNamesAreThoseOfMeters() {
        assertThat(EXPRESSIONS).hasSizeGreaterThan(10);
        assertThat(EXPRESSIONS)
                .allSatisfy(expression -> assertThat(names(expression))
                        .as(expression)
                        .isNotEmpty()
                        .isSubsetOf(LABELS.keySet()));
    }

    @Test
    void allLabelsAreThoseOfTheirMeters() {
        assertThat(EXPRESSIONS).allSatisfy(expression -> {
            Set<String> asked = new TreeSet<>(labels(expression));
            GROUPING.matcher(expression)
                    .results()
                    .flatMap(grouping -> Stream.of(grouping.group(1).split(",")))
                    .map(String::strip)
                    .forEach(asked::add);
            names(expression)
                    .forEach(name -> assertThat(LABELS.get(name))
                            .as(expression)
                            .isNotNull()
                            .containsAll(asked));
        });
    }

    @Test
    void allMetersAreShown() {
        Set<String> shown = EXPRESSIONS.stream()
                .flatMap(expression -> names(expression).stream())
                .collect(Collectors.toSet());
        assertThat(LABELS.keySet().stream()
                        .filter(name -> !name.endsWith(UNUSED))
                        .filter(name -> !name.matches("couchjobs_(attempts|transactions)_seconds_(sum|count|bucket)"))
                        .toList())
                .isNotEmpty()
                .allSatisfy(name -> assertThat(shown).contains(name));
        assertThat(shown).contains("couchjobs_attempts_seconds_bucket", "couchjobs_attempts_seconds_count");
    }

    @Test
    void theDataSourceAndTheTypeAreVariables() {
        assertThat(dashboard.get("templating").get("list"))
                .extracting(variable -> variable.get("name").asString())
                .containsExactly("datasource", "type");
        dashboard
                .get("panels")
                .forEach(panel -> panel.path("targets")
                        .forEach(target -> assertThat(
                                        target.get("datasource").get("uid").asString())
                                .isEqualTo("${datasource}")));
    }

    @Test
    void panelsHaveTitlesNumbersAndPlacesOfTheirOwn() {
        List<JsonNode> panels = new ArrayList<>();
        dashboard.get("panels").forEach(panels::add);
        assertThat(panels).extracting(panel -> panel.get("title").asString()).doesNotHaveDuplicates();
        assertThat(panels).extracting(panel -> panel.get("id").asInt()).doesNotHaveDuplicates();
        assertThat(panels).extracting(panel -> panel.get("gridPos").toString()).doesNotHaveDuplicates();
    }
}
