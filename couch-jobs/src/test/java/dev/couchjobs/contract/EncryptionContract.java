package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AddResult.Change;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.DeadLetter;
import dev.couchjobs.Job;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsException;
import dev.couchjobs.JobsListener;
import dev.couchjobs.LogEntry;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.PayloadEncryption;
import dev.couchjobs.PayloadException;
import dev.couchjobs.PayloadTamperedException;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.Unique;
import dev.couchjobs.UnknownPayloadKeyException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Encrypted payloads are nowhere in the database, and are read with all keys that an instance has. */
class EncryptionContract extends JobsContract {
    private static final JobType<String, String> LETTER = JobType.of("letter", String.class, String.class)
            .retry(RetryPolicy.standard().attempts(2).backoff(Duration.ZERO, 1, Duration.ZERO));
    private static final JobType<String, String> MEMO = JobType.of("memo", String.class, String.class);

    private static final SecretKey OLD = key(1);
    private static final SecretKey NEW = key(2);
    private static final PayloadEncryption BY_OLD = PayloadEncryption.writing("k-old", OLD);
    private static final PayloadEncryption BY_NEW =
            PayloadEncryption.writing("k-new", NEW).reading("k-old", OLD);

    private static final String SECRET = "swordfish";

    private StoredRows rows;
    private CouchJobs old;
    private CouchJobs current;
    private final Set<CouchJobs> opened = new HashSet<>();

    private static SecretKey key(int seed) {
        byte[] bytes = new byte[32];
        Arrays.fill(bytes, (byte) seed);
        return new SecretKeySpec(bytes, "AES");
    }

    @BeforeEach
    void openEncrypting() {
        rows = new StoredRows(database, prefix);
        old = encrypting(BY_OLD);
        current = encrypting(BY_NEW);
    }

    @AfterEach
    void closeEncrypting() {
        opened.forEach(CouchJobs::close);
        opened.clear();
    }

    private CouchJobs encrypting(PayloadEncryption encryption) {
        return encrypting(encryption, new JobsListener() {});
    }

    private CouchJobs encrypting(PayloadEncryption encryption, JobsListener listener) {
        CouchJobs node = CouchJobs.builder(database)
                .subspace(prefix)
                .encryption(encryption)
                .listener(listener)
                .build();
        opened.add(node);
        return node;
    }

    private static String secret(int number) {
        return SECRET + "-" + number;
    }

    private static NewJob<String> letter(int number) {
        return NewJob.of(LETTER, secret(number)).id("l" + number);
    }

    /** {@return the keys of the rows that contain a text, in their keys or values} */
    private List<String> rowsWith(String text) {
        String sought = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return allRows().stream()
                .filter(row -> latin(row.getKey()).contains(sought)
                        || latin(row.getValue()).contains(sought))
                .map(row -> latin(row.getKey()))
                .toList();
    }

    private List<KeyValue> allRows() {
        return await(database.readAsync(tx -> tx.getRange(prefix.range()).asList()));
    }

    private static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private Job<String> accept(CouchJobs node, JobType<String, String> type) {
        return await(node.processor().accept(type)).orElseThrow();
    }

    // Rows at rest

