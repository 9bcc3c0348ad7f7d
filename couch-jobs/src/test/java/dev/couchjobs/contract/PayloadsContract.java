package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.JsonCodec;
import dev.couchjobs.PayloadException;
import dev.couchjobs.PayloadTooLargeException;
import dev.couchjobs.Subscription;
import java.io.IOException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** The data of jobs, for features A1 to A8: any type that Jackson can write and read, up to several megabytes. */
class PayloadsContract extends JobsContract {

    enum Colour {
        RED,
        GREEN
    }

    record Page(String url, @Nullable Page parent, List<String> words, Map<String, Colour> marks, double score) {}

    record Renamed(int step, @Nullable String note) {}

    /** Contains itself, so that it cannot be written. */
    public static final class Unwritable {
        public Unwritable getSelf() {
            return this;
        }
    }

    private static final JobType<String, ?> TEXT = Texts.TYPE;

    @BeforeEach
    void setTextTimeout() {
        await(jobs.types().setTypeTimeout(database, TEXT, Duration.ofMinutes(10)));
    }

    private <D> D roundTrip(JobType<D, ?> type, D data) {
        await(jobs.types().setTypeTimeout(database, type, Duration.ofMinutes(10)));
        await(jobs.add(database, type, "j1", data));
        Job<D> job = await(jobs.processor().accept(type, AcceptOptions.nonBlocking()))
                .orElseThrow();
        assertThat(await(jobs.getJobData(database, type, "j1"))).contains(job.data());
        return job.data();
    }

    @Test
    void aRecordComesBackAsItWas() {
        Page parent = new Page("https://example.org/", null, List.of(), Map.of(), 0.1);
        Page page = new Page(
                "https://example.org/日本語 \uD83D\uDE00",
                parent,
                List.of("\"a\"", "b\u0000"),
                Map.of("x", Colour.RED),
                -1e300);

        assertThat(roundTrip(JobType.of("page", Page.class), page)).isEqualTo(page);
    }

    @Test
    void aGenericTypeComesBackAsItWas() {
        Map<String, List<WorkData>> data = Map.of("a", List.of(new WorkData(1), new WorkData(2)), "b", List.of());

        assertThat(roundTrip(JobType.of("generic", new TypeReference<Map<String, List<WorkData>>>() {}), data))
                .isEqualTo(data);
    }

    @Test
    void aPlainValueComesBackAsItWas() {
        assertThat(roundTrip(JobType.of("plain text", String.class), "")).isEmpty();
        assertThat(roundTrip(JobType.of("number", Long.class), Long.MIN_VALUE)).isEqualTo(Long.MIN_VALUE);
        JsonNode json = JsonMapper.shared().readTree("{\"a\":[1,null,{}]}");
        assertThat(roundTrip(JobType.of("json", JsonNode.class), json)).isEqualTo(json);
    }

    @ParameterizedTest
    @ValueSource(ints = {8_190, 8_191, 89_998, 89_999, 100_000, 3_000_000, 7_999_998})
    void aLargePayloadComesBackAsItWas(int length) {
        String data = Texts.ofLength(length);

        assertThat(roundTrip(TEXT, data)).isEqualTo(data);
    }

    @Test
    void aPayloadMayGrowAndShrink() {
        await(jobs.add(database, TEXT, "j1", Texts.ofLength(1_000_000)));
        Job<String> job = await(jobs.processor().accept(TEXT)).orElseThrow();

        await(jobs.processor().update(database, job, "small"));
        assertThat(await(jobs.getJobData(database, TEXT, "j1"))).contains("small");
        await(jobs.processor().update(database, job, Texts.ofLength(200_000)));
        assertThat(await(jobs.getJobData(database, TEXT, "j1"))).contains(Texts.ofLength(200_000));
        await(jobs.processor().finish(database, job, Texts.ofLength(300_000)));

        assertThat(await(jobs.getJobData(database, TEXT, "j1"))).contains(Texts.ofLength(300_000));
    }

