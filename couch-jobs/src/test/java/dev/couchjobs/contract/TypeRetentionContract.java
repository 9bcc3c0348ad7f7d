package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Batch;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.Subscription;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.Worker;
import dev.couchjobs.internal.verbs.FinishTransaction;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A retention that is stored for a type counts for every job that ends from then on, whatever ends it. */
class TypeRetentionContract extends SumsContract {
    private static final Duration HOUR = Duration.ofHours(1);
    /** What no code has: all jobs an hour, and those that failed two. */
    private static final Retention STORED = Retention.of(HOUR).failed(HOUR.multipliedBy(2));

    private static final Instant AN_HOUR_LATER = NOON.plus(HOUR);
    private static final Instant TWO_HOURS_LATER = AN_HOUR_LATER.plus(HOUR);
    private static final Instant A_WEEK_LATER = NOON.plus(Duration.ofDays(7));
    /** As a process goes by it that has only the name of the type. */
    private static final JobType<Object, Object> NAME = JobType.of("sum", Object.class, Object.class);

    private void store(Retention retention) {
        await(jobs.types().setTypeRetention(database, SUM, retention));
    }

    private void clear() {
        await(jobs.types().clearTypeRetention(database, SUM));
    }

    private void done(String jobId) {
        await(sums.processor().finishWithResult(database, SUM, running(jobId), 42));
    }

    private void put(NewJob<?>... all) {
        await(sums.addAll(database, List.of(all)));
    }

    private static NewJob<WorkData> job(String id) {
        return NewJob.of(SUM, new WorkData(1)).id(id);
    }

    private void assertGoes(String jobId, Instant time) {
        assertThat(info(jobId).removeAt()).contains(time);
    }

    private static Stream<Retention> retentions() {
        return Stream.of(
                STORED,
                STORED.archived(),
                Retention.forever(),
                Retention.of(Duration.ZERO).failedForever(),
                Retention.forever().failed(Duration.ofDays(36_500)).archived());
    }

    @ParameterizedTest
    @MethodSource("retentions")
    void aTypeHasTheRetentionThatWasStored(Retention retention) {
        store(retention);

        assertThat(await(sums.types().getTypeRetention(database, SUM))).contains(retention);
        assertThat(await(sums.types().getTypeRetention(database, MAIL))).isEmpty();
        clear();
        assertThat(await(sums.types().getTypeRetention(database, SUM))).isEmpty();
    }