    @Test
    void noPayloadIsReadableInTheDatabase() throws InterruptedException {
        BlockingQueue<JobsListener.Ended> ends = new LinkedBlockingQueue<>();
        CouchJobs worked = encrypting(BY_NEW, new JobsListener() {
            @Override
            public void ended(Ended event) {
                ends.add(event);
            }
        });
        await(old.add(database, letter(1)));
        await(current.addAll(
                database, List.of(letter(2), letter(3).priority(5), letter(4).tags("eu"))));
        await(current.add(database, NewJob.of(LETTER, SECRET.repeat(20_000)).id("large")));
        await(current.add(database, NewJob.of(LETTER, secret(5)).unique(Unique.byData())));
        await(current.statuses().index(LETTER));
        await(old.schedules()
                .put(
                        database,
                        Schedule.every("poll", Duration.ofHours(1), NewJob.of(MEMO, secret(6)))
                                .passingResult(MEMO)));
        await(old.schedules().runNow(database, "poll"));
        assertThat(rowsWith(SECRET)).isEmpty();

        var unusedWorker = worked.worker()
                .handle(LETTER, job -> {
                    assertThat(job.data()).startsWith(SECRET);
                    job.log(new LogLine(SECRET + " in a log"));
                    job.checkpoint(new LogLine(SECRET + " in a checkpoint"));
                    job.progress(1, 2, "half");
                    if (job.id().equals("l3")) {
                        throw new IllegalStateException("no such letter");
                    }
                    return job.data().substring(0, SECRET.length()) + " as a result";
                })
                .start();
        for (int end = 0; end < 7; end++) {
            assertThat(ends.poll(LONG.toSeconds(), TimeUnit.SECONDS)).isNotNull();
        }
        Job<String> polled = accept(current, MEMO);
        assertThat(polled.data()).isEqualTo(secret(6));
        polled = await(current.processor().update(database, polled, secret(7)));
        await(current.processor().finishWithResult(database, MEMO, polled, secret(8)));
        await(old.schedules().runNow(database, "poll"));

        assertThat(rowsWith(SECRET)).isEmpty();
        assertThat(rowsWith("no such letter")).isNotEmpty(); // the search finds what is there
        assertThat(current.result(LETTER, "l1", LONG)).isEqualTo(SECRET + " as a result");
        assertThat(current.result(LETTER, "large", LONG)).isEqualTo(SECRET + " as a result");
        assertThat(await(current.getJobData(database, LETTER, "large"))).contains(SECRET.repeat(20_000));
        assertThat(accept(current, MEMO).data()).isEqualTo(secret(8));
        List<LogEntry> entries = await(current.details().entries(database, LETTER, "l2", 0, 10));
        assertThat(entries.get(0).as(LogLine.class).line()).isEqualTo(SECRET + " in a log");
        assertThat(entries.get(0).json()).contains(SECRET);
        assertThat(entries.get(0).toString()).doesNotContain(SECRET);
        assertThat(await(current.details().lastCheckpoint(database, LETTER, "l2"))
                        .orElseThrow()
                        .as(LogLine.class)
                        .line())
                .isEqualTo(SECRET + " in a checkpoint");
        assertThat(await(current.deadLetters().list(database, LETTER, PageRequest.of(10)))
                        .items())
                .extracting(DeadLetter::jobId)
                .containsExactly("l3");
        assertThat(await(current.deadLetters().retry(database, LETTER, "l3"))).isTrue();
        assertThat(rowsWith(SECRET)).isEmpty();
    }

    record LogLine(String line) {}

    @Test
    void twoEncryptionsOfOnePayloadDiffer() {
        await(current.add(database, letter(1)));
        await(current.add(database, letter(1).id("l2")));

        assertThat(payload("l1")).isNotEqualTo(payload("l2")).hasSameSizeAs(payload("l2"));
    }

    private byte[] payload(String jobId) {
        return (byte[]) rows.value("data", "letter", jobId).get(4);
    }

    // Rotation

    @Test
    void allKnownKeysAreReadAndOneIsWritten() {
        await(old.add(database, letter(1)));
        await(jobs.add(database, letter(2)));
        await(current.add(database, letter(3)));

        for (String id : List.of("l1", "l2", "l3")) {
            assertThat(await(current.getJobData(database, LETTER, id))).contains(SECRET + "-" + id.substring(1));
        }
        assertThat(latin(payload("l1"))).contains("k-old");
        assertThat(latin(payload("l2"))).contains(SECRET);
        assertThat(latin(payload("l3"))).contains("k-new");
        assertThat(await(encrypting(PayloadEncryption.writingPlaintext().reading("k-new", NEW))
                        .getJobData(database, LETTER, "l3")))
                .contains(secret(3));
    }

    @Test
    void aPayloadOfAnUnknownKeyNamesTheKeyAndWhatToDo() {
        await(current.add(database, letter(1)));

        assertThat(failureOf(old.getJobData(database, LETTER, "l1")))
                .isInstanceOf(UnknownPayloadKeyException.class)
                .hasMessageContaining("\"k-new\"")
                .hasMessageContaining("it has k-old")
                .hasMessageContaining("PayloadEncryption.reading")
                .extracting(error -> ((UnknownPayloadKeyException) error).keyId())
                .isEqualTo("k-new");
        assertThat(failureOf(jobs.getJobData(database, LETTER, "l1"))).isInstanceOf(UnknownPayloadKeyException.class);
        assertThat(await(jobs.getJobState(database, LETTER, "l1"))).isEqualTo(JobState.PENDING);
    }