    @Test
    void aLargePayloadMayChangeSeveralTimesInOneTransaction() {
        await(jobs.add(database, TEXT, "j1", Texts.ofLength(1_000_000)));
        Job<String> job = await(jobs.processor().accept(TEXT)).orElseThrow();

        commit(tx -> {
            await(jobs.processor().update(tx, job, Texts.ofLength(200_000)));
            assertThat(await(jobs.getJobData(tx, TEXT, "j1"))).contains(Texts.ofLength(200_000));
            await(jobs.processor().update(tx, job, "small"));
            assertThat(await(jobs.processor().update(tx, job)).data()).isEqualTo("small");
            await(jobs.processor().update(tx, job, Texts.ofLength(300_000)));
            await(jobs.processor().finish(tx, job));
            assertThat(await(jobs.getJobData(tx, TEXT, "j1"))).contains(Texts.ofLength(300_000));
        });

        assertThat(await(jobs.getJobData(database, TEXT, "j1"))).contains(Texts.ofLength(300_000));
    }

    @Test
    void aSubscriberIsGivenALargePayload() {
        await(jobs.add(database, TEXT, "j1", "small"));
        Subscription<String> subscription = await(jobs.subscribe(database, TEXT, "j1"));
        Job<String> job = await(jobs.processor().accept(TEXT)).orElseThrow();

        await(jobs.processor().finish(database, job, Texts.ofLength(1_000_000)));

        JobEvent<String> event =
                await(subscription.awaitEvent(JobState.FINISHED, LONG)).orElseThrow();
        assertThat(event.data()).contains(Texts.ofLength(1_000_000));
    }

    @Test
    void aHeartbeatDoesNotWriteALargePayloadAgain() {
        await(jobs.add(database, TEXT, "j1", Texts.ofLength(1_000_000)));
        Job<String> job = await(jobs.processor().accept(TEXT)).orElseThrow();

        try (Transaction tx = database.createTransaction()) {
            assertThat(await(jobs.processor().update(tx, job)).data()).hasSize(1_000_000);
            assertThat(await(tx.getApproximateSize())).isLessThan(10_000);
            await(tx.commit());
        }
        assertThat(await(jobs.getJobData(database, TEXT, "j1"))).contains(Texts.ofLength(1_000_000));
    }

    @Test
    void addingALargePendingJobAsItIsWritesNothing() {
        await(jobs.add(database, TEXT, "j1", Texts.ofLength(100_000)));

        try (Transaction tx = database.createTransaction()) {
            await(jobs.add(tx, TEXT, "j1", Texts.ofLength(100_000)));
            await(tx.commit());
            assertThat(tx.getCommittedVersion()).isEqualTo(-1);
        }
    }

