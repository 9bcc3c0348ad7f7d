package dev.couchjobs.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.AttemptEnd;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Polling;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import dev.couchjobs.topics.TopicsListener;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What operators see of every meter: its description, its unit, and its name in Prometheus. */
@Timeout(120)
class MetersTest {
    private static final String TYPE = "mail";
    private static final String TOPIC = "news";
    private static final String GROUP = "readers";
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Pattern DESCRIBED = Pattern.compile("^# HELP (couchjobs_\\w+) *(.*)$", Pattern.MULTILINE);
    private static final Pattern NAMED = Pattern.compile("^# TYPE (couchjobs_\\w+) ", Pattern.MULTILINE);

    private static final PrometheusMeterRegistry REGISTRY = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    @BeforeAll
    static void recordEverythingOnce() {
        recordJobs(JobMetrics.on(REGISTRY));
        recordTopics(TopicMetrics.on(REGISTRY));
        try (Database database = EmbeddedDatabase.openInMemory();
                CouchJobs jobs = CouchJobs.on(database)) {
            Topics topics = Topics.on(database);
            topics.create(database, Topic.of(TOPIC, String.class), TopicSettings.partitions(1))
                    .join();
            topics.group(Topic.of(TOPIC, String.class), GROUP)
                    .create(database, Position.earliest())
                    .join();
            var unused = JobGauges.on(REGISTRY, database, jobs, SHORT, List.of(JobType.of(TYPE, String.class)));
            var unusedTopics = TopicGauges.on(REGISTRY, database, topics, SHORT);
            while (REGISTRY.find("couchjobs.topics.lag").gauge() == null) {
                Polling.pause();
            }
        }
    }

    private static void recordJobs(JobsListener jobs) {
        jobs.added(new JobsListener.Added(TYPE, 1));
        jobs.claimed(new JobsListener.Claimed(TYPE, 1));
        jobs.removed(new JobsListener.Removed(TYPE, 1));
        jobs.expired(new JobsListener.Expired(TYPE, 1));
        jobs.heartbeatsLate(new JobsListener.HeartbeatsLate(TYPE, 1, SHORT, SHORT));
        jobs.started(new JobsListener.Started(TYPE, "a", 1));
        jobs.ended(new JobsListener.Ended(TYPE, "a", 1, AttemptEnd.SUCCEEDED, false, SHORT, Optional.empty()));
        jobs.lost(new JobsListener.Lost(TYPE, "a", 1, false, true));
        jobs.transactionEnded(new JobsListener.TransactionEnded("accept", TYPE, 2, 1, SHORT, Optional.empty()));
    }

    private static void recordTopics(TopicsListener topics) {
        topics.appended(new TopicsListener.MessagesAppended(TOPIC, 1));
        topics.consumed(new TopicsListener.MessagesConsumed(TOPIC, GROUP, 0, 1, SHORT));
        topics.failed(new TopicsListener.MessageFailed(TOPIC, GROUP, 0, 1, "no"));
        topics.deadLettered(new TopicsListener.MessageDeadLettered(TOPIC, GROUP, 0));
        topics.partitionTaken(new TopicsListener.PartitionTaken(TOPIC, GROUP, 0));
        topics.partitionLost(new TopicsListener.PartitionLost(TOPIC, GROUP, 0));
    }

    @AfterAll
    static void close() {
        REGISTRY.close();
    }

    private static List<Meter.Id> meters() {
        return REGISTRY.getMeters().stream().map(Meter::getId).toList();
    }

    @Test
    void everyMeterIsRecorded() {
        assertThat(meters().stream().map(Meter.Id::getName).collect(Collectors.toSet()))
                .isEqualTo(Stream.of(Meters.values()).map(Meters::meter).collect(Collectors.toSet()));
    }

    @Test
    void everyMeterHasADescriptionAndAUnit() {
        assertThat(meters()).isNotEmpty().allSatisfy(meter -> {
            assertThat(meter.getDescription()).as(meter.toString()).isNotBlank();
            assertThat(meter.getBaseUnit()).as(meter.toString()).isNotBlank();
        });
        Set<String> described = DESCRIBED
                .matcher(REGISTRY.scrape())
                .results()
                .filter(line -> !line.group(2).isBlank())
                .map(line -> line.group(1))
                .collect(Collectors.toSet());
        assertThat(prometheusNames()).isNotEmpty().isSubsetOf(described);
    }

    private static List<String> prometheusNames() {
        return NAMED.matcher(REGISTRY.scrape())
                .results()
                .map((MatchResult line) -> line.group(1))
                .toList();
    }

    @Test
    void noNameInPrometheusHasAWordTwice() {
        assertThat(prometheusNames())
                .isNotEmpty()
                .allSatisfy(name ->
                        assertThat(Arrays.asList(name.split("_"))).as(name).doesNotHaveDuplicates());
    }
}
