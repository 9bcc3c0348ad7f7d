package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What it costs to wait for jobs: that follows what is waited for, not what happens to other jobs of the type. */
class WaitingTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SOON = Duration.ofMillis(50);
    private static final int SECONDS = 5;
    private static final String LARGE = "x".repeat(1_000_000);

    private final MeasuredStage stage = new MeasuredStage(12, MAIL);
    private final List<CouchJobs> processes = new ArrayList<>();
    private int added;

    @AfterEach
    void close() {
        processes.forEach(CouchJobs::close);
        stage.close();
    }

    private CouchJobs process() {
        CouchJobs process = stage.builder(stage.measured()).build();
        processes.add(process);
        return process;
    }

    private Database database() {
        return stage.database();
    }

    private List<CompletableFuture<Boolean>> waitForChanges(CouchJobs process, int count) {
        Versionstamp since = stage.await(stage.others().changes().now(database()));
        return IntStream.range(0, count)
                .mapToObj(i -> process.changes().await(MAIL, since, HOUR.multipliedBy(10)))
                .toList();
    }

    /** The one watch of all calls may be orphaned, and so is looked at less than once a minute. */
    @Test
    void callsThatWaitForChangesCostOneTransactionAndTheLooksAtOneWatch() {
        List<CompletableFuture<Boolean>> calls = waitForChanges(process(), 1_000);
        stage.time().advance(SOON);
        assertThat(stage.tries()).hasSize(1);
        stage.forget();

        stage.time().advance(HOUR);

        assertThat(stage.tries()).hasSizeLessThan((int) HOUR.toMinutes());
        assertThat(stage.tries())
                .allMatch(each -> each.cost().keysRead() <= 2 && each.cost().keysWritten() == 0);
        assertThat(calls).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void cancelledCallsNoLongerReadWhatChanges() {
        CouchJobs process = process();
        List<CompletableFuture<Boolean>> calls = waitForChanges(process, 1_000);
        stage.time().advance(SOON);
        calls.forEach(call -> call.cancel(false));
        stage.forget();

        for (int i = 0; i < SECONDS; i++) {
            stage.await(stage.others().add(database(), MAIL, "j" + i, "{}"));
            stage.time().advance(Duration.ofSeconds(1));
        }
        stage.time().advance(HOUR);

        assertThat(stage.tries()).isEmpty();
    }

    @Test
    void aReaderThatGoesOnCostsTwoTransactionsForEachChange() {
        CouchJobs process = process();
        Versionstamp since = stage.await(stage.others().changes().now(database()));
        stage.time().advance(SOON);
        for (int i = 0; i < SECONDS; i++) {
            CompletableFuture<Boolean> call = process.changes().await(MAIL, since, HOUR);
            stage.time().advance(SOON);
            stage.await(stage.others().add(database(), MAIL, "j" + i, "{}"));
            assertThat(stage.await(call)).isTrue();
            since = stage.await(process.changes().read(stage.measured(), MAIL, since, 10))
                    .next();
        }

        assertThat(stage.tries()).hasSize(2 * SECONDS + 1);
    }

    private Job<String> claimed(String id, String data) {
        stage.await(stage.others().add(database(), MAIL, id, data));
        return stage.await(stage.others().processor().accept(MAIL, AcceptOptions.nonBlocking()))
                .orElseThrow();
    }

    private List<Job<String>> claimed(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> claimed("own-" + i, "{}"))
                .toList();
    }

    /** Changes other jobs of the type, each by a commit of its own. */
    private void others(int seconds, int perSecond) {
        for (int i = 0; i < seconds * perSecond; i++) {
            stage.await(stage.others().add(database(), MAIL, "other-" + added++, "{}"));
            stage.time().advance(Duration.ofSeconds(1).dividedBy(perSecond));
        }
    }

    private double triesPerSecondAndProcess(int processCount, int perSecond) {
        others(SECONDS, perSecond);
        return triesPerSecondAndProcess(processCount, perSecond, SECONDS);
    }

    private double triesPerSecondAndProcess(int processCount, int perSecond, int seconds) {
        stage.forget();
        others(seconds, perSecond);
        return (double) stage.tries().size() / seconds / processCount;
    }

    private void waitsForResults(int processCount, int perSecond) {
        List<Job<String>> jobs = claimed(processCount);
        List<CompletableFuture<String>> results = jobs.stream()
                .map(job -> process().resultAsync(MAIL, job.id(), HOUR))
                .toList();

        assertThat(triesPerSecondAndProcess(processCount, perSecond)).isLessThan(1);

        Job<String> own = jobs.get(0);
        stage.await(stage.others().processor().finishWithResult(database(), MAIL, own, "sent"));
        stage.time().advance(SOON);
        assertThat(results.get(0)).isCompletedWithValue("sent");
    }

    @Test
    void aProcessThatWaitsForAResultDoesNotPayForOtherJobs() {
        waitsForResults(1, 100);
    }

    @Test
    void twentyProcessesThatWaitForAResultDoNotPayForOtherJobs() {
        waitsForResults(20, 100);
    }

    @Test
    void aThousandProcessesThatWaitForAResultDoNotPayForAThousandChangesASecond() {
        waitsForResults(1_000, 1_000);
    }

    @Test
    void aProcessWithASubscriptionDoesNotPayForOtherJobs() {
        Job<String> own = claimed("own", "{}");
        Subscription<String> subscription = stage.await(process().subscribe(stage.measured(), MAIL, "own"));

        assertThat(triesPerSecondAndProcess(1, 1_000)).isLessThan(1);

        CompletableFuture<Optional<JobEvent<String>>> event = subscription.awaitEvent(HOUR);
        stage.await(stage.others().processor().update(database(), own, "new"));
        stage.time().advance(SOON);
        assertThat(event).isDone();
        assertThat(event.join().orElseThrow().data()).contains("new");
    }

    @Test
    void aSubscriptionHearsOfProgressAndEntriesOfTheLog() {
        Job<String> own = claimed("own", "{}");
        CouchJobs process = process();
        Subscription<String> subscription = stage.await(process.subscribe(stage.measured(), MAIL, "own"));
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Optional<JobEvent<String>>> event = subscription.awaitEvent(HOUR);
            stage.await(stage.others().processor().progress(database(), own, i, 3, "on the way"));
            stage.time().advance(SOON);
            assertThat(event).isDone();

            event = subscription.awaitEvent(HOUR);
            stage.await(stage.others().processor().log(database(), own, "entry " + i));
            stage.time().advance(SOON);
            assertThat(event).isDone();
        }
    }

    @Test
    void aProcessThatFollowsManyJobsReadsManyChangesAtOnce() {
        CouchJobs process = process();
        List<Job<String>> jobs = claimed(300);
        List<Subscription<String>> subscriptions = jobs.stream()
                .map(job -> stage.await(process.subscribe(stage.measured(), MAIL, job.id())))
                .toList();
        others(SECONDS / 2, 1_000);

        // Its pauses are between 1 and 1.1 seconds long, so that ten seconds may hold ten of them.
        assertThat(triesPerSecondAndProcess(1, 1_000, 4 * SECONDS)).isLessThan(1);

        CompletableFuture<Optional<JobEvent<String>>> event = Subscription.awaitAny(subscriptions, HOUR);
        stage.await(stage.others().processor().finish(database(), jobs.get(7)));
        stage.time().advance(Duration.ofSeconds(2));
        assertThat(event).isDone();
        assertThat(event.join().orElseThrow().jobId()).isEqualTo(jobs.get(7).id());
    }

    @Test
    void aProcessThatFollowsManyJobsHearsOfEachChangeWhenItFollowsFewAgain() {
        CouchJobs process = process();
        List<Job<String>> jobs = claimed(150);
        List<Subscription<String>> subscriptions = jobs.stream()
                .map(job -> stage.await(process.subscribe(stage.measured(), MAIL, job.id())))
                .toList();
        for (int i = 0; i < jobs.size(); i++) {
            stage.await(stage.others().processor().update(database(), jobs.get(i), "one"));
            stage.await(stage.others().processor().finish(database(), jobs.get(i), "two"));
            assertThat(next(subscriptions.get(i))).isEqualTo(JobState.RUNNING);
            assertThat(next(subscriptions.get(i))).isEqualTo(JobState.FINISHED);
        }
    }

    @Test
    void aProcessThatFollowsFewJobsAgainWatchesThemAtOnce() {
        CouchJobs process = process();
        List<Job<String>> jobs = claimed(150);
        List<Subscription<String>> subscriptions = new ArrayList<>();
        for (Job<String> job : jobs) {
            subscriptions.add(stage.await(process.subscribe(stage.measured(), MAIL, job.id())));
            stage.time().advance(Duration.ofMillis(5)); // at first by rows
        }
        subscriptions.subList(1, jobs.size()).forEach(Subscription::close);

        CompletableFuture<Optional<JobEvent<String>>> event =
                subscriptions.get(0).awaitEvent(HOUR);
        stage.await(stage.others().processor().update(database(), jobs.get(0), "new"));
        stage.time().advance(Duration.ofMillis(1_100)); // the longest pause of a notifier by feed

        assertThat(event).isDone();
    }

    private JobState next(Subscription<String> subscription) {
        return stage.await(subscription.awaitEvent(HOUR)).orElseThrow().state();
    }

    @Test
    void aProcessThatWaitsForNothingReadsNothing() {
        CouchJobs process = process();
        Job<String> own = claimed("own", "{}");
        Subscription<String> subscription = stage.await(process.subscribe(stage.measured(), MAIL, own.id()));
        process.resultAsync(MAIL, own.id(), HOUR).cancel(false);
        subscription.close();
        stage.time().advance(Duration.ofSeconds(1));

        stage.forget();
        others(1, 10);
        stage.await(stage.others().processor().finish(database(), own));
        stage.time().advance(HOUR);

        assertThat(stage.tries()).isEmpty();
    }

    @Test
    void waitingForAResultReadsNoData() {
        Job<String> own = claimed("own", LARGE);
        CompletableFuture<String> result = process().resultAsync(MAIL, "own", HOUR);
        for (int i = 0; i < 50; i++) {
            stage.await(stage.others().processor().update(database(), own, i + LARGE));
            stage.time().advance(SOON);
        }
        stage.await(stage.others().processor().finishWithResult(database(), MAIL, own, "sent"));

        assertThat(stage.await(result)).isEqualTo("sent");
        assertThat(readsOfData()).isZero();
    }

    @Test
    void dataIsReadWhenAnEventIsTaken() {
        Job<String> own = claimed("own", "{}");
        CouchJobs process = process();
        Subscription<String> subscription = stage.await(process.subscribe(stage.measured(), MAIL, "own"));
        for (int i = 0; i < 50; i++) {
            stage.await(stage.others().processor().update(database(), own, i + LARGE));
            stage.time().advance(SOON);
        }
        assertThat(readsOfData()).isZero();

        JobEvent<String> event = stage.await(subscription.awaitEvent(HOUR)).orElseThrow();
        assertThat(event.data()).contains(49 + LARGE);
        assertThat(readsOfData()).isOne();
    }

    private long readsOfData() {
        return stage.tries().stream()
                .filter(each -> each.cost().readFrom().contains("payload"))
                .count();
    }
}