    @Test
    void aPayloadThatIsTooLargeIsRefusedAndChangesNothing() {
        await(jobs.add(database, TEXT, "j1", "small"));
        Job<String> job = await(jobs.processor().accept(TEXT)).orElseThrow();
        String tooLarge = "x".repeat(7_999_999);

        assertThatThrownBy(() -> jobs.processor().finish(database, job, tooLarge))
                .isInstanceOfSatisfying(PayloadTooLargeException.class, error -> {
                    assertThat(error.bytes()).isEqualTo(8_000_001);
                    assertThat(error.bytesMax()).isEqualTo(8_000_000);
                });
        assertThatThrownBy(() -> jobs.add(database, TEXT, "j2", tooLarge)).isInstanceOf(PayloadTooLargeException.class);

        assertThat(await(jobs.getJobState(database, TEXT, "j1"))).isEqualTo(JobState.RUNNING);
        assertThat(await(jobs.getJobData(database, TEXT, "j1"))).contains("small");
        assertThat(await(jobs.getJobState(database, TEXT, "j2"))).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void dataThatCannotBeWrittenIsRefusedByEveryVerbInEveryState() {
        JobType<Object, ?> type = JobType.of("object", Object.class);
        await(jobs.types().setTypeTimeout(database, type, Duration.ofMinutes(10)));
        assertThatThrownBy(() -> jobs.add(database, type, "j1", new Unwritable()))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("j1");
        assertThat(await(jobs.getJobState(database, type, "j1"))).isEqualTo(JobState.NOT_FOUND);

        await(jobs.add(database, type, "j1", "good"));
        assertThatThrownBy(() -> jobs.add(database, type, "j1", new Unwritable()))
                .isInstanceOf(PayloadException.class);
        Job<Object> job = await(jobs.processor().accept(type)).orElseThrow();
        assertThatThrownBy(() -> jobs.add(database, type, "j1", new Unwritable()))
                .isInstanceOf(PayloadException.class);
        assertThatThrownBy(() -> jobs.processor().update(database, job, new Unwritable()))
                .isInstanceOf(PayloadException.class);
        assertThatThrownBy(() -> jobs.processor().finish(database, job, new Unwritable()))
                .isInstanceOf(PayloadException.class);
        assertThatThrownBy(() -> jobs.processor().resubmit(database, job, NOON, new Unwritable()))
                .isInstanceOf(PayloadException.class);
        assertThat(await(jobs.getJobState(database, type, "j1"))).isEqualTo(JobState.RUNNING);
        assertThat(jobs.processor().isResubmitted(await(jobs.processor().update(database, job))))
                .isFalse();

        await(jobs.processor().finish(database, job));
        assertThatThrownBy(() -> jobs.add(database, type, "j1", new Unwritable()))
                .isInstanceOf(PayloadException.class);
        assertThat(await(jobs.getJobState(database, type, "j1"))).isEqualTo(JobState.FINISHED);
        assertThat(await(jobs.getJobData(database, type, "j1"))).contains("good");
    }

    @Test
    void dataThatCannotBeReadSpoilsNoClaim() {
        await(jobs.add(database, TEXT, "j1", "not a number"));
        JobType<Integer, ?> misread = JobType.of("text", Integer.class);

        assertThat(failureOf(jobs.getJobData(database, misread, "j1"))).isInstanceOf(PayloadException.class);
        Subscription<Integer> subscription = await(jobs.subscribe(database, misread, "j1"));
        assertThatThrownBy(subscription::data).isInstanceOf(PayloadException.class);
        Job<Integer> job = await(jobs.processor().accept(misread)).orElseThrow();
        assertThatThrownBy(job::data).isInstanceOf(PayloadException.class).hasMessageContaining("j1");
        await(jobs.processor().finish(database, job, 7));

        assertThat(await(jobs.getJobData(database, misread, "j1"))).contains(7);
    }

    @Test
    void theNameOfATypeCountsAndNotItsClass() {
        add("j1", 1);
        JobType<Renamed, ?> renamed = JobType.of("index", Renamed.class);

        Job<Renamed> job = await(jobs.processor().accept(renamed)).orElseThrow();

        assertThat(job.data()).isEqualTo(new Renamed(1, null));
    }

    @Test
    void theMapperIsTheCallersChoice() {
        JsonMapper snakeCase = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build();
        record Progress(int numberOfSteps) {}
        JobType<Progress, ?> type = JobType.of("snake", Progress.class);
        await(jobs.types().setTypeTimeout(database, type, Duration.ofMinutes(10)));

        try (CouchJobs mapped = CouchJobs.builder(database)
                .subspace(prefix)
                .objectMapper(snakeCase)
                .build()) {
            await(mapped.add(database, type, "j1", new Progress(3)));
            assertThat(await(mapped.getJobData(database, type, "j1"))).contains(new Progress(3));
        }
        JobType<JsonNode, ?> asStored = JobType.of("snake", JsonNode.class);
        assertThat(await(jobs.getJobData(database, asStored, "j1")).map(JsonNode::toString))
                .isEqualTo(Optional.of("{\"number_of_steps\":3}"));
    }

    /** Stores texts in an object of its own shape. */
    private static final class Wrapped implements JsonCodec {
        @Override
        public byte[] write(Object value, Type type) throws IOException {
            if (value.equals("unwritable")) {
                throw new IOException("the codec cannot write this");
            }
            return ("{\"wrapped\":\"" + value + "\"}").getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Object read(byte[] json, Type type) throws IOException {
            String text = new String(json, StandardCharsets.UTF_8);
            if (text.contains("unreadable")) {
                throw new IOException("the codec cannot read this");
            }
            return text.substring("{\"wrapped\":\"".length(), text.length() - "\"}".length());
        }
    }

    @Test
    void aCodecOfTheCallersWritesAndReadsDataResultsAndEntries() {
        JobType<String, String> type = JobType.of("wrapped", String.class, String.class);
        JobType<JsonNode, JsonNode> asStored = JobType.of("wrapped", JsonNode.class, JsonNode.class);

        try (CouchJobs wrapping = CouchJobs.builder(database)
                .subspace(prefix)
                .codec(new Wrapped())
                .build()) {
            await(wrapping.add(database, type, "j1", "data"));
            Job<String> job = await(wrapping.processor().accept(type)).orElseThrow();
            await(wrapping.processor().log(database, job, "entry"));
            await(wrapping.processor().finishWithResult(database, type, job, "result"));

            assertThat(job.data()).isEqualTo("data");
            assertThat(wrapping.result(type, "j1", LONG)).isEqualTo("result");
            assertThat(await(wrapping.details().entries(database, type, "j1", 0, 1)))
                    .extracting(entry -> entry.as(String.class))
                    .containsExactly("entry");
        }
        assertThat(await(jobs.getJob(database, asStored, "j1")).orElseThrow().result())
                .map(JsonNode::toString)
                .contains("{\"wrapped\":\"result\"}");
    }

    @Test
    void whatACodecRefusesIsAPayloadException() {
        JobType<String, ?> type = JobType.of("wrapped", String.class);

        try (CouchJobs wrapping = CouchJobs.builder(database)
                .subspace(prefix)
                .codec(new Wrapped())
                .build()) {
            assertThatThrownBy(() -> wrapping.add(database, type, "j1", "unwritable"))
                    .isInstanceOf(PayloadException.class)
                    .hasMessageContaining("the codec cannot write this");
            await(wrapping.add(database, type, "j2", "unreadable"));
            assertThat(failureOf(wrapping.getJobData(database, type, "j2")))
                    .isInstanceOf(PayloadException.class)
                    .hasMessageContaining("the codec cannot read this");
        }
    }

    @Test
    void dataThatCannotBeReadHidesNoChangeFromASubscriber() {
        JobType<Integer, ?> misread = JobType.of("text", Integer.class);
        await(jobs.add(database, TEXT, "j1", "no number"));
        Subscription<Integer> subscription = await(jobs.subscribe(database, misread, "j1"));
        await(jobs.processor()
                .finish(database, await(jobs.processor().accept(TEXT)).orElseThrow()));

        JobEvent<Integer> end =
                await(subscription.awaitEvent(JobState.FINISHED, LONG)).orElseThrow();

        assertThat(end.state()).isEqualTo(JobState.FINISHED);
        assertThatThrownBy(end::data).isInstanceOf(PayloadException.class);
    }

    /** Jackson sees none of it. */
    private static final class Hidden {
        @SuppressWarnings("unused") // what would be lost
        private final String secret = "secret";
    }

    /** A marker: there is nothing to lose. */
    private record Nothing() {}

    private static final class Marker {}

    @Test
    void aClassOfWhichJacksonSeesNothingIsRefused() {
        JobType<Hidden, ?> hidden = JobType.of("index", Hidden.class);

        assertThatThrownBy(() -> jobs.add(database, hidden, "j1", new Hidden()))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining(Hidden.class.getName())
                .hasMessageContaining("no properties")
                .hasMessageContaining("record");
        assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aMarkerThatHasNothingToLoseIsStored() {
        JobType<Nothing, ?> nothing = JobType.of("index", Nothing.class);
        JobType<Marker, ?> marker = JobType.of("index", Marker.class);
        await(jobs.add(database, nothing, "j1", new Nothing()));
        await(jobs.add(database, marker, "j2", new Marker()));

        assertThat(await(jobs.getJobData(database, nothing, "j1"))).contains(new Nothing());
        assertThat(await(jobs.getJobData(database, marker, "j2"))).containsInstanceOf(Marker.class);
    }
}
