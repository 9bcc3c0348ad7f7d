package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Batch;
import dev.couchjobs.BatchInfo;
import dev.couchjobs.BatchNotFoundException;
import dev.couchjobs.BatchRoleException;
import dev.couchjobs.BatchState;
import dev.couchjobs.BatchStateException;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobCancelledException;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.Unique;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that are counted together, and a closing job that runs when all have ended. */
class JobBatchContract extends JobsContract {
    private static final JobType<WorkData, Void> WORK =
            JobType.of(INDEX.name(), WorkData.class).retry(RetryPolicy.never()).retention(Retention.forever());
    private static final JobType<WorkData, Void> REPORT = JobType.of(MAIL.name(), WorkData.class);
    private static final String IMPORT = "import-17";
    private static final byte[] DAMAGED = {0x7F, 0x13};

    private StoredRows rows;

    @BeforeEach
    void openRows() {
        rows = new StoredRows(database, prefix);
    }

    private static NewJob<WorkData> member(String id) {
        return NewJob.of(WORK, new WorkData(1)).id(id).batch(IMPORT);
    }

    private static Batch withReport() {
        return withReport("report");
    }

    private static Batch withReport(String id) {
        return Batch.of(IMPORT).closing(NewJob.of(REPORT, new WorkData(9)).id(id));
    }

    private void finishReport() {
        Job<WorkData> report = await(jobs.processor().accept(REPORT, AcceptOptions.nonBlocking()))
                .orElseThrow();
        await(jobs.processor().finish(database, report));
    }

    private void open(Batch batch) {
        await(jobs.batches().open(database, batch));
    }

    private void put(NewJob<?>... newJobs) {
        await(jobs.addAll(database, List.of(newJobs)));
    }

    private BatchInfo seal() {
        return await(jobs.batches().seal(database, IMPORT));
    }

    private BatchInfo batch() {
        return await(jobs.batches().get(database, IMPORT)).orElseThrow();
    }

    private Job<WorkData> claim() {
        return await(jobs.processor().accept(WORK, AcceptOptions.nonBlocking())).orElseThrow();
    }

    private void finish() {
        await(jobs.processor().finish(database, claim()));
    }

    private void fail() {
        await(jobs.processor().fail(database, claim(), new IllegalStateException("no paper")));
    }

    private Optional<String> report() {
        return await(jobs.processor().accept(REPORT, AcceptOptions.nonBlocking()))
                .map(Job::id);
    }

    private JobInfo<WorkData, Void> info(String id) {
        return await(jobs.getJob(database, WORK, id)).orElseThrow();
    }

    @Test
    void theClosingJobRunsWhenAllMembersHaveEnded() {
        open(withReport());
        put(member("m1"), member("m2"));
        assertThat(seal().state()).isEqualTo(BatchState.SEALED);

        finish();
        assertThat(report()).isEmpty();
        assertThat(batch().outstanding()).isEqualTo(1);
        fail();

        assertThat(report()).contains("report");
        assertThat(batch())
                .isEqualTo(new BatchInfo(IMPORT, BatchState.CLOSED, Optional.of("report"), 0, 1, 1, 0, 0, 0));
        assertThat(batch().total()).isEqualTo(2);
    }

    @Test
    void aBatchDoesNotCloseBeforeItIsSealed() {
        open(withReport());
        put(member("m1"));
        finish();
        assertThat(report()).isEmpty();
        assertThat(batch().state()).isEqualTo(BatchState.OPEN);

        assertThat(seal().state()).isEqualTo(BatchState.CLOSED);

        assertThat(report()).contains("report");
    }

    @Test
    void anEmptyBatchClosesWhenItIsSealed() {
        open(withReport());

        assertThat(seal().total()).isZero();

        assertThat(report()).contains("report");
    }

