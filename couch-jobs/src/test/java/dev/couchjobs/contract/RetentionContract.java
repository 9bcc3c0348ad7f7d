package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobInfo;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.Retention;
import dev.couchjobs.internal.counters.StateCounters;
import dev.couchjobs.internal.retention.ArchiveLease;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.verbs.FinishTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Jobs that have ended are removed when their time is up, and some of them are handed to an archive first. */
class RetentionContract extends SumsContract {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final JobType<WorkData, Integer> KEPT_AN_HOUR = SUM.retention(Retention.of(HOUR));
    private static final JobType<WorkData, Integer> ARCHIVED =
            SUM.retention(Retention.of(HOUR).archived());

    private void done(JobType<WorkData, Integer> type, String jobId) {
        await(sums.processor().finishWithResult(database, type, running(type, jobId), 42));
    }

    /** Lets another process look after the type when so much time has passed. */
    private void later(Duration time) {
        clock.advance(time);
        node(clock).maintenance().monitor(SUM);
    }

    private CompletableFuture<Void> gone(String jobId) {
        return rows.nextChange("data", "sum", jobId);
    }

    /** Completes when the only row of the retention index is removed. */
    private CompletableFuture<Void> lookedAt() {
        Tuple row = rows.under("retire", "sum").get(0);
        return rows.nextChange(
                Tuple.from("retire", "sum").addAll(row).getItems().toArray());
    }

    @Test
    void aJobIsRemovedWhenItsTimeIsUpAndNothingIsLeftOfIt() {
        await(sums.processor().fail(database, running(KEPT_AN_HOUR, "j1"), new IllegalStateException("once")));
        await(sums.processor().finishWithResult(database, KEPT_AN_HOUR, claim(KEPT_AN_HOUR, "j1"), 42));
        CompletableFuture<Void> gone = gone("j1");

        later(HOUR);
        await(gone);

        assertThat(state("j1")).isEqualTo(JobState.NOT_FOUND);
        for (String table : List.of("data", "retire", "attempts", "payload", "result", "dead")) {
            assertThat(rows.under(table)).as(table).isEmpty();
        }
        assertThat(await(database.readAsync(tx -> StateCounters.read(tx, new Keyspace(prefix).type("sum"))))
                        .total())
                .isZero();
    }

    @Test
    void aJobStaysUntilItsTimeIsUp() {
        done(KEPT_AN_HOUR, "first");
        clock.advance(Duration.ofMinutes(30));
        done(KEPT_AN_HOUR, "second");
        CompletableFuture<Void> gone = gone("first");

        later(Duration.ofMinutes(30));
        await(gone);

        assertThat(state("second")).isEqualTo(JobState.FINISHED);
        assertThat(info("second").removeAt()).contains(NOON.plusSeconds(5_400));
    }

    @Test
    void jobsThatFailedHaveATimeOfTheirOwn() {
        JobType<WorkData, Integer> type = SUM.retention(Retention.of(HOUR).failed(Duration.ofHours(5)));
        await(sums.processor().fail(database, running(type, "failed"), new PermanentFailureException("no")));
        done(type, "done");
        CompletableFuture<Void> doneGone = gone("done");
        later(HOUR);
        await(doneGone);
        assertThat(state("failed")).isEqualTo(JobState.FINISHED);

        CompletableFuture<Void> failedGone = gone("failed");
        later(Duration.ofHours(4));
        await(failedGone);

        assertThat(rows.under("dead")).isEmpty();
    }

    @Test
    void jobsThatAreKeptForeverAreNotListedForRemoval() {
        done(SUM.retention(Retention.forever()), "j1");

        assertThat(rows.under("retire")).isEmpty();
        assertThat(info("j1").removeAt()).isEmpty();
    }

    @Test
    void aJobThatWasEnqueuedAgainIsNotRemoved() {
        done(KEPT_AN_HOUR, "j1");
        await(sums.add(database, SUM, "j1", new WorkData(2)));
        CompletableFuture<Void> lookedAt = lookedAt();

        later(HOUR);
        await(lookedAt);

        assertThat(state("j1")).isEqualTo(JobState.PENDING);
        assertThat(info("j1").data()).isEqualTo(new WorkData(2));
    }

