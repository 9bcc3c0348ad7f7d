package dev.couchjobs.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AddResult;
import dev.couchjobs.Batch;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PayloadEncryption;
import dev.couchjobs.PayloadException;
import dev.couchjobs.RawPayload;
import dev.couchjobs.Schedule;
import dev.couchjobs.Subscription;
import dev.couchjobs.Unique;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import javax.crypto.spec.SecretKeySpec;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.node.NullNode;

/** Payloads as bytes: the same come back, equal data is known as equal, and no reader meets what it refuses. */
@SuppressWarnings("FutureReturnValueIgnored") // whoever runs a verb gets what it returns
class RawPayloadContract extends JobsContract {
    private static final JobType<RawPayload, RawPayload> RAW =
            JobType.of("payload", RawPayload.class, RawPayload.class);
    private static final JobType<Object, Object> VALUES =
            JobType.of("payload", new TypeReference<Object>() {}, new TypeReference<Object>() {});
    private static final PayloadEncryption KEYS =
            PayloadEncryption.writing("k1", new SecretKeySpec(new byte[32], "AES"));
    private static final RawPayload EXACT =
            RawPayload.json("{\"amount\" : 0.12345678901234567890,\n \"rate\": 1e400, \"a\\u0062\": [1.0, \"\\/\"] }");