    @Test
    void theClosingJobIsBlockedUntilThen() {
        open(withReport());

        JobInfo<WorkData, Void> report =
                await(jobs.getJob(database, REPORT, "report")).orElseThrow();

        assertThat(report.isBlocked()).isTrue();
        assertThat(report.batch()).contains(IMPORT);
        assertThat(await(jobs.counts(database, REPORT)).blocked()).isEqualTo(1);
    }

    @Test
    void aMemberAddsFurtherMembersToASealedBatch() {
        open(withReport());
        put(member("m1"));
        seal();
        Job<WorkData> first = claim();

        await(database.runAsync(tx ->
                jobs.add(tx, member("m2")).thenCompose(added -> jobs.processor().finish(tx, first))));

        assertThat(report()).isEmpty();
        finish();
        assertThat(report()).contains("report");
        assertThat(batch().succeeded()).isEqualTo(2);
    }

    @Test
    void aMemberThatIsTriedAgainHasNotEnded() {
        JobType<WorkData, Void> retried =
                WORK.retry(RetryPolicy.standard().attempts(2).backoff(Duration.ZERO, 1, Duration.ZERO));
        open(withReport());
        put(member("m1"));
        seal();

        await(jobs.processor()
                .fail(
                        database,
                        await(jobs.processor().accept(retried)).orElseThrow(),
                        new IllegalStateException("no")));
        assertThat(report()).isEmpty();
        await(jobs.processor()
                .fail(
                        database,
                        await(jobs.processor().accept(retried)).orElseThrow(),
                        new IllegalStateException("no")));

        assertThat(report()).contains("report");
        assertThat(batch().failed()).isEqualTo(1);
    }

    @Test
    void membersThatAreCancelledRemovedOrExpiredHaveEnded() {
        open(withReport());
        put(
                member("cancelled"),
                member("removed"),
                NewJob.of(WORK, new WorkData(1))
                        .id("late")
                        .batch(IMPORT)
                        .startBefore(NOON.minus(Duration.ofDays(9_999))));
        seal();

        await(jobs.control().cancel(database, WORK, "cancelled", "no need"));
        await(jobs.remove(database, WORK, "removed"));
        assertThat(report()).isEmpty();
        assertThat(await(jobs.processor().accept(WORK, AcceptOptions.nonBlocking())))
                .isEmpty();

        assertThat(report()).contains("report");
        assertThat(batch())
                .isEqualTo(new BatchInfo(IMPORT, BatchState.CLOSED, Optional.of("report"), 0, 0, 0, 1, 1, 1));
    }

    @Test
    void membersThatEndTogetherCloseTheBatchOnce() {
        int count = 200;
        open(withReport());
        put(IntStream.range(0, count).mapToObj(i -> member("m" + i)).toArray(NewJob<?>[]::new));
        seal();
        AtomicInteger reports = new AtomicInteger();
        CompletableFuture<Void> reported = jobs.resultAsync(REPORT, "report", LONG);
        List<Worker> workers = new ArrayList<>();

        for (int i = 0; i < 4; i++) {
            CouchJobs node = node();
            workers.add(node.worker()
                    .concurrency(8)
                    .process(WORK, job -> {})
                    .process(REPORT, job -> reports.incrementAndGet())
                    .start());
        }

        await(reported);
        workers.forEach(Worker::close);
        assertThat(batch().succeeded()).isEqualTo(count);
        assertThat(reports).hasValue(1);
        assertThat(rows.under("batch_members")).isEmpty();
    }

    @Test
    void theFirstFailureClosesABatchThatAsksForIt() {
        open(withReport().closingAtFirstFailure());
        put(member("m1"), member("m2"), member("m3"));
        finish();
        assertThat(report()).isEmpty();

        fail();

        assertThat(report()).contains("report");
        assertThat(batch().state()).isEqualTo(BatchState.CLOSED);
        assertThat(batch().outstanding()).isEqualTo(1);
        finish();
        assertThat(batch().outstanding()).isZero();
        assertThat(batch().succeeded()).isEqualTo(2);
    }

