package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Job;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobSelection;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.SelectionProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Verbs for all jobs of a type that meet a condition. */
class SelectionContract extends JobsContract {
    private static final JobType<WorkData, Void> WORK =
            JobType.of(INDEX.name(), WorkData.class).retry(RetryPolicy.never());
    private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");

    private JobSelection<WorkData, Void> select(Predicate<JobInfo<WorkData, Void>> condition) {
        return jobs.control().select(WORK, condition);
    }

    private static boolean isEven(JobInfo<WorkData, Void> job) {
        return job.data().step() % 2 == 0;
    }

    private long count(JobState state) {
        return all(database, INDEX).stream().filter(job -> job.state() == state).count();
    }

    @Test
    void onlyJobsThatMeetTheConditionAreCancelled() {
        addMany(250);

        SelectionProgress done = await(select(SelectionContract::isEven).cancel("not needed"));

        assertThat(done).isEqualTo(new SelectionProgress(250, 125, Optional.empty()));
        assertThat(await(jobs.counts(database, INDEX)).cancelled()).isEqualTo(125);
        JobInfo<WorkData, ?> cancelled =
                await(jobs.getJob(database, INDEX, "j42")).orElseThrow();
        assertThat(cancelled.outcome()).contains(Outcome.CANCELLED);
        assertThat(cancelled.error()).contains("not needed");
        assertThat(stateOf("j43")).isEqualTo(JobState.PENDING);
    }

    @Test
    void countingChangesNothing() {
        addMany(120);

        assertThat(await(select(SelectionContract::isEven).count()).applied()).isEqualTo(60);

        assertThat(count(JobState.PENDING)).isEqualTo(120);
        assertThat(await(select(job -> true).count()).read()).isEqualTo(120);
    }

    @Test
    void jobsInAStateInWhichTheVerbDoesNotApplyDoNotCount() {
        await(jobs.processor().finish(database, accepted("ended", 1)));
        add("pending", 1);

        assertThat(await(select(job -> true).cancel("all")).applied()).isEqualTo(1);
        assertThat(await(select(job -> true).cancel("all")).applied()).isZero();
    }

    @Test
    void runningJobsAreCancelledToo() {
        Job<WorkData> running = accepted("j1", 1);

        await(select(job -> job.state() == JobState.RUNNING).cancel("stop"));

        assertThat(failureOf(jobs.processor().finish(database, running))).hasMessageContaining("stop");
    }

    @Test
    void theJobsOfOneLimitKeyAreCancelledWithoutALossOfSlots() {
        await(jobs.limits().set(database, INDEX, 2));
        for (int i = 0; i < 10; i++) {
            await(jobs.add(
                    database, NewJob.of(INDEX, new WorkData(i)).id("j" + i).limitKey(i < 7 ? "tenant-7" : "tenant-8")));
        }
        accept();

        SelectionProgress done = await(
                select(job -> job.limitKey().equals(Optional.of("tenant-7"))).cancel("has left"));

        assertThat(done.applied()).isEqualTo(7);
        assertThat(await(jobs.limits().get(database, INDEX, "tenant-7")).taken())
                .isZero();
        assertThat(await(jobs.limits().get(database, INDEX, "tenant-8")).taken())
                .isEqualTo(2);
        assertThat(new StoredRows(database, prefix).under("limited", "index")).hasSize(1);
    }

    @Test
    void jobsThatWaitForEachOtherAreCancelledTogether() {
        add("a", 1);
        await(jobs.add(database, NewJob.of(INDEX, new WorkData(1)).id("b").after(INDEX, "a")));
        await(jobs.add(
                database,
                NewJob.of(INDEX, new WorkData(1)).id("c").after(INDEX, "b").after(INDEX, "a")));

        assertThat(await(select(job -> true).cancel("all")).applied()).isEqualTo(3);

        assertThat(new StoredRows(database, prefix).under("waits_for", "index")).isEmpty();
        assertThat(await(jobs.counts(database, INDEX)).cancelled()).isEqualTo(3);
    }

    @Test
    void deadLettersWithAnErrorAreSentAgain() {
        for (String error : List.of("timeout", "no paper", "timeout again")) {
            add(error, 1);
            Job<WorkData> job = await(jobs.processor().accept(WORK)).orElseThrow();
            await(jobs.processor().fail(database, job, new IllegalStateException(error)));
        }

        SelectionProgress done = await(select(job ->
                        job.error().filter(text -> text.contains("timeout")).isPresent())
                .retry());

        assertThat(done.applied()).isEqualTo(2);
        assertThat(stateOf("no paper")).isEqualTo(JobState.FINISHED);
        assertThat(stateOf("timeout")).isEqualTo(JobState.PENDING);
        assertThat(stateOf("timeout again")).isEqualTo(JobState.PENDING);
    }

