package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobProgress;
import dev.couchjobs.JobState;
import dev.couchjobs.LogEntry;
import dev.couchjobs.PayloadException;
import dev.couchjobs.PayloadTooLargeException;
import dev.couchjobs.SequenceNotVisibleException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Features E4 and E6: the log of a job, its checkpoints and progress, and reads that are not too old. */
class LogContract extends JobsContract {
    private StoredRows rows;

    @BeforeEach
    void openRows() {
        rows = new StoredRows(database, prefix);
    }

    private List<LogEntry> log(String jobId) {
        return await(jobs.details().entries(database, INDEX, jobId, 0, 1_000));
    }

    private List<Long> numbers(String jobId) {
        return log(jobId).stream().map(LogEntry::number).toList();
    }

    @Test
    void entriesAreNumberedFromOneAndReadInTheirOrder() {
        Job<WorkData> job = accepted("j1", 1);

        assertThat(await(jobs.processor().log(database, job, "one"))).isEqualTo(1);
        assertThat(await(jobs.processor().log(database, job, new WorkData(2)))).isEqualTo(2);

        List<LogEntry> log = log("j1");
        assertThat(log.get(0).as(String.class)).isEqualTo("one");
        assertThat(log.get(0).json()).isEqualTo("\"one\"");
        assertThat(log.get(1).as(WorkData.class)).isEqualTo(new WorkData(2));
        assertThat(log).allMatch(entry -> entry.claim() == 1 && entry.kind() == LogEntry.Kind.LOG);
        assertThat(numbers("j1")).containsExactly(1L, 2L);
    }

    @Test
    void aLogIsReadOnFromAnyEntry() {
        Job<WorkData> job = accepted("j1", 1);
        for (int i = 1; i <= 5; i++) {
            await(jobs.processor().log(database, job, i));
        }

        assertThat(await(jobs.details().entries(database, INDEX, "j1", 2, 2)))
                .extracting(LogEntry::number)
                .containsExactly(3L, 4L);
        assertThat(await(jobs.details().entries(database, INDEX, "j1", 5, 2))).isEmpty();
        assertThat(await(jobs.details().entries(database, INDEX, "never", 0, 2)))
                .isEmpty();
    }