    @Test
    void aClosedBatchTakesNoMembers() {
        open(Batch.of(IMPORT));
        seal();

        assertThat(failureOf(jobs.add(database, member("m1"))))
                .isInstanceOf(BatchStateException.class)
                .hasMessageContaining("The batch import-17 is CLOSED: it takes no more jobs");
        assertThat(stateOf("m1")).isEqualTo(JobState.NOT_FOUND);
        assertThat(failureOf(jobs.add(database, NewJob.of(WORK, new WorkData(1)).batch("other"))))
                .isInstanceOf(BatchNotFoundException.class)
                .hasMessageContaining("There is no batch other: open it first");
    }

    @Test
    void aMemberThatIsAddedWhileTheBatchClosesIsRefused() {
        open(withReport());
        try (Transaction tx = database.createTransaction()) {
            await(jobs.add(tx, member("m1")));
            seal();

            assertThat(failureOf(tx.commit())).isNotNull();
        }
        assertThat(batch().total()).isZero();
    }

    @Test
    void aBatchThatIsOpenedAgainStaysAsItIs() {
        open(withReport());
        put(member("m1"));

        open(Batch.of(IMPORT));

        assertThat(batch().closingJob()).contains("report");
        assertThat(batch().outstanding()).isEqualTo(1);
        seal();
        finish();
        open(withReport());
        assertThat(batch().state()).isEqualTo(BatchState.CLOSED);
        assertThat(report()).contains("report");
    }

    @Test
    void aCancelledBatchEndsWithItsMembers() {
        int count = 250;
        open(withReport());
        put(IntStream.range(0, count).mapToObj(i -> member("m" + i)).toArray(NewJob<?>[]::new));
        Job<WorkData> running = claim();
        finish();

        assertThat(await(jobs.batches().cancel(IMPORT, "wrong file"))).isEqualTo(count - 1);

        assertThat(batch().state()).isEqualTo(BatchState.CANCELLED);
        assertThat(batch().outstanding()).isZero();
        assertThat(batch().cancelled()).isEqualTo(count - 1);
        assertThat(info(running.id()).error()).contains("wrong file");
        assertThat(failureOf(jobs.resultAsync(REPORT, "report", LONG))).isInstanceOf(JobCancelledException.class);
        assertThat(failureOf(jobs.add(database, member("late")))).isInstanceOf(BatchStateException.class);
        assertThat(await(jobs.batches().cancel(IMPORT, "again"))).isZero();
    }

    @Test
    void aDeadLetterOfAClosedBatchIsRetried() {
        open(withReport());
        put(member("m1"));
        seal();
        fail();
        assertThat(report()).contains("report");

        await(jobs.deadLetters().retry(database, WORK, "m1"));
        assertThat(batch().outstanding()).isEqualTo(1);
        finish();

        assertThat(batch())
                .isEqualTo(new BatchInfo(IMPORT, BatchState.CLOSED, Optional.of("report"), 0, 1, 0, 0, 0, 0));
        assertThat(report()).isEmpty();
    }

    @Test
    void nothingIsStoredOnceTheClosingJobIsRemoved() {
        open(withReport());
        put(member("m1"));
        seal();
        finish();
        Job<WorkData> report = await(jobs.processor().accept(REPORT, AcceptOptions.nonBlocking()))
                .orElseThrow();
        await(jobs.processor().finish(database, report));

        await(jobs.remove(database, REPORT, "report"));

        assertThat(await(jobs.batches().get(database, IMPORT))).isEmpty();
        for (String table : List.of("batches", "batch_counts", "batch_members")) {
            assertThat(rows.under(table)).as(table).isEmpty();
        }
    }

    @Test
    void aBatchWithoutAClosingJobIsRemovedByItsName() {
        open(Batch.of(IMPORT));
        put(member("m1"));
        assertThat(failureOf(jobs.batches().remove(database, IMPORT)))
                .isInstanceOf(BatchStateException.class)
                .hasMessageContaining("Cancel it first");
        seal();
        finish();

        assertThat(await(jobs.batches().remove(database, IMPORT))).isTrue();

        assertThat(await(jobs.batches().remove(database, IMPORT))).isFalse();
        assertThat(info("m1").outcome()).contains(Outcome.SUCCEEDED);
    }