    @Test
    void jobsThatEndedBeforeSomeTimeAreRemoved() {
        await(jobs.processor().finish(database, accepted("old", 1)));
        Instant time = Instant.now().plusSeconds(1);
        add("new", 1);

        await(select(job -> job.endedAt().filter(end -> end.isBefore(time)).isPresent())
                .remove());

        assertThat(stateOf("old")).isEqualTo(JobState.NOT_FOUND);
        assertThat(stateOf("new")).isEqualTo(JobState.PENDING);
    }

    @Test
    void timesAndPrioritiesAreChanged() {
        for (int i = 0; i < 5; i++) {
            addAt("j" + i, i, LATER);
        }

        assertThat(await(select(SelectionContract::isEven).reprioritise(7)).applied())
                .isEqualTo(3);
        assertThat(await(select(job -> job.priority() == 7).runNow()).applied()).isEqualTo(3);
        assertThat(await(select(job -> job.id().equals("j4")).reschedule(LATER)).applied())
                .isEqualTo(1);

        assertThat(List.of(accept().id(), accept().id())).containsExactlyInAnyOrder("j0", "j2");
        assertThat(scheduledTimeOf("j4")).isPresent();
    }

    @Test
    void progressIsReportedAndAnotherCallGoesOn() {
        addMany(250);
        List<SelectionProgress> reported = new ArrayList<>();

        Throwable failure = failureOf(select(SelectionContract::isEven)
                .onProgress(progress -> {
                    reported.add(progress);
                    throw new IllegalStateException("crashed");
                })
                .cancel("stop"));
        assertThat(failure).hasMessage("crashed");
        SelectionProgress first = reported.get(0);
        assertThat(first.read()).isEqualTo(100);
        assertThat(await(jobs.counts(database, INDEX)).cancelled()).isEqualTo(first.applied());

        SelectionProgress done =
                await(select(SelectionContract::isEven).resume(first).cancel("stop"));

        assertThat(done).isEqualTo(new SelectionProgress(250, 125, Optional.empty()));
        assertThat(await(jobs.counts(database, INDEX)).cancelled()).isEqualTo(125);
    }

    @Test
    void repeatingACallChangesNothingTwice() {
        addMany(150);

        List<CompletableFuture<SelectionProgress>> both = IntStream.range(0, 2)
                .mapToObj(i -> node().control().select(WORK, job -> true).cancel("twice"))
                .toList();

        long applied = both.stream().mapToLong(call -> await(call).applied()).sum();
        assertThat(applied).isEqualTo(150);
    }

    @Test
    void aConditionThatFailsEndsTheVerbAndChangesNothingInItsTransaction() {
        addMany(3);

        Throwable failure = failureOf(select(job -> {
                    if (job.id().equals("j2")) {
                        throw new IllegalArgumentException("no such job");
                    }
                    return true;
                })
                .cancel("all"));

        assertThat(failure).hasMessage("no such job");
        assertThat(count(JobState.PENDING)).isEqualTo(3);
    }

    @Test
    void damagedRowsAreSkipped() {
        addMany(3);
        commit(tx -> tx.set(prefix.pack(Tuple.from("couch_jobs", "data", "index", "j1")), new byte[] {1, 2}));

        assertThat(await(select(job -> true).cancel("all")).applied()).isEqualTo(2);
    }

    @Test
    void largeDataCanBeAskedFor() {
        JobType<String, Void> texts = JobType.of(INDEX.name(), String.class);
        await(jobs.add(database, texts, "large", "x".repeat(200_000)));
        await(jobs.add(database, texts, "small", "x"));

        assertThat(await(jobs.control()
                                .select(texts, job -> job.data().length() > 100_000)
                                .remove())
                        .applied())
                .isEqualTo(1);
        assertThat(stateOf("large")).isEqualTo(JobState.NOT_FOUND);
        assertThat(stateOf("small")).isEqualTo(JobState.PENDING);
    }

    @Test
    void anEmptyTypeIsDoneAtOnce() {
        assertThat(await(select(job -> true).cancel("all"))).isEqualTo(SelectionProgress.NONE);
        assertThatThrownBy(() -> select(job -> true).reschedule(Instant.EPOCH.minus(Duration.ofDays(1))))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
