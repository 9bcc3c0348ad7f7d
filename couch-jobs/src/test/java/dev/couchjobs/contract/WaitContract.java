package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Feature A8: {@code wait} on one or many subscriptions, for any state or one, with a timeout that is a deadline. */
class WaitContract extends JobsContract {

    private static String text(JobEvent<WorkData> event) {
        return event.jobId() + " " + event.state();
    }

    private String next(List<Subscription<WorkData>> subscriptions) {
        return text(await(Subscription.<WorkData>awaitAny(subscriptions, LONG)).orElseThrow());
    }

    private void assertNothingMore(List<Subscription<WorkData>> subscriptions) {
        assertThat(await(Subscription.<WorkData>awaitAny(subscriptions, SHORTLY)))
                .isEmpty();
    }

    @Test
    void aWaitOnSeveralSubscriptionsIsToldOfWhicheverChanges() {
        add("j1", 1);
        add("j2", 2);
        List<Subscription<WorkData>> both = List.of(subscribe("j1"), subscribe("j2"));

        Job<WorkData> first = accept();
        assertThat(next(both)).isEqualTo(first.id() + " RUNNING");
        assertNothingMore(both);
        Job<WorkData> second = accept();
        assertThat(next(both)).isEqualTo(second.id() + " RUNNING");
        assertNothingMore(both);

        await(jobs.processor().update(database, first, new WorkData(3)));
        await(jobs.processor().update(database, second, new WorkData(4)));
        assertThat(next(both)).isEqualTo(first.id() + " RUNNING");
        assertThat(next(both)).isEqualTo(second.id() + " RUNNING");

        await(jobs.processor().finish(database, first, new WorkData(5)));
        JobEvent<WorkData> finished = await(Subscription.<WorkData>awaitAny(both, JobState.FINISHED, LONG))
                .orElseThrow();
        assertThat(finished.jobId()).isEqualTo(first.id());
        assertThat(finished.data()).contains(new WorkData(5));
        assertThat(await(Subscription.<WorkData>awaitAny(both, JobState.FINISHED, SHORTLY)))
                .isEmpty();

        await(jobs.processor().finish(database, second));
        both.forEach(Subscription::close);
        assertNothingMore(both);
    }