    @Test
    void membersThatNothingKeepsAreCounted() {
        JobType<WorkData, Void> vanishing = WORK.retention(Retention.of(Duration.ZERO));
        open(withReport());
        put(member("m1"));
        seal();

        await(jobs.processor()
                .finish(database, await(jobs.processor().accept(vanishing)).orElseThrow()));

        assertThat(stateOf("m1")).isEqualTo(JobState.NOT_FOUND);
        assertThat(batch().succeeded()).isEqualTo(1);
        assertThat(report()).contains("report");
    }

    @Test
    void aBatchWhoseLastProcessDiedIsClosedByASweep() {
        SettableClock clock = new SettableClock(NOON);
        open(withReport());
        put(member("m1"));
        seal();
        Job<WorkData> last = claim();
        commit(
                tx -> { // the last end, and no check after it
                    tx.clear(prefix.subspace(Tuple.from("couch_jobs", "batch_counts"))
                            .range());
                });
        CompletableFuture<Void> closed = rows.nextChange("batches", IMPORT);

        node(clock).maintenance().monitor(REPORT);
        await(closed);

        assertThat(report()).contains("report");
        assertThat(last.id()).isEqualTo("m1");
    }

    @Test
    void theRemovalOfAnOldClosingJobKeepsANewBatchOfTheName() {
        open(withReport("report-1"));
        put(member("old"));
        await(jobs.batches().cancel(IMPORT, "wrong file"));
        assertThat(await(jobs.batches().remove(database, IMPORT))).isTrue();
        open(withReport("report-2"));
        put(member("m1"));

        await(jobs.remove(database, REPORT, "report-1"));

        assertThat(await(jobs.batches().get(database, IMPORT))).isPresent();
    }

    @Test
    void aNewBatchOfTheNameWaitsForItsMembers() {
        open(withReport());
        put(member("m1"));
        await(jobs.control().cancel(database, REPORT, "report", "no need"));
        await(jobs.remove(database, REPORT, "report"));
        finish();
        open(withReport("report-2"));
        put(member("m2"));

        BatchInfo sealed = seal();

        assertThat(sealed.outstanding()).isEqualTo(1);
        assertThat(sealed.state()).isEqualTo(BatchState.SEALED);
        assertThat(report()).isEmpty();
    }

    @Test
    void aDeadLetterOfARemovedBatchLeavesNoRows() {
        open(withReport());
        put(member("m1"));
        seal();
        fail();
        finishReport();
        await(jobs.remove(database, REPORT, "report"));
        assertThat(await(jobs.batches().get(database, IMPORT))).isEmpty();

        await(jobs.deadLetters().retry(database, WORK, "m1"));
        finish();

        assertThat(rows.under("batch_counts")).isEmpty();
        open(withReport("report-2"));
        assertThat(batch().failed()).isZero();
        assertThat(batch().total()).isZero();
    }

    @Test
    void nothingIsStoredOnceAVanishingClosingJobHasEnded() {
        JobType<WorkData, Void> vanishing = REPORT.retention(Retention.of(Duration.ZERO));
        open(Batch.of(IMPORT).closing(NewJob.of(vanishing, new WorkData(9)).id("report")));
        put(member("m1"));
        seal();
        finish();
        await(jobs.processor()
                .finish(
                        database,
                        await(jobs.processor().accept(vanishing, AcceptOptions.nonBlocking()))
                                .orElseThrow()));
        assertThat(await(jobs.getJobState(database, REPORT, "report"))).isEqualTo(JobState.NOT_FOUND);

        assertThat(await(jobs.batches().get(database, IMPORT))).isEmpty();
        assertThat(rows.under("batch_counts")).isEmpty();
    }

