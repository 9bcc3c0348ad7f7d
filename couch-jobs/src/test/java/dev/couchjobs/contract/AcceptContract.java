package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * {@code accept} with and without waiting; what concerns scheduled times is in {@link ScheduleContract}.
 */
class AcceptContract extends JobsContract {

    @Test
    void anAcceptedJobRunsAndCanBeFinished() {
        add("j1", 1);

        Job<WorkData> job = await(jobs.processor().accept(INDEX)).orElseThrow();
        assertThat(job.type()).isEqualTo(INDEX);
        assertThat(job.id()).isEqualTo("j1");
        assertThat(job.data()).isEqualTo(new WorkData(1));
        assertThat(job.scheduledTime()).isEmpty();
        assertThat(job.isResubmitted()).isFalse();
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);

        await(jobs.processor().finish(database, job, new WorkData(42)));
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j1")).isEqualTo(42);
    }

    @Test
    void everyClaimHasALockOfItsOwn() {
        Job<WorkData> first = accepted("j1", 1);
        await(jobs.processor().finish(database, first));
        Job<WorkData> second = accepted("j1", 1);

        assertThat(second.lock()).isNotEqualTo(first.lock());
        assertThat(second.lock().version()).isEqualTo(4);
        assertThat(second).isNotEqualTo(first);
    }

    @Test
    void aClaimSaysWhichItIsAndKeepsItsLockToItself() {
        await(jobs.processor().finish(database, accepted("j1", 1)));

        assertThat(accepted("j1", 1)).hasToString("Job[index/j1, claim 2]");
    }

    @Test
    void withoutAJobACallThatDoesNotWaitComesBackEmpty() {
        assertThat(await(jobs.processor().accept(INDEX, AcceptOptions.nonBlocking())))
                .isEmpty();
        assertThat(await(jobs.processor().accept(INDEX, AcceptOptions.defaults().timeout(SHORTLY))))
                .isEmpty();
    }

    @Test
    void aJobOfAnotherTypeIsNotTaken() {
        await(jobs.add(database, MAIL, "j1", new WorkData(1)));

        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void thoseWhoWaitAreWokenOneByOneAsJobsCome() {
        CompletableFuture<Optional<Job<WorkData>>> first = jobs.processor().accept(INDEX);
        assertThat(tryAccept()).isEmpty();
        assertThat(first).isNotDone();

        add("j1", 1);
        assertThat(await(first).orElseThrow().id()).isEqualTo("j1");

        CompletableFuture<Optional<Job<WorkData>>> second = jobs.processor().accept(INDEX);
        assertThat(tryAccept()).isEmpty();
        assertThat(second).isNotDone();

        add("j2", 1);
        assertThat(await(second).orElseThrow().id()).isEqualTo("j2");
    }

    @Test
    void twoWhoWantDifferentJobsAndWaitTogetherAreNotBothGivenTheOneJobThatComes() {
        CompletableFuture<Optional<Job<WorkData>>> any =
                jobs.processor().accept(INDEX, AcceptOptions.defaults().timeout(LONG));
        CompletableFuture<Optional<Job<WorkData>>> unscheduled = jobs.processor()
                .accept(INDEX, AcceptOptions.defaults().noSchedule().timeout(LONG));

        add("j1", 1);
        await(CompletableFuture.anyOf(any, unscheduled));
        assertThat(any.isDone() && unscheduled.isDone()).isFalse();
        add("j2", 2);

        assertThat(List.of(
                        await(any).orElseThrow().id(),
                        await(unscheduled).orElseThrow().id()))
                .containsExactlyInAnyOrder("j1", "j2");
    }

    @Test
    void aJobAddedOnAnotherNodeWakesOneWhoWaits() {
        CompletableFuture<Optional<Job<WorkData>>> waiting = jobs.processor().accept(INDEX);
        assertThat(tryAccept()).isEmpty();

        await(node().add(database, INDEX, "j1", new WorkData(1)));

        assertThat(await(waiting).orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void oneJobEndsOneWait() {
        CompletableFuture<Optional<Job<WorkData>>> first = jobs.processor().accept(INDEX);
        CompletableFuture<Optional<Job<WorkData>>> second = jobs.processor().accept(INDEX);

        add("j1", 1);

        assertThat(await(first).orElseThrow().id()).isEqualTo("j1");
        assertThat(tryAccept()).isEmpty();
        assertThat(second).isNotDone();
    }

    @Test
    void aResubmittedJobThatIsFinishedWakesOneWhoWaits() {
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().resubmit(database, job));
        CompletableFuture<Optional<Job<WorkData>>> waiting = node().processor().accept(INDEX);

        await(jobs.processor().finish(database, job));

        assertThat(await(waiting).orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void jobsWithoutScheduleAreTakenInTheOrderOfTheirIdsWhenNobodyElseIsThere() {
        List.of("c", "a", "b").forEach(id -> add(id, 1));

        assertThat(IntStream.range(0, 3).mapToObj(i -> accept().id())).containsExactly("a", "b", "c");
    }

    @Test
    void jobsBeyondTheFirstThousandAreTakenToo() {
        addMany(1_100);

        List<CompletableFuture<Optional<Job<WorkData>>>> calls = new ArrayList<>();
        IntStream.range(0, 1_100).forEach(i -> calls.add(jobs.processor().accept(INDEX)));

        assertThat(calls.stream().map(call -> await(call).orElseThrow().data().step()))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 1_100).boxed().toList());
    }

    @Test
    void aDeadlineIsNotPutOffByWakeUps() {
        CompletableFuture<Optional<Job<WorkData>>> accepting = jobs.processor()
                .accept(INDEX, AcceptOptions.defaults().noSchedule().timeout(Duration.ofMillis(300)));

        // Each of these wakes those who wait, and is none that they take. The test's own timeout ends an endless wait.
        for (int i = 1; !accepting.isDone(); i++) {
            addAt("j1", 1, NOON.plusSeconds(i));
        }

        assertThat(await(accepting)).isEmpty();
    }

    @Test
    void aVeryLongTimeoutIsAllowed() {
        CompletableFuture<Optional<Job<WorkData>>> waiting =
                jobs.processor().accept(INDEX, AcceptOptions.defaults().timeout(ChronoUnit.FOREVER.getDuration()));
        assertThat(tryAccept()).isEmpty();

        add("j1", 1);

        assertThat(await(waiting).orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void aNegativeTimeoutIsRefused() {
        AcceptOptions options = AcceptOptions.defaults();

        assertThatThrownBy(() -> options.timeout(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void noScheduleTakesEveryJobOnce() {
        List<String> ids = IntStream.range(0, 25)
                .mapToObj(i -> UUID.randomUUID().toString())
                .toList();
        ids.forEach(id -> add(id, 1));

        AcceptOptions noSchedule = AcceptOptions.nonBlocking().noSchedule();
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            taken.add(await(jobs.processor().accept(INDEX, noSchedule))
                    .orElseThrow()
                    .id());
        }

        assertThat(taken).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(await(jobs.processor().accept(INDEX, noSchedule))).isEmpty();
    }

    @Test
    void noScheduleWaitsForAJobToCome() {
        CompletableFuture<Optional<Job<WorkData>>> waiting =
                jobs.processor().accept(INDEX, AcceptOptions.defaults().noSchedule());
        assertThat(tryAccept()).isEmpty();
        assertThat(waiting).isNotDone();

        add("zzz beyond any random hexadecimal", 1);

        assertThat(await(waiting)).isPresent();
    }

    @Test
    void aCallThatDoesNotWaitIsAnsweredBesideManyThatDo() {
        List<CompletableFuture<Optional<Job<WorkData>>>> waiting = IntStream.range(0, 250)
                .mapToObj(i -> jobs.processor().accept(INDEX))
                .toList();

        assertThat(await(jobs.processor().accept(INDEX, AcceptOptions.nonBlocking())))
                .isEmpty();
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void aCallThatTakesLaterJobsIsServedBesideManyThatDoNot() {
        CouchJobs atNoon = node(new SettableClock(NOON));
        List<CompletableFuture<Optional<Job<WorkData>>>> waiting = IntStream.range(0, 250)
                .mapToObj(i -> atNoon.processor().accept(INDEX))
                .toList();
        addAt("tomorrow", 1, NOON.plusSeconds(86_400));

        AcceptOptions early = AcceptOptions.defaults().maxSchedTime(NOON.plusSeconds(86_400));
        assertThat(await(atNoon.processor().accept(INDEX, early)).orElseThrow().id())
                .isEqualTo("tomorrow");
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void aCancelledCallTakesNoJob() {
        CompletableFuture<Optional<Job<WorkData>>> given = jobs.processor().accept(INDEX);
        assertThat(tryAccept()).isEmpty();
        given.cancel(false);

        add("j1", 1);

        assertThat(await(node().processor().accept(INDEX)).orElseThrow().id()).isEqualTo("j1");
    }

    @Test
    void aClaimThatFindsItsCallerGoneIsHandedBack() {
        CouchJobs other = node();
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Optional<Job<WorkData>>> hasty = jobs.processor().accept(INDEX);
            add("j" + i, 1);

            boolean wasInTime = hasty.cancel(false);

            Job<WorkData> job =
                    await(wasInTime ? other.processor().accept(INDEX) : hasty).orElseThrow();
            assertThat(job.id()).isEqualTo("j" + i);
            await(jobs.processor().finish(database, job));
        }
    }

    @Test
    void closingAnInstanceEndsItsWaitsAndLeavesTheJobs() {
        CouchJobs closing = node();
        CompletableFuture<Optional<Job<WorkData>>> waiting = closing.processor().accept(INDEX);

        closing.close();
        add("j1", 1);

        assertThat(failureOf(waiting)).isInstanceOf(CouchJobsClosedException.class);
        assertThat(failureOf(closing.processor().accept(INDEX))).isInstanceOf(CouchJobsClosedException.class);
        assertThat(await(jobs.processor().accept(INDEX)).orElseThrow().id()).isEqualTo("j1");
    }
}