    @Test
    void changesComeInTheOrderOfTheirCommits() {
        Job<WorkData> a = accepted("a", 1);
        Job<WorkData> b = accepted("b", 1);
        List<Subscription<WorkData>> both = List.of(subscribe("b"), subscribe("a"));

        await(jobs.processor().update(database, a, new WorkData(2)));
        await(jobs.processor().update(database, b, new WorkData(2)));
        await(jobs.processor().finish(database, b));
        await(jobs.processor().finish(database, a));

        List<JobEvent<WorkData>> events = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            events.add(await(Subscription.<WorkData>awaitAny(both, LONG)).orElseThrow());
        }
        assertThat(events.stream().map(WaitContract::text))
                .containsExactly("a RUNNING", "b RUNNING", "b FINISHED", "a FINISHED");
        assertThat(events).isSortedAccordingTo((x, y) -> x.sequence().compareTo(y.sequence()));
    }

    @Test
    void waitingForSomeLeavesTheEventsOfOthersInOrder() {
        Job<WorkData> a = accepted("a", 1);
        Job<WorkData> b = accepted("b", 1);
        Subscription<WorkData> ofA = subscribe("a");
        Subscription<WorkData> ofB = subscribe("b");
        await(jobs.processor().update(database, a, new WorkData(2)));
        commit(tx -> {
            await(jobs.processor().resubmit(tx, a));
            await(jobs.processor().finish(tx, a));
        });
        await(jobs.processor().finish(database, b));

        assertThat(next(List.of(ofB))).isEqualTo("b FINISHED");

        assertThat(next(List.of(ofA, ofB))).isEqualTo("a RUNNING");
        assertThat(next(List.of(ofA, ofB))).isEqualTo("a PENDING");
    }

    @Test
    void aWaitForOneStatePassesOthersOver() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        Job<WorkData> job = accept();
        await(jobs.processor().update(database, job, new WorkData(2)));
        await(jobs.processor().finish(database, job, new WorkData(3)));

        assertThat(await(subscription.awaitEvent(JobState.FINISHED, LONG))
                        .orElseThrow()
                        .data())
                .contains(new WorkData(3));
    }

    @Test
    void aWaitOnSeveralForOneStateNeverReturnsAnotherState() {
        Job<WorkData> a = accepted("a", 1);
        Job<WorkData> b = accepted("b", 1);
        List<Subscription<WorkData>> both = List.of(subscribe("a"), subscribe("b"));
        CompletableFuture<Optional<JobEvent<WorkData>>> waiting = Subscription.awaitAny(both, JobState.FINISHED, LONG);

        await(jobs.processor().update(database, a, new WorkData(2)));
        await(jobs.processor().update(database, b, new WorkData(2)));
        await(jobs.processor().update(database, a, new WorkData(3)));
        await(jobs.processor().finish(database, b));

        assertThat(text(await(waiting).orElseThrow())).isEqualTo("b FINISHED");
    }

    @Test
    void aWaitForAStateThatCannotComeAnyMoreEnds() {
        Job<WorkData> job = accepted("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        CompletableFuture<Optional<JobEvent<WorkData>>> waiting = subscription.awaitEvent(JobState.PENDING, LONG);

        await(jobs.processor().finish(database, job));

        assertThat(await(waiting)).isEmpty();
        assertThat(await(subscription.awaitEvent(JobState.RUNNING, LONG))).isEmpty();
    }

    @Test
    void aDeadlineIsNotPutOffByOtherStates() {
        Job<WorkData> job = accepted("j1", 0);
        Subscription<WorkData> subscription = subscribe("j1");
        CompletableFuture<Optional<JobEvent<WorkData>>> waiting =
                subscription.awaitEvent(JobState.FINISHED, Duration.ofMillis(300));

        // Each of these is an event of a state not waited for. The test's own timeout ends an endless wait.
        for (int i = 1; !waiting.isDone(); i++) {
            await(jobs.processor().update(database, job, new WorkData(i)));
        }

        assertThat(await(waiting)).isEmpty();
    }

    @Test
    void waitsOnOneSubscriptionAreServedFirstComeFirstServed() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        CompletableFuture<Optional<JobEvent<WorkData>>> first = subscription.awaitEvent(LONG);
        CompletableFuture<Optional<JobEvent<WorkData>>> second = subscription.awaitEvent(LONG);

        await(jobs.processor().finish(database, accept()));

        assertThat(text(await(first).orElseThrow())).isEqualTo("j1 RUNNING");
        assertThat(text(await(second).orElseThrow())).isEqualTo("j1 FINISHED");
    }

    @Test
    void interleavedWaitsForDifferentStatesEachGetTheirs() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        CompletableFuture<Optional<JobEvent<WorkData>>> finished = subscription.awaitEvent(JobState.FINISHED, LONG);
        CompletableFuture<Optional<JobEvent<WorkData>>> running = subscription.awaitEvent(JobState.RUNNING, LONG);

        Job<WorkData> job = accept();
        assertThat(text(await(running).orElseThrow())).isEqualTo("j1 RUNNING");
        assertThat(finished).isNotDone();
        await(jobs.processor().finish(database, job));

        assertThat(text(await(finished).orElseThrow())).isEqualTo("j1 FINISHED");
    }

    @Test
    void interleavedWaitsOnOverlappingListsGetEachEventOnce() {
        add("a", 1);
        add("b", 1);
        Subscription<WorkData> ofA = subscribe("a");
        Subscription<WorkData> ofB = subscribe("b");
        CompletableFuture<Optional<JobEvent<WorkData>>> both = Subscription.awaitAny(List.of(ofA, ofB), LONG);
        CompletableFuture<Optional<JobEvent<WorkData>>> onlyA = ofA.awaitEvent(LONG);

        await(jobs.remove(database, INDEX, "b"));
        await(jobs.remove(database, INDEX, "a"));

        assertThat(text(await(both).orElseThrow())).isEqualTo("b NOT_FOUND");
        assertThat(text(await(onlyA).orElseThrow())).isEqualTo("a NOT_FOUND");
        assertNothingMore(List.of(ofA, ofB));
    }

    @Test
    void aWaitThatTimesOutTakesNoEventWithIt() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        assertThat(await(subscription.awaitEvent(SHORTLY))).isEmpty();
        assertThat(await(subscription.awaitEvent(Duration.ZERO))).isEmpty();

        accept();

        assertThat(text(await(subscription.awaitEvent(LONG)).orElseThrow())).isEqualTo("j1 RUNNING");
    }

    @Test
    void aCancelledWaitTakesNoEventWithIt() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        subscription.awaitEvent(LONG).cancel(false);

        accept();

        assertThat(text(await(subscription.awaitEvent(LONG)).orElseThrow())).isEqualTo("j1 RUNNING");
    }

    @Test
    void waitingForNothingEndsAtOnce() {
        assertNothingMore(List.of());
        assertThat(await(Subscription.<WorkData>awaitAny(List.of(), LONG))).isEmpty();
    }

    @Test
    void aVeryLongTimeoutIsAllowed() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");
        CompletableFuture<Optional<JobEvent<WorkData>>> waiting =
                subscription.awaitEvent(ChronoUnit.FOREVER.getDuration());

        accept();

        assertThat(text(await(waiting).orElseThrow())).isEqualTo("j1 RUNNING");
    }

    @Test
    void aNegativeTimeoutIsRefused() {
        add("j1", 1);
        Subscription<WorkData> subscription = subscribe("j1");

        assertThatThrownBy(() -> subscription.awaitEvent(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Subscription.<WorkData>awaitAny(List.of(), Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