    @Test
    void aMemberThatFailsDoesNotConflictWithTheEndOfAnother() {
        open(withReport());
        put(member("m1"), member("m2"), member("m3"));
        seal();
        Job<WorkData> first = claim();
        Job<WorkData> second = claim();
        try (Transaction tx = database.createTransaction()) {
            await(jobs.processor().fail(tx, first, new IllegalStateException("no paper")));
            await(jobs.processor().finish(database, second));

            await(tx.commit());
        }
        assertThat(batch().outstanding()).isEqualTo(1);
    }

    @Test
    void aSealDoesNotConflictWithTheEndOfOneOfManyMembers() {
        open(withReport());
        put(member("m1"), member("m2"), member("m3"));
        Job<WorkData> second = claim();
        try (Transaction tx = database.createTransaction()) {
            await(jobs.batches().seal(tx, IMPORT));
            await(jobs.processor().finish(database, second));

            await(tx.commit());
        }
        assertThat(batch().outstanding()).isEqualTo(2);
    }

    @Test
    void aMemberThatIsAddedBeforeASealInItsTransactionIsWaitedFor() {
        open(withReport());
        await(database.runAsync(tx ->
                jobs.add(tx, member("m1")).thenCompose(added -> jobs.batches().seal(tx, IMPORT))));

        assertThat(stateOf("m1")).isEqualTo(JobState.PENDING);
        assertThat(batch().state()).isEqualTo(BatchState.SEALED);
        assertThat(report()).isEmpty();
    }