    @Test
    void itIsAWholeNumberOfSeconds() {
        Duration fraction = Duration.ofMillis(1_500);

        assertThatThrownBy(() -> store(Retention.of(fraction)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("whole number of seconds");
        assertThatThrownBy(() -> store(Retention.forever().failed(fraction)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void itCountsForJobsThatEndFromThenOn() {
        done("before");
        Job<WorkData> begun = running("begun");
        store(STORED);

        await(sums.processor().finishWithResult(database, SUM, begun, 42));
        done("after");
        clear();
        done("cleared");

        assertGoes("before", A_WEEK_LATER);
        assertGoes("begun", AN_HOUR_LATER);
        assertGoes("after", AN_HOUR_LATER);
        assertGoes("cleared", A_WEEK_LATER);
    }

    @Test
    void everyProcessFollowsEachChange() {
        for (int hours = 1; hours <= 3; hours++) {
            store(Retention.of(Duration.ofHours(hours)));
            done("j" + hours);
            assertGoes("j" + hours, NOON.plus(Duration.ofHours(hours)));
        }
        await(jobs.types().setTypeRetention(database, MAIL, STORED));
        done("j4");
        assertGoes("j4", NOON.plus(Duration.ofHours(3)));
    }

    @Test
    void itCountsHoweverTheHolderEndsAJob() {
        store(STORED);

        await(sums.processor().finish(database, running("finished")));
        await(sums.processor().fail(database, running("failed"), new PermanentFailureException("no")));
        await(sums.processor().cancel(database, running("cancelled"), "not wanted"));
        Job<WorkData> remote = running("remote");
        await(sums.processor().finish(database, await(sums.processor().claim(database, SUM, "remote", remote.lock()))));

        assertGoes("finished", AN_HOUR_LATER);
        assertGoes("failed", TWO_HOURS_LATER);
        assertGoes("cancelled", AN_HOUR_LATER);
        assertGoes("remote", AN_HOUR_LATER);
    }

    @Test
    void itCountsForTheJobsOfAWorker() {
        store(STORED);
        await(sums.add(database, SUM, "j1", new WorkData(1)));

        try (Worker worker = sums.worker().handle(SUM, job -> 42).start()) {
            assertThat(await(sums.resultAsync(SUM, "j1", LONG))).isEqualTo(42);
            assertThat(worker.stuckSlots()).isZero();
        }

        assertGoes("j1", AN_HOUR_LATER);
    }

    @Test
    void eachJobOfManyThatEndTogetherHasThatOfItsType() {
        store(STORED);
        Job<WorkData> sum = running("j1");
        await(sums.add(database, MAIL, "j1", new WorkData(1)));
        Job<WorkData> mail = await(sums.processor().accept(MAIL)).orElseThrow();

        await(EndsContract.finishTransaction(this, clock)
                .endAll(
                        database,
                        List.of(
                                new FinishTransaction.FinishRequest(mail, EndsContract.DONE),
                                new FinishTransaction.FinishRequest(sum, EndsContract.DONE)),
                        List.of()));

        assertGoes("j1", AN_HOUR_LATER);
        assertThat(await(sums.getJob(database, MAIL, "j1")).orElseThrow().removeAt())
                .contains(A_WEEK_LATER);
    }

    @Test
    void itCountsForJobsThatOthersCancel() {
        store(STORED);
        running("running");
        put(job("pending"));

        await(sums.control().cancel(database, NAME, "running", "not wanted"));
        await(sums.control().cancel(database, NAME, "pending", "not wanted"));

        assertGoes("running", AN_HOUR_LATER);
        assertGoes("pending", AN_HOUR_LATER);
    }

    @Test
    void itCountsForTheJobsOfACancelledBatch() {
        store(STORED);
        await(sums.batches().open(database, Batch.of("import").closing(job("closing"))));
        put(job("member").batch("import"));

        await(sums.batches().cancel("import", "not wanted"));

        assertGoes("member", AN_HOUR_LATER);
        assertGoes("closing", AN_HOUR_LATER);
    }

    @Test
    void itCountsForJobsThatNoClaimFindsInTime() {
        store(STORED);
        put(job("late").startBefore(NOON.plusSeconds(1)));
        clock.advance(Duration.ofSeconds(2));

        assertThat(await(sums.processor().accept(SUM, AcceptOptions.nonBlocking())))
                .isEmpty();

        assertThat(info("late").outcome()).contains(Outcome.EXPIRED);
        assertGoes("late", AN_HOUR_LATER.plusSeconds(2));
    }

    @Test
    void itCountsForJobsThatExpireWithoutAClaim() {
        store(STORED);
        put(job("late").startBefore(NOON.plusSeconds(1)));
        CompletableFuture<Void> changed = rows.nextChange("data", "sum", "late");
        clock.advance(Duration.ofSeconds(2));

        node(clock).maintenance().monitor(NAME);
        await(changed);

        assertThat(info("late").outcome()).contains(Outcome.EXPIRED);
        assertGoes("late", AN_HOUR_LATER.plusSeconds(2));
    }

    @Test
    void itCountsForTheLastAttemptOfASilentProcessor() {
        JobType<WorkData, Integer> once = SUM.retry(RetryPolicy.never());
        store(STORED);
        running(once, "j1");
        Subscription<WorkData> ended = await(sums.subscribe(database, SUM, "j1"));
        shortLeases(SUM);

        node(clock).maintenance().monitor(once);

        assertThat(await(ended.awaitEvent(JobState.FINISHED, LONG))).isPresent();
        assertThat(info("j1").outcome()).contains(Outcome.FAILED);
        assertGoes("j1", TWO_HOURS_LATER);
    }

    @Test
    void itCountsForJobsWhoseDependencyFails() {
        store(STORED);
        await(sums.add(database, MAIL, "first", new WorkData(1)));
        put(job("then").after(List.of(Dependency.on(MAIL, "first").ifUnsuccessful(DependencyPolicy.FAIL))));

        await(sums.control().cancel(database, MAIL, "first", "not wanted"));
        put(job("later").after(List.of(Dependency.on(MAIL, "first").ifUnsuccessful(DependencyPolicy.FAIL))));

        for (String jobId : List.of("then", "later")) {
            assertThat(info(jobId).outcome()).contains(Outcome.FAILED);
            assertGoes(jobId, TWO_HOURS_LATER.plusSeconds(1)); // rounded up by a second
        }
    }

    @Test
    void itCountsForJobsThatTheNextOfTheirScheduleCancels() {
        store(STORED);
        NewJob<WorkData> hourly = NewJob.of(SUM, new WorkData(1));
        await(sums.schedules()
                .put(
                        database,
                        Schedule.cron("hourly", "0 * * * *", ZoneOffset.UTC, hourly)
                                .cancellingPrevious()));
        clock.advance(HOUR);
        Job<WorkData> first = await(sums.processor().accept(SUM)).orElseThrow();
        clock.advance(HOUR);

        await(sums.processor().accept(SUM));

        assertThat(info(first.id()).outcome()).contains(Outcome.CANCELLED);
        assertGoes(first.id(), TWO_HOURS_LATER.plus(HOUR));
    }

    @Test
    void withNoTimeNothingOutlivesTheEnd() {
        store(Retention.of(Duration.ZERO));

        done("j1");

        assertThat(state("j1")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aJobIsRemovedByTheStoredRetention() {
        store(STORED);
        done("j1");
        CompletableFuture<Void> gone = rows.nextChange("data", "sum", "j1");
        clock.advance(HOUR);

        node(clock).maintenance().monitor(SUM);
        await(gone);

        assertThat(state("j1")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void anArchiveReceivesWhatIsToBeArchived() {
        store(STORED.archived());
        done("j1");
        CompletableFuture<Void> gone = rows.nextChange("data", "sum", "j1");
        CompletableFuture<String> archived = new CompletableFuture<>();
        clock.advance(HOUR);

        node(clock).maintenance().archive(SUM, page -> {
            archived.complete(page.get(0).id());
            return CompletableFuture.completedFuture(page);
        });

        assertThat(await(archived)).isEqualTo("j1");
        await(gone);
    }

    @Test
    void itCountsWithinTheTransactionThatStoresIt() {
        Job<WorkData> job = running("j1");

        commit(tx -> {
            await(sums.types().setTypeRetention(tx, SUM, STORED));
            await(sums.processor().finish(tx, job));
        });

        assertGoes("j1", AN_HOUR_LATER);
    }

    @Test
    void whatATransactionThatIsGivenUpStoredNeverCounts() {
        Job<WorkData> given = running("j1");
        try (Transaction tx = database.createTransaction()) {
            await(sums.types().setTypeRetention(tx, SUM, STORED));
            await(sums.processor().finish(tx, given));
        }

        await(sums.processor().finish(database, given));

        assertThat(await(sums.types().getTypeRetention(database, SUM))).isEmpty();
        assertGoes("j1", A_WEEK_LATER);
    }

    @Test
    void anEndThatHasNotSeenAChangeDoesNotCommitAfterIt() {
        store(Retention.of(HOUR.multipliedBy(5)));
        Job<WorkData> job = running("j1");

        try (Transaction tx = database.createTransaction()) {
            await(sums.processor().finish(tx, job));
            store(STORED);

            assertThat(failureOf(tx.commit())).isInstanceOf(FDBException.class);
        }
        await(sums.processor().finish(database, job));

        assertGoes("j1", AN_HOUR_LATER);
    }

    @Test
    void onlyTheFirstKeepsOlderCodeFromWriting() {
        clear();
        assertThat(rows.value("layout")).containsExactly(1L, 1L, 1L);

        store(STORED.archived());

        assertThat(rows.value("layout").subList(0, 7)).containsExactly(17L, 1L, 17L, "", "", "", 1L << 17);
        assertThat(rows.value("retention", "sum")).containsExactly(3_600L, 7_200L, true);
        List<Object> layout = rows.value("layout");
        store(STORED.archived());
        assertThat(rows.value("layout")).isEqualTo(layout);
        clear();
        assertThat(rows.isThere("retention", "sum")).isFalse();
        assertThat(rows.value("layout").get(7)).isNotEqualTo(layout.get(7));
    }

    @Test
    void aDamagedRowKeepsNoJobFromEnding() {
        store(STORED);
        rows.put(Tuple.from("an hour"), "retention", "sum");
        CouchJobs other = node(clock);

        await(other.processor().finish(database, running("j1")));

        assertGoes("j1", A_WEEK_LATER);
        assertThat(failureOf(other.types().getTypeRetention(database, SUM)))
                .isInstanceOf(UndecodableRowException.class)
                .hasMessageContaining("retention");
        store(STORED);
        await(other.processor().finish(database, running("j2")));
        assertGoes("j2", AN_HOUR_LATER);
    }
}
