package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * {@code subscribe} and {@code unsubscribe}, and what a subscriber is told; see also {@link WaitContract}.
 */
class SubscriptionsContract extends JobsContract {

    private JobEvent<WorkData> next(Subscription<WorkData> subscription) {
        return await(subscription.awaitEvent(LONG))
                .orElseThrow(() -> new AssertionError("No event for " + subscription.jobId()));
    }

    private void assertNextIs(Subscription<WorkData> subscription, JobState state, int step) {
        JobEvent<WorkData> event = next(subscription);
        assertThat(event.state()).isEqualTo(state);
        assertThat(event.data()).contains(new WorkData(step));
    }

    private void assertNothingMore(Subscription<WorkData> subscription) {
        assertThat(await(subscription.awaitEvent(SHORTLY))).isEmpty();
    }

    @Test
    void aSubscriberIsToldOfEveryChangeUntilTheJobIsFinished() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        assertThat(subscription.type()).isEqualTo(INDEX);
        assertThat(subscription.jobId()).isEqualTo("j1");
        assertThat(subscription.state()).isEqualTo(JobState.PENDING);
        assertThat(subscription.data()).contains(new WorkData(1));

        Job<WorkData> job = accept();
        assertNextIs(subscription, JobState.RUNNING, 1);
        await(jobs.processor().update(database, job, new WorkData(2)));
        assertNextIs(subscription, JobState.RUNNING, 2);
        assertThat(subscription.isEnded()).isFalse();
        await(jobs.processor().finish(database, job, new WorkData(3)));
        assertNextIs(subscription, JobState.FINISHED, 3);