    @Test
    void aDamagedMemberKeepsNoOtherFromBeingCancelled() {
        open(withReport());
        put(member("m1"), member("m2"));
        rows.putBytes(rows.key("data", "index", "m1"), DAMAGED);

        await(jobs.batches().cancel(IMPORT, "wrong file"));

        assertThat(stateOf("m2")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aDamagedClosingJobKeepsNoBatchFromBeingCancelled() {
        open(withReport());
        put(member("m1"), member("m2"));
        rows.putBytes(rows.key("data", "mail", "report"), DAMAGED);

        await(jobs.batches().cancel(IMPORT, "wrong file"));

        assertThat(batch().state()).isEqualTo(BatchState.CANCELLED);
    }

    @Test
    void aDamagedRowOfABatchKeepsNoMemberFromEnding() {
        open(withReport());
        put(member("m1"));
        seal();
        Job<WorkData> only = claim();
        rows.putBytes(rows.key("batches", IMPORT), DAMAGED);

        await(jobs.processor().finish(database, only));

        assertThat(stateOf("m1")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aClosingJobWithTheIdOfARunningJobWaits() {
        put(NewJob.of(REPORT, new WorkData(1)).id("report"));
        Job<WorkData> running = await(jobs.processor().accept(REPORT, AcceptOptions.nonBlocking()))
                .orElseThrow();
        open(withReport());
        put(member("m1"));
        await(jobs.processor().finish(database, running));

        assertThat(report()).isEmpty();
    }

    @Test
    void aRunningJobThatIsAddedToABatchIsWaitedFor() {
        open(withReport());
        put(NewJob.of(WORK, new WorkData(1)).id("m1"));
        Job<WorkData> running = claim();
        put(member("m1"));
        assertThat(batch().outstanding()).isEqualTo(1);
        seal();
        await(jobs.processor().finish(database, running));
        assertThat(report()).isEmpty();
    }

    @Test
    void aClosingJobThatIsAddedAgainStillWaits() {
        open(withReport());
        put(member("m1"));
        put(NewJob.of(REPORT, new WorkData(10)).id("report"));

        assertThat(report()).isEmpty();
    }

    // One role for each job

    /** The ways to add a job to a batch. */
    private List<Consumer<NewJob<?>>> waysToAdd() {
        return List.of(
                job -> await(jobs.add(database, job)),
                job -> await(jobs.addAll(database, List.of(job))),
                job -> await(jobs.addAll(database, List.of(member("m8"), job, member("m9")))),
                job -> await(jobs.addAll(database, List.of(member("m8").unique(Unique.by("u")), job))),
                job -> await(jobs.addAll(database, List.of(member("m8").after(WORK, "m1"), job))),
                job -> await(
                        jobs.add(database, job.at(Instant.now().plusSeconds(60)).priority(3))),
                job -> await(
                        database.runAsync(tx -> jobs.add(tx, member("m8")).thenCompose(done -> jobs.add(tx, job)))));
    }

    private static NewJob<WorkData> reportIn(String batch) {
        return NewJob.of(REPORT, new WorkData(1)).id("report").batch(batch);
    }

    @Test
    void aClosingJobIsNoMemberOfABatchInWhateverStateAndHoweverItIsAdded() {
        open(withReport());
        put(member("m1"));
        open(Batch.of("other"));
        BatchInfo before = batch();

        refuseAsMember(); // it waits

        assertThat(batch()).isEqualTo(before);
        finish();
        seal();
        refuseAsMember("other"); // it is pending
        Job<WorkData> report = await(jobs.processor().accept(REPORT)).orElseThrow();
        refuseAsMember("other"); // it runs
        await(jobs.add(database, reportIn("other").ifAbsent())); // leaves it alone
        await(jobs.processor().finish(database, report));
        refuseAsMember("other"); // it has ended
        assertThat(await(jobs.batches().get(database, "other")).orElseThrow().total())
                .isZero();
    }

    private void refuseAsMember(String... batches) {
        for (String batch : batches.length == 0 ? new String[] {IMPORT, "other"} : batches) {
            for (Consumer<NewJob<?>> add : waysToAdd()) {
                if (batch().state() == BatchState.CLOSED) {
                    assertThatThrownBy(() -> await(jobs.add(database, reportIn(batch))))
                            .hasCauseInstanceOf(BatchRoleException.class);
                    continue; // the other members of these ways have no open batch
                }
                assertThatThrownBy(() -> add.accept(reportIn(batch)))
                        .hasCauseInstanceOf(BatchRoleException.class)
                        .hasRootCauseMessage(
                                "Job mail/report closes batch import-17, so it cannot be a member of batch " + batch
                                        + ". Add the member with another id.");
                assertThat(batch().total()).isEqualTo(1);
            }
        }
    }

    @Test
    void aDuplicateOfAClosingJobIsNoMember() {
        put(NewJob.of(REPORT, new WorkData(1)).id("report").unique(Unique.by("u")));
        open(withReport());
        put(NewJob.of(REPORT, new WorkData(1)).id("report").unique(Unique.by("u")));

        assertThatThrownBy(() -> put(NewJob.of(REPORT, new WorkData(1))
                        .unique(Unique.by("u").replacing())
                        .batch(IMPORT)))
                .hasCauseInstanceOf(BatchRoleException.class);
        assertThat(batch().outstanding()).isZero();
    }

    @Test
    void aMemberThatHasNotEndedClosesNoBatch() {
        open(withReport());
        put(member("m1"));
        for (String state : List.of("pending", "running")) {
            Batch own =
                    Batch.of("next").closing(NewJob.of(WORK, new WorkData(1)).id("m1"));

            assertThatThrownBy(() -> open(own))
                    .as(state)
                    .hasCauseInstanceOf(BatchRoleException.class)
                    .hasRootCauseMessage("Job index/m1 is a member of batch import-17 and has not ended, so it cannot"
                            + " close batch next. Give the closing job another id.");
            assertThat(await(jobs.batches().get(database, "next"))).isEmpty();
            if (state.equals("pending")) {
                claim();
            }
        }
        assertThat(batch().outstanding()).isEqualTo(1);
    }

    @Test
    void aClosingJobThatWaitsClosesNoOtherBatch() {
        open(withReport());
        Batch other =
                Batch.of("other").closing(NewJob.of(REPORT, new WorkData(1)).id("report"));

        assertThatThrownBy(() -> open(other))
                .hasCauseInstanceOf(BatchRoleException.class)
                .hasRootCauseMessage(
                        "Job mail/report closes batch import-17 and has not ended, so it cannot close batch"
                                + " other. Give the closing job another id.");
        seal();
        finishReport();
        open(other);
        assertThat(await(jobs.getJob(database, REPORT, "report")).orElseThrow().isBlocked())
                .isTrue();
    }

    /** In a transaction of the caller's that commits although the error was not looked at. */
    @Test
    void aRefusedRoleLeavesNoHalfOfATransaction() {
        open(withReport());
        put(member("m1"));
        BatchInfo before = batch();

        assertThat(failureOf(database.runAsync(tx -> {
                    var unused = jobs.add(tx, reportIn(IMPORT));
                    return jobs.add(tx, member("m2"));
                })))
                .isNotNull();
        assertThat(failureOf(database.runAsync(tx -> {
                    var unused = jobs.batches()
                            .open(
                                    tx,
                                    Batch.of("next")
                                            .closing(NewJob.of(WORK, new WorkData(1))
                                                    .id("m1")));
                    return jobs.add(tx, member("m2"));
                })))
                .isNotNull();

        assertThat(batch()).isEqualTo(before);
        assertThat(await(jobs.batches().get(database, "next"))).isEmpty();
    }

    @Test
    void aMemberDoesNotWaitForItsClosingJob() {
        open(withReport());
        put(member("m1"));

        for (Consumer<NewJob<?>> add : waysToAdd()) {
            assertThatThrownBy(() -> add.accept(member("m2").after(REPORT, "report")))
                    .hasCauseInstanceOf(BatchRoleException.class)
                    .hasMessageContaining("no member can wait for it");
        }
        assertThat(batch().outstanding()).isEqualTo(1);
    }

    @Test
    void aBatchWithoutAClosingJobWhoseLastProcessDiedIsSealedAgain() {
        open(Batch.of(IMPORT));
        put(member("m1"));
        seal();
        claim();
        commit(tx -> tx.clear(
                prefix.subspace(Tuple.from("couch_jobs", "batch_counts")).range()));

        assertThat(seal().state()).isEqualTo(BatchState.CLOSED);
    }

    @Test
    void allVerbsJoinTheTransactionOfTheCaller() {
        try (Transaction tx = database.createTransaction()) {
            await(jobs.batches().open(tx, withReport()));
            await(jobs.add(tx, member("m1")));
            await(jobs.batches().seal(tx, IMPORT));
            assertThat(await(jobs.batches().get(tx, IMPORT)).orElseThrow().outstanding())
                    .isEqualTo(1);
            await(jobs.control().cancel(tx, WORK, "m1", "no need"));
            assertThat(await(jobs.batches().get(tx, IMPORT)).orElseThrow().state())
                    .isEqualTo(BatchState.CLOSED);
        }
        assertThat(rows.under("batches")).isEmpty();
        assertThat(rows.value("layout")).containsExactly(1L, 1L, 1L);
    }

    @Test
    void theFirstBatchKeepsOlderVersionsOut() {
        open(Batch.of(IMPORT));

        assertThat(rows.value("layout")).containsExactly(12L, 10L, 12L, "", "", "", 1L << 10);
    }

    @Test
    void badInputIsRefused() {
        assertThatThrownBy(() -> Batch.of("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> member("m1").batch("x".repeat(20_000))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Batch.of("other").closing(member("m1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("leave out batch");
        assertThatThrownBy(() -> Batch.of("other")
                        .closing(NewJob.of(REPORT, new WorkData(1)).unique(Unique.by("user-7"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Schedule.every(
                        "s",
                        Duration.ofMinutes(1),
                        NewJob.of(WORK, new WorkData(1)).batch("b")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("leave out batch");
        for (CompletableFuture<?> verb :
                List.of(jobs.batches().seal(database, "none"), jobs.batches().cancel("none", "why"))) {
            assertThat(failureOf(verb)).isInstanceOf(BatchNotFoundException.class);
        }
    }
}