    @Test
    void aJobThatEndedAgainIsRemovedByItsLastEnd() {
        done(KEPT_AN_HOUR, "j1");
        clock.advance(Duration.ofMinutes(30));
        done(KEPT_AN_HOUR, "j1");
        assertThat(rows.under("retire", "sum")).hasSize(2);
        CompletableFuture<Void> lookedAt = lookedAt();
        later(Duration.ofMinutes(30));
        await(lookedAt);
        assertThat(state("j1")).isEqualTo(JobState.FINISHED);

        CompletableFuture<Void> gone = gone("j1");
        later(Duration.ofMinutes(30));
        await(gone);

        assertThat(rows.under("retire")).isEmpty();
    }

    @Test
    void moreThanOneTransactionHoldsAreRemovedByAnyNumberOfProcesses() {
        int count = 450;
        List<FinishTransaction.FinishRequest> requests = runningMany(KEPT_AN_HOUR, count).stream()
                .map(job -> new FinishTransaction.FinishRequest(job, EndsContract.DONE))
                .toList();
        FinishTransaction batch = EndsContract.finishTransaction(this, clock);
        await(batch.endAll(database, requests.subList(0, 300), List.of()));
        await(batch.endAll(database, requests.subList(300, count), List.of()));
        assertThat(rows.under("retire", "sum")).hasSizeLessThan(10);
        List<CompletableFuture<Void>> gone = requests.stream()
                .filter(request -> request.job().id().endsWith("7"))
                .map(request -> gone(request.job().id()))
                .toList();

        later(HOUR);
        node(clock).maintenance().monitor(SUM);
        gone.forEach(JobsContract::await);
        rowsEmpty();

        assertThat(rows.under("data", "sum")).isEmpty();
    }

    /** Waits for the last row of the index to go. */
    private void rowsEmpty() {
        for (List<Tuple> left = rows.under("retire", "sum"); !left.isEmpty(); left = rows.under("retire", "sum")) {
            Object[] last = Tuple.from("retire", "sum")
                    .addAll(left.get(left.size() - 1))
                    .getItems()
                    .toArray();
            CompletableFuture<Void> gone = rows.nextChange(last);
            if (rows.isThere(last)) {
                await(gone);
            }
        }
    }

    @Test
    void anArchiveIsGivenTheJobsAndTheyGoWhenItHasThem() throws InterruptedException {
        done(ARCHIVED, "j1");
        Shelf shelf = new Shelf();
        CompletableFuture<Void> gone = gone("j1");
        clock.advance(HOUR);

        node(clock).maintenance().archive(ARCHIVED, shelf::store);
        Offer offer = shelf.next();

        assertThat(offer.jobs()).singleElement().satisfies(job -> {
            assertThat(job.id()).isEqualTo("j1");
            assertThat(job.data()).isEqualTo(new WorkData(1));
            assertThat(job.result()).contains(42);
            assertThat(job.claims()).isEqualTo(1);
        });
        assertThat(state("j1")).isEqualTo(JobState.FINISHED);
        offer.stored().complete(null);
        await(gone);
        assertThat(rows.under("retire")).isEmpty();
    }

    @Test
    void whatAnArchiveCouldNotStoreIsOfferedAgain() {
        done(ARCHIVED, "j1");
        AtomicInteger calls = new AtomicInteger();
        CompletableFuture<Void> gone = gone("j1");
        clock.advance(HOUR);

        node(clock).maintenance().archive(ARCHIVED, page -> {
            int call = calls.incrementAndGet();
            if (call == 1) {
                throw new IllegalStateException("not now");
            }
            return call == 2
                    ? CompletableFuture.failedFuture(new IllegalStateException("not now either"))
                    : CompletableFuture.completedFuture(page);
        });
        await(gone);

        assertThat(calls).hasValue(3);
    }

    @Test
    void aJobThatIsEnqueuedWhileAnArchiveStoresItIsNotRemoved() throws InterruptedException {
        done(ARCHIVED, "j1");
        Shelf shelf = new Shelf();
        clock.advance(HOUR);
        node(clock).maintenance().archive(ARCHIVED, shelf::store);
        Offer offer = shelf.next();

        await(sums.add(database, SUM, "j1", new WorkData(2)));
        CompletableFuture<Void> lookedAt = lookedAt();
        offer.stored().complete(null);
        await(lookedAt);

        assertThat(state("j1")).isEqualTo(JobState.PENDING);
    }

