package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.AddResult;
import dev.couchjobs.Job;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Headers travel with their job. */
class HeadersContract extends JobsContract {
    private static final NewJob<WorkData> JOB =
            NewJob.of(INDEX, new WorkData(1)).id("j1");

    private StoredRows rows;

    @BeforeEach
    void openRows() {
        rows = new StoredRows(database, prefix);
    }

    private AddResult.Change put(NewJob<?> job) {
        return await(jobs.add(database, job)).change();
    }

    private JobInfo<WorkData, ?> info(String jobId) {
        return await(jobs.getJob(database, INDEX, jobId)).orElseThrow();
    }

    @Test
    void headersAreWithTheJobAndItsClaims() {
        put(JOB.header("trace", "t1").header("tenant", "größer"));

        assertThat(info("j1").headers()).containsExactly(entry("tenant", "größer"), entry("trace", "t1"));
        Job<WorkData> job = accept();
        assertThat(job.headers()).containsExactly(entry("tenant", "größer"), entry("trace", "t1"));
        assertThat(await(jobs.processor().update(database, job)).headers()).hasSize(2);
        await(jobs.processor().finish(database, job));
        assertThat(info("j1").headers()).hasSize(2);
    }

    @Test
    void headersGoWithAnyOtherOptions() {
        NewJob<WorkData> plain = JOB.header("empty", "");
        put(plain.id("plain"));
        put(plain.id("tagged").tags("eu", "import"));
        put(plain.id("keys").limitKey("l").turnKey("t").sequence("s").priority(7));

        assertThat(info("plain").headers()).containsExactly(entry("empty", ""));
        assertThat(info("tagged").headers()).containsExactly(entry("empty", ""));
        assertThat(info("tagged").tags()).containsExactly("eu", "import");
        assertThat(info("keys").headers()).containsExactly(entry("empty", ""));
        assertThat(info("keys").sequence()).contains("s");
        assertThat(info("keys").tags()).isEmpty();
    }

    @Test
    void everyJobOfABatchHasItsOwn() {
        await(jobs.addAll(database, List.of(JOB.header("n", "1"), JOB.id("j2").header("n", "2"), JOB.id("j3"))));

        assertThat(List.of(info("j1"), info("j2"), info("j3")))
                .extracting(JobInfo::headers)
                .isEqualTo(List.of(Map.of("n", "1"), Map.of("n", "2"), Map.of()));
    }

    @Test
    void everyAttemptHasThem() throws InterruptedException {
        JobType<WorkData, Void> type = JobType.of(INDEX.name(), WorkData.class)
                .retry(RetryPolicy.standard().attempts(3).backoff(Duration.ZERO, 1, Duration.ZERO));
        BlockingQueue<Map<String, String>> seen = new LinkedBlockingQueue<>();
        put(JOB.header("trace", "t1"));

        var unused = jobs.worker()
                .process(type, job -> {
                    seen.add(job.job().headers());
                    throw new IllegalStateException("bad luck");
                })
                .start();

        for (int attempt = 1; attempt <= 3; attempt++) {
            assertThat(seen.poll(LONG.toSeconds(), TimeUnit.SECONDS)).containsExactly(entry("trace", "t1"));
        }
    }

    @Test
    void aDeadLetterThatIsSentAgainKeepsThem() {
        put(JOB.header("trace", "t1").retry(RetryPolicy.standard().attempts(1)));
        await(jobs.processor().fail(database, accept(), new IllegalStateException("bad luck")));

        await(jobs.deadLetters().retry(database, INDEX, "j1"));

        assertThat(accept().headers()).containsExactly(entry("trace", "t1"));
    }

    @Test
    void headersAloneAreNoChange() {
        put(JOB.header("trace", "t1"));
        byte[] before = rows.bytes("data", "index", "j1");

        assertThat(put(JOB.header("trace", "t2"))).isEqualTo(AddResult.Change.UNCHANGED);
        assertThat(put(JOB)).isEqualTo(AddResult.Change.UNCHANGED);

        assertThat(rows.bytes("data", "index", "j1")).isEqualTo(before);
    }