        assertThat(subscription.isEnded()).isTrue();
        assertNothingMore(subscription);
    }

    @Test
    void subscribingAgainReportsTheSame() {
        add("j1", 1);
        Subscription<WorkData> first = subscribe("j1");
        Subscription<WorkData> again = subscribe("j1");
        assertThat(again.state()).isEqualTo(first.state());
        assertThat(again.data()).isEqualTo(first.data());

        first.close();
        again.close();
        Subscription<WorkData> afterwards = subscribe("j1");
        accept();

        assertNextIs(afterwards, JobState.RUNNING, 1);
        assertNothingMore(first);
    }

    @Test
    void aJobThatIsNotThereIsReportedAsSuchAndThatIsAll() {
        Subscription<WorkData> unknownId = subscribe("never");
        Subscription<WorkData> unknownType =
                await(jobs.subscribe(database, JobType.of("no such type", WorkData.class), "j1"));

        assertThat(unknownId.state()).isEqualTo(JobState.NOT_FOUND);
        assertThat(unknownId.data()).isEmpty();
        assertThat(unknownType.isEnded()).isTrue();
        JobEvent<WorkData> only = next(unknownId);
        assertThat(only.state()).isEqualTo(JobState.NOT_FOUND);
        assertThat(only.data()).isEmpty();
        assertNothingMore(unknownId);
    }

    @Test
    void aFinishedJobIsReportedAsSuchAndThatIsAll() {
        await(jobs.processor().finish(database, accepted("j1", 1), new WorkData(3)));

        Subscription<WorkData> subscription = subscribe("j1");

        assertThat(subscription.state()).isEqualTo(JobState.FINISHED);
        assertThat(subscription.data()).contains(new WorkData(3));
        assertThat(subscription.isEnded()).isTrue();
        assertNextIs(subscription, JobState.FINISHED, 3);
        assertNothingMore(subscription);
    }

    @Test
    void theRemovalOfAPendingJobIsItsLastEvent() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");

        await(jobs.remove(database, INDEX, "j1"));

        JobEvent<WorkData> last = next(subscription);
        assertThat(last.state()).isEqualTo(JobState.NOT_FOUND);
        assertThat(last.data()).isEmpty();
        assertNothingMore(subscription);
        assertThat(subscribe("j1").state()).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void theRemovalOfARunningJobIsItsLastEvent() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        accept();
        assertNextIs(subscription, JobState.RUNNING, 1);

        await(jobs.remove(database, INDEX, "j1"));

        assertThat(next(subscription).state()).isEqualTo(JobState.NOT_FOUND);
        assertThat(subscription.isEnded()).isTrue();
        assertNothingMore(subscription);
    }

    @Test
    void nothingIsLostBetweenTheReportedStateAndTheFirstEvent() {
        add("j1", 1);
        try (Transaction old = database.createTransaction()) {
            await(old.getReadVersion());
            await(jobs.processor().finish(database, accept(), new WorkData(2)));

            Subscription<WorkData> subscription = await(jobs.subscribe(old, INDEX, "j1"));

            assertThat(subscription.state()).isEqualTo(JobState.PENDING);
            assertThat(next(subscription).state()).isEqualTo(JobState.RUNNING);
            assertNextIs(subscription, JobState.FINISHED, 2);
        }
    }

    @Test
    void aSecondSubscriberFromAnEarlierPlaceDisturbsNobody() {
        add("j1", 1);
        Subscription<WorkData> early = subscribe("j1");
        try (Transaction old = database.createTransaction()) {
            await(old.getReadVersion());
            Job<WorkData> job = accept();
            assertNextIs(early, JobState.RUNNING, 1);

            Subscription<WorkData> late = await(jobs.subscribe(old, INDEX, "j1"));
            await(jobs.processor().finish(database, job));

            assertThat(next(late).state()).isEqualTo(JobState.RUNNING);
            assertThat(next(late).state()).isEqualTo(JobState.FINISHED);
            assertThat(next(early).state()).isEqualTo(JobState.FINISHED);
        }
    }

    @Test
    void aShortStateBetweenTwoOthersIsNotMissed() {
        Job<WorkData> job = accepted("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");

        commit(tx -> {
            await(jobs.processor().resubmit(tx, job));
            await(jobs.processor().finish(tx, job));
        });
        await(jobs.processor().finish(database, accept()));

        assertThat(next(subscription).state()).isEqualTo(JobState.PENDING);
        assertThat(next(subscription).state()).isEqualTo(JobState.RUNNING);
        assertThat(next(subscription).state()).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aHeartbeatIsNoEvent() {
        Job<WorkData> job = accepted("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");

        await(jobs.processor().update(database, job));
        await(jobs.processor().finish(database, job));

        assertThat(next(subscription).state()).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aChangeThatChangesNothingIsNoEvent() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");

        add("j1", 1);
        assertNothingMore(subscription);
    }

    @Test
    void severalChangesInOneTransactionAreOneEvent() {
        Job<WorkData> job = accepted("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");

        commit(tx -> {
            await(jobs.processor().update(tx, job, new WorkData(2)));
            await(jobs.processor().update(tx, job, new WorkData(3)));
            await(jobs.processor().finish(tx, job, new WorkData(4)));
        });

        assertNextIs(subscription, JobState.FINISHED, 4);
        assertNothingMore(subscription);
    }

    @Test
    void aTransactionThatIsGivenUpIsNoEvent() {
        Job<WorkData> job = accepted("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");

        try (Transaction tx = database.createTransaction()) {
            await(jobs.processor().finish(tx, job, new WorkData(2)));
        }

        assertNothingMore(subscription);
    }

    @Test
    void whatHappensOnOneNodeIsToldOnAnother() {
        add("j1", 1);
        CouchJobs other = node();
        Subscription<WorkData> there = await(other.subscribe(database, INDEX, "j1"));

        await(jobs.processor().finish(database, accept(), new WorkData(2)));

        JobEvent<WorkData> last =
                await(there.awaitEvent(JobState.FINISHED, LONG)).orElseThrow();
        assertThat(last.data()).contains(new WorkData(2));
    }

    @Test
    void aJobThatIsFinishedBeforeAnybodyWaitsWakesTheSubscriber() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        await(node().processor().finish(database, accept(), new WorkData(2)));

        assertThat(await(subscription.awaitEvent(JobState.FINISHED, LONG))).isPresent();
    }

    @Test
    void anEndedSubscriptionIsNotTakenUpAgainByALaterRun() {
        await(jobs.processor().finish(database, accepted("j1", 1)));
        Subscription<WorkData> subscription = subscribe("j1");
        assertThat(next(subscription).state()).isEqualTo(JobState.FINISHED);

        add("j1", 2);

        assertNothingMore(subscription);
        assertThat(subscribe("j1").state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void unsubscribingDropsWhatNobodyWaitedFor() {
        add("j1", 1);
        Subscription<WorkData> told = subscribe("j1");
        Subscription<WorkData> witness = subscribe("j1");
        accept();
        assertNextIs(witness, JobState.RUNNING, 1);

        told.close();

        assertNothingMore(told);
        told.close();
        told.close();
    }

    @Test
    void unsubscribingEndsTheWaitOfAnother() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        CompletableFuture<Optional<JobEvent<WorkData>>> waiting = subscription.awaitEvent(LONG);

        subscription.close();

        assertThat(await(waiting)).isEmpty();
    }

    @Test
    void closingTheInstanceEndsWaitsAndSubscriptionsCanStillBeClosed() {
        CouchJobs closing = node();
        add("j1", 1);
        Subscription<WorkData> subscription = await(closing.subscribe(database, INDEX, "j1"));
        CompletableFuture<Optional<JobEvent<WorkData>>> waiting = subscription.awaitEvent(LONG);

        closing.close();

        assertThat(failureOf(waiting)).isInstanceOf(CouchJobsClosedException.class);
        assertThat(failureOf(subscription.awaitEvent(LONG))).isInstanceOf(CouchJobsClosedException.class);
        assertThat(failureOf(closing.subscribe(database, INDEX, "j1"))).isInstanceOf(CouchJobsClosedException.class);
        subscription.close();
    }
}