    @Test
    void aJobThatTookThePlaceOfTheOneOfferedIsOfferedToo() throws InterruptedException {
        JobType<WorkData, Integer> type =
                SUM.retention(Retention.of(Duration.ZERO).archived());
        done(type, "j1");
        Shelf shelf = new Shelf();
        node(clock).maintenance().archive(type, shelf::store);
        Offer offer = shelf.next();

        await(sums.remove(database, SUM, "j1"));
        done(type, "j1");
        CompletableFuture<Void> gone = gone("j1");
        offer.stored().complete(null);

        Offer next = shelf.next();
        assertThat(state("j1")).isEqualTo(JobState.FINISHED);
        next.stored().complete(null);
        await(gone);
    }

    @Test
    void aJobThatIsToBeArchivedStaysWhileThereIsNoArchive() {
        done(ARCHIVED, "archived");
        done(KEPT_AN_HOUR, "other");
        CompletableFuture<Void> gone = gone("other");

        later(HOUR);
        await(gone);

        assertThat(state("archived")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aJobThatIsArchivedAtOnceIsKeptUntilItIs() {
        JobType<WorkData, Integer> type =
                SUM.retention(Retention.of(Duration.ZERO).archived());
        done(type, "j1");
        assertThat(state("j1")).isEqualTo(JobState.FINISHED);
        CompletableFuture<Void> gone = gone("j1");

        node(clock).maintenance().archive(type, CompletableFuture::completedFuture);

        await(gone);
    }

    @Test
    void jobsOfWhichOnePageHasNoRoomAreOfferedOnTheNext() throws InterruptedException {
        JobType<String, String> large = JobType.of("sum", String.class, String.class)
                .retention(Retention.of(HOUR).archived());
        FinishTransaction batch = EndsContract.finishTransaction(this, clock);
        List<FinishTransaction.FinishRequest> requests = new ArrayList<>();
        try (CouchJobs processor = node(clock)) {
            for (int i = 0; i < 3; i++) {
                await(sums.add(database, large, "j" + i, "x".repeat(2_500_000)));
                Job<String> job = await(processor.processor().accept(large)).orElseThrow();
                requests.add(new FinishTransaction.FinishRequest(job, EndsContract.DONE));
            }
        }
        await(batch.endAll(database, requests, List.of()));
        assertThat(rows.under("retire", "sum")).hasSize(1);
        clock.advance(HOUR);
        List<List<String>> pages = new ArrayList<>();
        CompletableFuture<Void> lookedAt = lookedAt();

        node(clock).maintenance().archive(large, page -> {
            pages.add(page.stream().map(JobInfo::id).toList());
            return CompletableFuture.completedFuture(null);
        });
        await(lookedAt);

        assertThat(pages).containsExactly(List.of("j0"), List.of("j1"), List.of("j2"));
        assertThat(rows.under("data", "sum")).isEmpty();
    }

    @Test
    void aTypeHasOneArchiveInAnInstance() {
        sums.maintenance().archive(ARCHIVED, CompletableFuture::completedFuture);

        assertThatThrownBy(() -> sums.maintenance().archive(ARCHIVED, CompletableFuture::completedFuture))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("sum");
    }

    @Test
    void archivesOfSeveralProcessesTakeTurns() {
        assertThat(turn("one", 0)).isEmpty();
        assertThat(turn("two", 1_000)).contains(Duration.ofSeconds(59));
        assertThat(turn("one", 2_000)).isEmpty();
        assertThat(turn("two", 61_999)).contains(Duration.ofMillis(1));
        assertThat(turn("two", 62_000)).isEmpty();
        assertThat(turn("one", 62_000)).isPresent();
    }

    private Optional<Duration> turn(String name, long millis) {
        TypeKeys keys = new Keyspace(prefix).type("sum");
        return await(database.runAsync(tx -> ArchiveLease.heldByOther(tx, keys, name, millis, Duration.ofMinutes(1))
                .thenApply(left -> {
                    if (left.isEmpty()) {
                        ArchiveLease.take(tx, keys, name, millis, Duration.ofMinutes(1));
                    }
                    return left;
                })));
    }

    private record Offer(List<JobInfo<WorkData, Integer>> jobs, CompletableFuture<?> stored) {}

    /** An archive that takes its time. */
    private static final class Shelf {
        private final LinkedBlockingQueue<Offer> offers = new LinkedBlockingQueue<>();

        CompletableFuture<?> store(List<JobInfo<WorkData, Integer>> jobs) {
            Offer offer = new Offer(jobs, new CompletableFuture<>());
            offers.add(offer);
            return offer.stored();
        }

        Offer next() throws InterruptedException {
            return Objects.requireNonNull(offers.poll(LONG.toSeconds(), TimeUnit.SECONDS), "no offer");
        }
    }
}