    @Test
    void aPendingJobThatIsReplacedHasTheNewHeaders() {
        put(JOB.header("trace", "t1"));

        assertThat(put(JOB.header("trace", "t2").priority(3))).isEqualTo(AddResult.Change.REPLACED);
        assertThat(info("j1").headers()).containsExactly(entry("trace", "t2"));
        assertThat(put(JOB)).isEqualTo(AddResult.Change.REPLACED);
        assertThat(info("j1").headers()).isEmpty();
    }

    @Test
    void aRunningJobThatIsAddedAgainKeepsThem() {
        put(JOB.header("trace", "t1"));
        Job<WorkData> running = accept();

        assertThat(put(JOB.header("trace", "t2"))).isEqualTo(AddResult.Change.RESUBMITTED);
        await(jobs.processor().finish(database, running));

        assertThat(accept().headers()).containsExactly(entry("trace", "t1"));
    }

    @Test
    void anEndedJobThatIsAddedAgainHasTheNewHeaders() {
        put(JOB.header("trace", "t1"));
        await(jobs.processor().finish(database, accept()));

        assertThat(put(JOB.header("trace", "t2"))).isEqualTo(AddResult.Change.RUN_AGAIN);

        assertThat(accept().headers()).containsExactly(entry("trace", "t2"));
    }

    @Test
    void anArchiveReceivesThem() {
        JobType<WorkData, Void> archived = JobType.of(INDEX.name(), WorkData.class)
                .retention(Retention.of(Duration.ofHours(1)).archived());
        put(NewJob.of(archived, new WorkData(1)).id("j1").header("trace", "t1"));
        await(jobs.processor()
                .finish(database, await(jobs.processor().accept(archived)).orElseThrow()));
        CompletableFuture<Map<String, String>> shelf = new CompletableFuture<>();

        node(() -> Instant.now().plus(Duration.ofHours(2))).maintenance().archive(archived, page -> {
            shelf.complete(page.get(0).headers());
            return CompletableFuture.completedFuture(page);
        });

        assertThat(await(shelf)).containsExactly(entry("trace", "t1"));
    }

    @Test
    void headersJoinTheTransactionOfTheCaller() {
        try (Transaction tx = database.createTransaction()) {
            await(jobs.add(tx, JOB.header("trace", "t1")));
            assertThat(await(jobs.getJob(tx, INDEX, "j1")).orElseThrow().headers())
                    .containsExactly(entry("trace", "t1"));
        }

        assertThat(rows.isThere("data", "index", "j1")).isFalse();
        assertThat(rows.value("layout")).containsExactly(1L, 1L, 1L);
    }

    @Test
    void theFirstHeaderKeepsOlderVersionsOut() {
        put(JOB.id("j2"));
        assertThat(rows.value("layout")).containsExactly(1L, 1L, 1L);

        put(JOB.header("trace", "t1"));

        assertThat(rows.value("layout")).containsExactly(16L, 16L, 16L, "", "", "", 1L << 16);
    }

    @Test
    void badInputIsRefused() {
        for (String name : List.of("", "x".repeat(129), "ü".repeat(65), "\ud800")) {
            assertThatThrownBy(() -> JOB.header(name, "value"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("The name of a header has 1 to 128 bytes");
        }
        assertThatThrownBy(() -> JOB.header("name", "\udc00"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("half of a surrogate pair: encode");
        NewJob<WorkData> full = JOB.header("name", "x".repeat(4_092));
        assertThat(full.header("name", "other").headers()).containsExactly(entry("name", "other"));
        assertThatThrownBy(() -> full.header("n", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("these are 2 of 4097 bytes");
        NewJob<WorkData> many = JOB;
        for (int i = 0; i < 32; i++) {
            many = many.header("h" + i, "");
        }
        NewJob<WorkData> most = many;
        assertThat(put(most)).isEqualTo(AddResult.Change.ADDED);
        assertThatThrownBy(() -> most.header("h32", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 32 headers");
        assertThatThrownBy(() -> Schedule.every(
                        "s",
                        Duration.ofMinutes(1),
                        NewJob.of(INDEX, new WorkData(1)).header("trace", "t1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("leave out header");
    }
}