    @Test
    void severalEntriesInOneTransactionHaveNumbersOfTheirOwn() {
        Job<WorkData> job = accepted("j1", 1);

        commit(tx -> {
            List<CompletableFuture<Long>> all = IntStream.range(0, 20)
                    .mapToObj(i -> jobs.processor().log(tx, job, i))
                    .toList();
            all.forEach(JobsContract::await);
        });

        assertThat(numbers("j1"))
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 20).boxed().toList());
    }

    @Test
    void entriesThatAreWrittenSideBySideHaveNumbersOfTheirOwn() {
        Job<WorkData> job = accepted("j1", 1);

        List<CompletableFuture<Long>> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(jobs.processor().log(database, job, i));
        }

        assertThat(all.stream().map(JobsContract::await))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, 20).boxed().toList());
        assertThat(numbers("j1")).hasSize(20);
    }

    @Test
    void anEntryJoinsTheCallersTransactionAndIsItsFence() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.remove(database, INDEX, "j1"));

        try (var tx = database.createTransaction()) {
            tx.set(key("effect"), new byte[0]);
            assertThat(failureOf(jobs.processor().log(tx, job, "late"))).isInstanceOf(JobHaltedException.class);
            assertThat(failureOf(tx.commit())).isNotNull();
        }
        assertThat(isWritten("effect")).isFalse();
        assertThat(rows.under("log")).isEmpty();
    }

    @Test
    void whoLostTheJobWritesNothing() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().finish(database, job));

        assertThat(failureOf(jobs.processor().log(database, job, "late"))).isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.processor().checkpoint(database, job, "late")))
                .isInstanceOf(JobHaltedException.class);
        assertThat(failureOf(jobs.processor().progress(database, job, 1, 2, "")))
                .isInstanceOf(JobHaltedException.class);
        assertThat(log("j1")).isEmpty();
    }

    @Test
    void theNextAttemptGoesOnFromTheLastCheckpoint() {
        Job<WorkData> first = accepted("j1", 1);
        await(jobs.processor().checkpoint(database, first, new WorkData(10)));
        await(jobs.processor().checkpoint(database, first, new WorkData(20)));
        await(jobs.processor().log(database, first, "more"));
        await(jobs.processor().resubmit(database, first));
        await(jobs.processor().finish(database, first));

        Job<WorkData> second = accept();
        LogEntry checkpoint = await(jobs.details().lastCheckpoint(database, INDEX, second.id()))
                .orElseThrow();
        await(jobs.processor().log(database, second, "again"));

        assertThat(checkpoint.as(WorkData.class)).isEqualTo(new WorkData(20));
        assertThat(checkpoint.kind()).isEqualTo(LogEntry.Kind.CHECKPOINT);
        assertThat(checkpoint.number()).isEqualTo(2);
        assertThat(log("j1")).extracting(LogEntry::claim).containsExactly(1L, 1L, 1L, 2L);
        assertThat(numbers("j1")).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void aJobWithoutACheckpointHasNone() {
        add("j1", 1);

        assertThat(await(jobs.details().lastCheckpoint(database, INDEX, "j1"))).isEmpty();
        assertThat(await(jobs.details().progress(database, INDEX, "j1"))).isEmpty();
    }

    @Test
    void theOldestEntriesAreTrimmedAndNumbersGoOnAndTheCheckpointStays() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().checkpoint(database, job, "kept"));
        for (int from = 0; from < 1_100; from += 100) {
            commit(tx -> {
                List<CompletableFuture<Long>> all = IntStream.range(0, 100)
                        .mapToObj(i -> jobs.processor().log(tx, job, i))
                        .toList();
                all.forEach(JobsContract::await);
            });
        }

        assertThat(numbers("j1"))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(102, 1_101).boxed().toList());
        assertThat(await(jobs.details().lastCheckpoint(database, INDEX, "j1"))
                        .orElseThrow()
                        .as(String.class))
                .isEqualTo("kept");
    }

    @Test
    void whoFollowsAJobIsToldOfEntriesAndProgress() {
        Job<WorkData> job = accepted("j1", 1);
        var subscription = subscribe("j1");

        await(jobs.processor().log(database, job, "one"));
        JobEvent<WorkData> event = await(subscription.awaitEvent(LONG)).orElseThrow();
        await(jobs.processor().progress(database, job, 1, 3, "reading"));
        JobEvent<WorkData> next = await(subscription.awaitEvent(LONG)).orElseThrow();

        assertThat(event.state()).isEqualTo(JobState.RUNNING);
        assertThat(next.sequence()).isGreaterThan(event.sequence());
        assertThat(await(jobs.details().progress(database, INDEX, "j1"))).hasValueSatisfying(progress -> {
            assertThat(progress.done()).isEqualTo(1);
            assertThat(progress.total()).isEqualTo(3);
            assertThat(progress.text()).isEqualTo("reading");
        });
    }

    @Test
    void theLogGoesWithItsJob() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().log(database, job, "one"));
        await(jobs.processor().checkpoint(database, job, "two"));
        await(jobs.processor().progress(database, job, 1, 2, "three"));
        await(jobs.processor().finish(database, job));
        assertThat(log("j1")).hasSize(2);

        await(jobs.remove(database, INDEX, "j1"));

        assertThat(rows.under("log")).isEmpty();
        Job<WorkData> again = accepted("j1", 1);
        assertThat(await(jobs.processor().log(database, again, "new"))).isEqualTo(1);
    }

    @Test
    void entriesDoNotDisturbHeartbeats() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().log(database, job, "one"));

        try (var beat = database.createTransaction();
                var entry = database.createTransaction()) {
            await(jobs.processor().update(beat, job));
            await(jobs.processor().log(entry, job, "two"));
            await(entry.commit());
            await(beat.commit());
        }

        assertThat(numbers("j1")).containsExactly(1L, 2L);
    }

    @Test
    void aJobClaimedInATransactionLikeOthersCanBeWrittenAboutInItsNext() {
        addMany(2);
        List<CompletableFuture<Optional<Job<WorkData>>>> calls =
                List.of(jobs.processor().accept(INDEX), jobs.processor().accept(INDEX));
        // Both before the transaction begins: it could not see a claim that is committed after its first read.
        List<Job<WorkData>> claims =
                calls.stream().map(call -> await(call).orElseThrow()).toList();

        commit(tx -> claims.forEach(job -> {
            await(jobs.processor().update(tx, job));
            await(jobs.processor().log(tx, job, "one"));
        }));

        assertThat(numbers("j0")).containsExactly(1L);
        assertThat(numbers("j1")).containsExactly(1L);
        claims.forEach(job -> await(jobs.processor().finish(database, job)));
    }

    @Test
    void whatIsTooLargeOrCannotBeStoredIsRefused() {
        Job<WorkData> job = accepted("j1", 1);

        assertThatThrownBy(() -> jobs.processor().log(database, job, Texts.ofLength(70_000)))
                .isInstanceOf(PayloadTooLargeException.class)
                .hasMessageContaining("log entry")
                .hasMessageContaining("65536");
        await(jobs.processor().log(database, job, Texts.ofLength(65_000)));
        assertThatThrownBy(() -> log("j1").get(0).as(WorkData.class)).isInstanceOf(PayloadException.class);
    }

    @ParameterizedTest
    @CsvSource({"-1, 10", "0, 0", "0, -1", "0, 1001"})
    void aLogIsReadWithinItsLimits(long after, int limit) {
        assertThatThrownBy(() -> jobs.details().entries(database, INDEX, "j1", after, limit))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({"-1, 10", "0, -1", "11, 10"})
    void aProgressThatMakesNoSenseIsRefused(long done, long total) {
        Job<WorkData> job = accepted("j1", 1);

        assertThatThrownBy(() -> jobs.processor().progress(database, job, done, total, ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new JobProgress(1, 2, "x".repeat(1_001), NOON)).hasMessageContaining("1000");
    }

    // No older than

    @Test
    void whatFollowsAnEventSeesAtLeastThatEvent() {
        add("j1", 1);
        var subscription = subscribe("j1");
        Job<WorkData> job = accept();
        JobEvent<WorkData> event =
                await(subscription.awaitEvent(JobState.RUNNING, LONG)).orElseThrow();
        ReadTransactionContext fresh = jobs.atLeastVersion(database, event.sequence());

        assertThat(await(jobs.getJobState(fresh, INDEX, "j1"))).isEqualTo(JobState.RUNNING);
        assertThat(await(jobs.counts(fresh, INDEX)).running()).isEqualTo(1);
        assertThat(await(jobs.details().entries(fresh, INDEX, job.id(), 0, 10))).isEmpty();
    }

    @Test
    void whatFollowsAWriteSeesAtLeastThatWrite() {
        Job<WorkData> job = accepted("j1", 1);
        Versionstamp written;
        try (var tx = database.createTransaction()) {
            await(jobs.processor().log(tx, job, "one"));
            CompletableFuture<byte[]> stamp = tx.getVersionstamp();
            await(tx.commit());
            written = Versionstamp.complete(await(stamp));
        }

        assertThat(await(jobs.details().entries(jobs.atLeastVersion(database, written), INDEX, "j1", 0, 10)))
                .hasSize(1);
    }

    @Test
    void aTransactionThatIsTooOldToSeeItSaysSo() {
        Job<WorkData> job = accepted("j1", 1);
        try (var old = database.createTransaction();
                var tx = database.createTransaction()) {
            await(old.getReadVersion());
            await(jobs.processor().log(tx, job, "one"));
            CompletableFuture<byte[]> stamp = tx.getVersionstamp();
            await(tx.commit());
            Versionstamp written = Versionstamp.complete(await(stamp));

            assertThat(failureOf(jobs.details().entries(jobs.atLeastVersion(old, written), INDEX, "j1", 0, 10)))
                    .isInstanceOf(SequenceNotVisibleException.class)
                    .hasMessageContaining("new transaction");
            assertThat(await(jobs.details().entries(old, INDEX, "j1", 0, 10))).isEmpty();
        }
    }

    @Test
    void aSequenceThatIsStillToComeCannotBeSeen() {
        assertThatThrownBy(() -> jobs.atLeastVersion(database, Versionstamp.incomplete()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