    @Test
    void aProcessWithoutTheKeyFailsAnAttemptAndAnotherProcessRunsTheJob() throws InterruptedException {
        BlockingQueue<JobsListener.Ended> ends = new LinkedBlockingQueue<>();
        CouchJobs without = encrypting(BY_OLD, new JobsListener() {
            @Override
            public void ended(Ended event) {
                ends.add(event);
            }
        });
        JobType<String, String> patient = LETTER.retry(
                RetryPolicy.standard().attempts(2).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1)));
        await(current.add(database, letter(1)));
        try (var worker = without.worker().handle(patient, job -> job.data()).start()) {
            assertThat(worker.name()).isNotEmpty();
            JobsListener.Ended end = Objects.requireNonNull(ends.poll(LONG.toSeconds(), TimeUnit.SECONDS));
            assertThat(end.isRetried()).isTrue();
            assertThat(end.error().orElseThrow()).contains("\"k-new\"");
        }

        var unused = current.worker().handle(patient, job -> job.data()).start();

        assertThat(current.result(LETTER, "l1", LONG)).isEqualTo(secret(1));
    }

    // Unchanged data

    @Test
    void addingAJobAsItIsWritesNothingUntilTheKeyChanges() {
        await(old.add(database, letter(1)));
        byte[] before = payload("l1");

        assertThat(await(old.add(database, letter(1))).change()).isEqualTo(Change.UNCHANGED);
        assertThat(payload("l1")).isEqualTo(before);
        assertThat(await(current.add(database, letter(1))).change()).isEqualTo(Change.REPLACED);
        assertThat(latin(payload("l1"))).contains("k-new");
        assertThat(await(current.add(database, letter(1))).change()).isEqualTo(Change.UNCHANGED);
        assertThat(await(jobs.add(database, letter(1))).change()).isEqualTo(Change.REPLACED);
        assertThat(latin(payload("l1"))).contains(SECRET);
        assertThat(await(current.add(database, letter(1))).change()).isEqualTo(Change.REPLACED);
        assertThat(await(current.add(database, NewJob.of(LETTER, secret(2)).id("l1")))
                        .change())
                .isEqualTo(Change.REPLACED);
    }

    @Test
    void largeDataIsRecognisedToo() {
        NewJob<String> large = NewJob.of(LETTER, SECRET.repeat(30_000)).id("l1");
        await(current.add(database, large));

        assertThat(await(current.add(database, large)).change()).isEqualTo(Change.UNCHANGED);
    }

    @Test
    void jobsAreUniqueByTheirDataWhateverTheKey() {
        NewJob<String> unique = NewJob.of(LETTER, secret(1)).unique(Unique.byData());
        String first = await(old.add(database, unique)).jobId();

        assertThat(await(current.add(database, unique)).jobId()).isEqualTo(first);
        assertThat(await(jobs.add(database, unique)).jobId()).isEqualTo(first);
    }

    @Test
    void puttingAScheduleAgainEncryptsItsDataWithTheCurrentKey() {
        Schedule schedule = Schedule.every("poll", Duration.ofHours(1), NewJob.of(MEMO, secret(1)));
        await(old.schedules().put(database, schedule));
        assertThat(rowsWith("k-old")).hasSize(2); // the schedule, and its first job

        await(current.schedules().put(database, schedule));

        assertThat(rowsWith("k-old")).isEmpty();
        assertThat(rowsWith("k-new")).hasSize(2);
        List<KeyValue> before =
                await(database.readAsync(tx -> tx.getRange(prefix.range()).asList()));
        await(current.schedules().put(database, schedule));
        assertThat(allRows()).isEqualTo(before);
    }

    // Damage

    @Test
    void aPayloadThatWasChangedHarmsItsJobAlone() {
        await(current.addAll(database, List.of(letter(1), letter(2))));
        byte[] payload = payload("l1");
        payload[payload.length - 1] ^= 1;
        putPayload("letter", "l1", payload);

        var unused = current.worker().handle(LETTER, job -> job.data()).start();

        assertThat(current.result(LETTER, "l2", LONG)).isEqualTo(secret(2));
        assertThatThrownBy(() -> current.result(LETTER, "l1", LONG))
                .isInstanceOf(JobsException.class)
                .hasMessageContaining("l1")
                .hasMessageContaining(PayloadTamperedException.class.getSimpleName());
        JobInfo<String, String> failed =
                await(current.getJob(database, LETTER, "l1")).orElseThrow();
        assertThat(failed.state()).isEqualTo(JobState.FINISHED);
        assertThatThrownBy(failed::data)
                .isInstanceOf(PayloadTamperedException.class)
                .hasMessageContaining("bytes were changed");
    }

    @Test
    void everyBitOfAPayloadIsProtected() {
        await(current.add(database, letter(1)));
        byte[] whole = payload("l1");
        for (int at = 0; at < whole.length; at++) {
            byte[] changed = whole.clone();
            changed[at] ^= 0x10;
            putPayload("letter", "l1", changed);
            assertThat(failureOf(current.getJobData(database, LETTER, "l1")))
                    .as("byte " + at)
                    .isInstanceOf(PayloadException.class);
            putPayload("letter", "l1", Arrays.copyOf(whole, at));
            assertThat(failureOf(current.getJobData(database, LETTER, "l1")))
                    .as("cut at byte " + at)
                    .isInstanceOf(PayloadException.class);
        }
    }

    @Test
    void aPayloadOfAnotherTypeOrUseIsRefused() {
        await(current.add(database, letter(1)));
        await(current.add(database, MEMO, "m1", secret(2)));
        putPayload("memo", "m1", payload("l1"));

        assertThat(failureOf(current.getJobData(database, MEMO, "m1"))).isInstanceOf(PayloadTamperedException.class);
    }

    private void putPayload(String type, String jobId, byte[] payload) {
        List<Object> row = rows.value("data", type, jobId);
        row.set(4, payload);
        rows.put(Tuple.fromItems(row), "data", type, jobId);
    }

    @Test
    void plaintextIsRefusedOnRequest() {
        await(jobs.add(database, letter(1)));
        await(current.add(database, letter(2)));
        CouchJobs strict = encrypting(BY_NEW.refusingPlaintext());

        assertThat(failureOf(strict.getJobData(database, LETTER, "l1")))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("is not encrypted");
        assertThat(await(strict.getJobData(database, LETTER, "l2"))).contains(secret(2));
        assertThatThrownBy(() -> PayloadEncryption.writingPlaintext().refusingPlaintext())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("writing(");
    }

    // What says nothing

    @Test
    void errorsOfTheCodecDoNotQuoteThePayload() {
        await(current.add(database, letter(1)));
        JobType<Integer, Void> number = JobType.of("letter", Integer.class);

        Throwable failure = failureOf(current.getJobData(database, number, "l1"));

        assertThat(failure).isInstanceOf(PayloadException.class).hasNoCause();
        assertThat(failure.getMessage()).doesNotContain(SECRET).contains("left out");
        await(jobs.add(database, letter(2)));
        assertThat(failureOf(jobs.getJobData(database, number, "l2"))).hasMessageContaining(SECRET);
    }

    @Test
    void keysAreShownNowhere() {
        assertThat(BY_NEW)
                .hasToString("PayloadEncryption[writes k-new, reads [k-new, k-old]]")
                .asString()
                .doesNotContain("0202");
        assertThat(PayloadEncryption.writingPlaintext()).hasToString("PayloadEncryption[writes plaintext, reads []]");
    }

    @Test
    void keysThatCannotBeUsedAreRefused() {
        assertThatThrownBy(() -> PayloadEncryption.writing("short", new SecretKeySpec(new byte[16], "AES")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"short\"")
                .hasMessageContaining("128 bits");
        assertThatThrownBy(() -> PayloadEncryption.writing("other", new SecretKeySpec(new byte[32], "HmacSHA256")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("HmacSHA256");
        assertThatThrownBy(() -> PayloadEncryption.writing("", OLD)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PayloadEncryption.writing("x".repeat(65), OLD))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65");
        assertThatThrownBy(() -> BY_NEW.reading("k-old", NEW))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("k-old");
    }
}