    @BeforeEach
    void setTimeout() {
        await(jobs.types().setTypeTimeout(database, RAW, Duration.ofMinutes(10)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theSameBytesComeBackOnEveryWay(boolean isEncrypted) {
        PayloadEncryption keys = isEncrypted ? KEYS : PayloadEncryption.writingPlaintext();
        try (CouchJobs node =
                CouchJobs.builder(database).subspace(prefix).encryption(keys).build()) {
            await(node.add(database, RAW, "j1", EXACT));
            assertThat(await(node.getJobData(database, RAW, "j1"))).contains(EXACT);
            Subscription<RawPayload> subscription = await(node.subscribe(database, RAW, "j1"));
            assertThat(subscription.data()).contains(EXACT);

            Job<RawPayload> job = await(node.processor().accept(RAW)).orElseThrow();
            assertThat(job.data()).isEqualTo(EXACT);
            assertThat(await(node.processor().update(database, job)).data()).isEqualTo(EXACT);
            await(node.processor().log(database, job, EXACT));
            await(node.processor().checkpoint(database, job, EXACT));
            await(node.processor().finishWithResult(database, RAW, job, EXACT));

            JobEvent<RawPayload> end =
                    await(subscription.awaitEvent(JobState.FINISHED, LONG)).orElseThrow();
            assertThat(end.data()).contains(EXACT);
            var stored = await(node.getJob(database, RAW, "j1")).orElseThrow();
            assertThat(stored.data()).isEqualTo(EXACT);
            assertThat(stored.result()).contains(EXACT);
            assertThat(node.result(RAW, "j1", LONG)).isEqualTo(EXACT);
            assertThat(await(node.details().entries(database, RAW, "j1", 0, 2)))
                    .allSatisfy(entry -> {
                        assertThat(entry.json()).isEqualTo(EXACT.toString());
                        assertThat(entry.as(RawPayload.class)).isEqualTo(EXACT);
                    })
                    .hasSize(2);
        }
    }

    static Stream<RawPayload> contents() {
        byte[] all = new byte[200_000];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        return Stream.of(
                RawPayload.of("image/png", all),
                RawPayload.of("text/plain; charset=utf-8", "{\"a\":1}".getBytes(UTF_8)),
                RawPayload.of("application/" + "x".repeat(188), new byte[0]),
                RawPayload.of("application/cbor", new byte[] {(byte) 0xC0, 1, 2}),
                RawPayload.of("application/json", new byte[] {'1'}));
    }

    @ParameterizedTest
    @MethodSource("contents")
    void anyBytesComeBackWithTheirMediaType(RawPayload content) {
        for (PayloadEncryption keys : List.of(PayloadEncryption.writingPlaintext(), KEYS)) {
            try (CouchJobs node = CouchJobs.builder(database)
                    .subspace(prefix)
                    .encryption(keys)
                    .build()) {
                String id = await(node.add(database, NewJob.of(RAW, content))).jobId();
                Job<RawPayload> job = await(node.processor().accept(RAW)).orElseThrow();
                assertThat(job.data()).isEqualTo(content);
                await(node.processor().finishWithResult(database, RAW, job, content));

                assertThat(node.result(RAW, id, LONG)).isEqualTo(content);
                assertThat(await(node.getJobData(database, RAW, id))).contains(content);
            }
        }
    }

    @Test
    void bytesNeedNoClassOfTheirOwn() {
        JobType<byte[], byte[]> type = JobType.of("payload", byte[].class, byte[].class);
        byte[] bytes = {0, -1, -64, '{'};
        await(jobs.add(database, type, "j1", bytes));
        assertThat(await(jobs.getJobData(database, RAW, "j1"))).contains(RawPayload.of(RawPayload.BYTES, bytes));

        Job<byte[]> job = await(jobs.processor().accept(type)).orElseThrow();
        assertThat(job.data()).isEqualTo(bytes);
        await(jobs.processor().finishWithResult(database, type, job, bytes));

        assertThat(jobs.result(type, "j1", LONG)).isEqualTo(bytes);
    }

    @Test
    void bytesAreNoJsonAndNoEntryOfALog() {
        RawPayload image = RawPayload.of("image/png", new byte[] {1, 2});
        await(jobs.add(database, RAW, "j1", image));

        assertThat(failureOf(jobs.getJobData(database, VALUES, "j1")))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("it is no JSON, but 2 bytes of image/png");
        Job<RawPayload> job = await(jobs.processor().accept(RAW)).orElseThrow();
        for (Object entry : List.of(image, new byte[] {1})) {
            assertThatThrownBy(() -> jobs.processor().log(database, job, entry))
                    .isInstanceOf(PayloadException.class)
                    .hasMessageContaining("no JSON");
        }
    }

    @Test
    void equalBytesOfOneMediaTypeAreDuplicates() {
        byte[] bytes = {1, 2, 3};
        assertThat(addUnique("j1", RawPayload.of("image/png", bytes))).isEqualTo(AddResult.Change.ADDED);
        assertThat(addUnique("j2", RawPayload.of("image/png", bytes))).isEqualTo(AddResult.Change.UNCHANGED);
        assertThat(addUnique("j3", RawPayload.of("image/gif", bytes))).isEqualTo(AddResult.Change.ADDED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "image", "image/", "/png", "a b/c", "image/png\r\nX: y", "é/x", "image/png,text/html"})
    void aMediaTypeHasATypeAndASubtype(String mediaType) {
        assertThatThrownBy(() -> RawPayload.of(mediaType, new byte[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("A media type is");
        assertThatThrownBy(() -> RawPayload.of("a/" + "b".repeat(199), new byte[0]))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aScheduleGivesItsJobsTheBytesThatItWasPutWith() {
        await(jobs.schedules().put(database, Schedule.every("s", Duration.ofHours(1), NewJob.of(RAW, EXACT))));
        await(jobs.schedules().runNow(database, "s"));

        assertThat(await(jobs.processor().accept(RAW)).orElseThrow().data()).isEqualTo(EXACT);
    }

    static Stream<Arguments> unreadable() {
        List<Object> nested = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            nested = new ArrayList<>(List.of(nested));
        }
        return Stream.of(
                Arguments.of(nested, "nested deeper than 400 levels"),
                Arguments.of(BigInteger.TEN.pow(1_000), "more than 1,000 characters"),
                Arguments.of(Map.of("n".repeat(60_000), 1), "longer than 50,000 bytes in UTF-8"),
                Arguments.of(Map.of("€".repeat(22_000), 1), "longer than 50,000 bytes in UTF-8"),
                Arguments.of(Map.of("\uD83D", 1), "surrogate"),
                Arguments.of(List.of("\uDE00"), "surrogate"));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void whatNoReaderTakesIsRefusedByEveryVerbAndChangesNothing(Object value, String reason) {
        await(jobs.add(database, VALUES, "j1", "good"));
        Job<Object> job = await(jobs.processor().accept(VALUES)).orElseThrow();
        Map<String, Callable<?>> verbs = new LinkedHashMap<>();
        verbs.put("add", () -> jobs.add(database, VALUES, "j2", value));
        verbs.put("add again", () -> jobs.add(database, VALUES, "j1", value));
        verbs.put("addAll", () -> jobs.addAll(database, List.of(NewJob.of(VALUES, value))));
        verbs.put("update", () -> jobs.processor().update(database, job, value));
        verbs.put("finish", () -> jobs.processor().finish(database, job, value));
        verbs.put("finishWithResult", () -> jobs.processor().finishWithResult(database, VALUES, job, value));
        verbs.put("resubmit", () -> jobs.processor().resubmit(database, job, NOON, value));
        verbs.put("log", () -> jobs.processor().log(database, job, value));
        verbs.put("checkpoint", () -> jobs.processor().checkpoint(database, job, value));
        verbs.put(
                "put",
                () -> jobs.schedules()
                        .put(database, Schedule.every("s", Duration.ofHours(1), NewJob.of(VALUES, value))));

        SoftAssertions softly = new SoftAssertions();
        verbs.forEach((name, verb) -> softly.assertThatThrownBy(verb::call)
                .as(name)
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining(reason)
                .hasMessageEndingWith("Nothing was stored."));
        softly.assertAll();

        assertThat(await(jobs.getJobData(database, VALUES, "j1"))).contains("good");
        assertThat(await(jobs.getJobState(database, VALUES, "j2"))).isEqualTo(JobState.NOT_FOUND);
        assertThat(await(jobs.schedules().get(database, "s"))).isEmpty();
    }

    /** Data is never null, whichever way it was written: a handler would not expect it, nor does the server take it. */
    @ParameterizedTest
    @ValueSource(strings = {"null", " null ", "\n\t\r null\n"})
    void noJobHasNullAsItsData(String text) {
        RawPayload raw = RawPayload.json(text);
        NewJob<Object> unset = NewJob.of(VALUES, NullNode.getInstance());
        await(jobs.add(database, RAW, "j1", EXACT));
        Job<RawPayload> job = await(jobs.processor().accept(RAW)).orElseThrow();
        NewJob<RawPayload> other = NewJob.of(RAW, raw).id("j2");
        Map<String, Callable<?>> verbs = new LinkedHashMap<>();
        verbs.put("add", () -> jobs.add(database, other));
        verbs.put("add again", () -> jobs.add(database, other.id("j1")));
        verbs.put("add unique", () -> jobs.add(database, other.unique(Unique.byData())));
        verbs.put("add what is written as null", () -> jobs.add(database, unset));
        verbs.put("addAll", () -> jobs.addAll(database, List.of(other, unset)));
        verbs.put("update", () -> jobs.processor().update(database, job, raw));
        verbs.put("finish", () -> jobs.processor().finish(database, job, raw));
        verbs.put("resubmit", () -> jobs.processor().resubmit(database, job, NOON, raw));
        Schedule schedule = Schedule.every("s", Duration.ofHours(1), NewJob.of(RAW, raw));
        verbs.put("put", () -> jobs.schedules().put(database, schedule));
        verbs.put("open", () -> jobs.batches().open(database, Batch.of("b").closing(other)));

        SoftAssertions softly = new SoftAssertions();
        verbs.forEach((name, verb) -> softly.assertThatThrownBy(verb::call)
                .as(name)
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("is null in JSON")
                .hasMessageEndingWith("Nothing was stored."));
        softly.assertAll();

        assertThat(await(jobs.getJobData(database, RAW, "j1"))).contains(EXACT);
        assertThat(await(jobs.getJobState(database, RAW, "j2"))).isEqualTo(JobState.NOT_FOUND);
    }

    private AddResult.Change addUnique(String id, RawPayload text) {
        return await(jobs.add(database, NewJob.of(RAW, text).id(id).unique(Unique.byData())))
                .change();
    }

    @Test
    void equalDataIsADuplicateHoweverItIsWritten() {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("b", 1.5);
        data.put("a", List.of(1, "ü"));
        await(jobs.add(database, NewJob.of(VALUES, data).id("j1").unique(Unique.byData())));

        assertThat(addUnique("j2", RawPayload.json("{ \"a\": [1.0, \"\\u00fc\"], \"b\": 15e-1 }")))
                .isEqualTo(AddResult.Change.UNCHANGED);
        assertThat(addUnique("j3", RawPayload.json("{\"a\":[\"ü\",1],\"b\":1.5}")))
                .isEqualTo(AddResult.Change.ADDED);
    }

    @Test
    void addingAPendingJobWithEqualDataWritesNothing() {
        await(jobs.add(database, RAW, "j1", RawPayload.json("{\"a\":1,\"b\":[2]}")));

        try (Transaction tx = database.createTransaction()) {
            await(jobs.add(tx, RAW, "j1", RawPayload.json("{\"b\":[2.0], \"a\":1e0}")));
            await(tx.commit());
            assertThat(tx.getCommittedVersion()).isEqualTo(-1);
        }
        assertThat(await(jobs.getJobData(database, RAW, "j1"))).contains(RawPayload.json("{\"a\":1,\"b\":[2]}"));
    }

    @Test
    void aScheduleThatIsPutAgainWithEqualDataKeepsTheResultThatItPasses() {
        await(jobs.schedules().put(database, polling("{\"page\":0,\"of\":[1]}")));
        await(jobs.schedules().runNow(database, "s"));
        Job<RawPayload> job = await(jobs.processor().accept(RAW)).orElseThrow();
        await(jobs.processor().finishWithResult(database, RAW, job, RawPayload.json("{\"page\":1}")));

        await(jobs.schedules().put(database, polling("{\"of\":[1.0], \"page\":0e0}")));
        await(jobs.schedules().runNow(database, "s"));

        assertThat(await(jobs.processor().accept(RAW)).orElseThrow().data()).isEqualTo(RawPayload.json("{\"page\":1}"));
    }

    private static Schedule polling(String first) {
        return Schedule.every("s", Duration.ofHours(1), NewJob.of(RAW, RawPayload.json(first)))
                .passingResult(RAW);
    }
}
