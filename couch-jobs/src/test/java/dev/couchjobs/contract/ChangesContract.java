package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.ChangePage;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsClosedException;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobChange;
import dev.couchjobs.JobChanges;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.SequenceNotVisibleException;
import dev.couchjobs.UncommittedChangesException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code changes()}: what a process reads that follows many jobs, and how it waits. See also {@link FeedContract}. */
class ChangesContract extends JobsContract {
    private static final int MANY = 1_000;

    private static JobType<WorkData, ?> type(String name) {
        return JobType.of(name, WorkData.class);
    }

    private Versionstamp now() {
        return await(jobs.changes().now(database));
    }

    private ChangePage read(Versionstamp since, int limit) {
        return await(jobs.changes().read(database, INDEX, since, limit));
    }

    private ChangePage readAll(Versionstamp since, int limit) {
        return await(jobs.changes().read(database, since, limit));
    }

    private static List<String> texts(ChangePage page) {
        return page.changes().stream().map(ChangesContract::text).toList();
    }

    private static String text(JobChange change) {
        return change.typeName() + "/" + change.jobId() + " " + change.state();
    }

    /** All changes, in pages. */
    private static List<JobChange> pages(Function<Versionstamp, ChangePage> read) {
        List<JobChange> all = new ArrayList<>();
        ChangePage page = read.apply(JobChanges.OLDEST);
        all.addAll(page.changes());
        while (page.hasMore()) {
            page = read.apply(page.next());
            all.addAll(page.changes());
        }
        return all;
    }

    private CompletableFuture<Boolean> changeAfter(Versionstamp since) {
        return jobs.changes().await(INDEX, since, LONG);
    }

    private CompletableFuture<Boolean> anyChangeAfter(Versionstamp since) {
        return jobs.changes().await(since, LONG);
    }

    /** Waits until the calls that were made before have been served as far as they can. */
    private void settle() {
        assertThat(await(jobs.changes().await(INDEX, now(), Duration.ZERO))).isFalse();
        assertThat(await(jobs.changes().await(now(), Duration.ZERO))).isFalse();
    }

    // Pages

    @Test
    void everyChangeIsReadOnceAndInOrder() {
        Versionstamp since = now();
        Job<WorkData> job = accepted("j1", 1);
        await(jobs.processor().update(database, job));
        await(jobs.processor().update(database, job, new WorkData(2)));
        add("j2", 1);
        await(jobs.processor().finish(database, job));
        await(jobs.remove(database, INDEX, "j1"));

        ChangePage page = read(since, 100);

        assertThat(texts(page))
                .containsExactly(
                        "index/j1 PENDING",
                        "index/j1 RUNNING",
                        "index/j1 RUNNING",
                        "index/j2 PENDING",
                        "index/j1 FINISHED",
                        "index/j1 NOT_FOUND");
        assertThat(page.changes()).extracting(JobChange::sequence).isSorted().doesNotHaveDuplicates();
        assertThat(page.hasMore()).isFalse();
        assertThat(page.isTrimmed()).isFalse();
        assertThat(read(page.next(), 100).changes()).isEmpty();
    }

    @Test
    void aReaderStartsAtPresentOrAtTheOldestChange() {
        add("j1", 1);
        Versionstamp since = now();
        add("j2", 1);

        assertThat(texts(read(since, 100))).containsExactly("index/j2 PENDING");
        assertThat(texts(read(JobChanges.OLDEST, 100))).containsExactly("index/j1 PENDING", "index/j2 PENDING");
        assertThat(texts(readAll(since, 100))).containsExactly("index/j2 PENDING");
    }

    @Test
    void aReaderGoesOnFromAnyChangeThatItHasRead() {
        add("j1", 1);
        add("j2", 1);
        JobChange first = read(JobChanges.OLDEST, 1).changes().get(0);

        assertThat(texts(read(first.sequence(), 100))).containsExactly("index/j2 PENDING");
        assertThat(texts(readAll(first.sequence(), 100))).containsExactly("index/j2 PENDING");
    }

    @Test
    void aPageEndsAtItsLimit() {
        IntStream.range(0, 7).forEach(i -> add("j" + i, i));

        ChangePage page = read(JobChanges.OLDEST, 3);
        assertThat(texts(page)).containsExactly("index/j0 PENDING", "index/j1 PENDING", "index/j2 PENDING");
        assertThat(page.hasMore()).isTrue();

        assertThat(pages(since -> read(since, 3)))
                .extracting(JobChange::jobId)
                .containsExactly("j0", "j1", "j2", "j3", "j4", "j5", "j6");
    }

    @Test
    void changesOfOneCommitAreNotDivided() {
        List<NewJob<WorkData>> several = IntStream.range(10, 40)
                .mapToObj(i -> NewJob.of(INDEX, new WorkData(i)).id("j" + i))
                .toList();
        add("first", 1);
        await(jobs.addAll(database, several));
        add("last", 1);

        List<Integer> sizes = new ArrayList<>();
        List<JobChange> all = pages(since -> {
            ChangePage page = read(since, 10);
            sizes.add(page.changes().size());
            return page;
        });

        assertThat(all).hasSize(32);
        assertThat(all).extracting(JobChange::jobId).doesNotHaveDuplicates();
        assertThat(sizes).startsWith(1, 30);
        assertThat(pages(since -> readAll(since, 10))).isEqualTo(all);
    }

    @Test
    void aLongFeedIsReadToItsEnd() {
        IntStream.range(0, 250).forEach(i -> add("j" + i, i));

        assertThat(read(JobChanges.OLDEST, JobChanges.LIMIT_MAX).changes()).hasSize(250);
        assertThat(read(JobChanges.OLDEST, 220).changes()).hasSize(220);
    }

    @Test
    void typesAreReadTogetherInTheOrderOfTheirCommits() {
        List<JobType<WorkData, ?>> types = Stream.of("a", "b", "c", "d")
                .<JobType<WorkData, ?>>map(ChangesContract::type)
                .toList();
        for (int i = 0; i < 40; i++) {
            JobType<WorkData, ?> type = types.get(i % 3 == 0 ? 0 : i % 4);
            await(jobs.add(database, type, "j" + i, new WorkData(i)));
        }
        commit(tx -> types.forEach(type -> await(jobs.add(tx, type, "at once", new WorkData(1)))));

        List<JobChange> byType = types.stream()
                .flatMap(type -> pages(since -> await(jobs.changes().read(database, type, since, 100))).stream())
                .sorted(Comparator.comparing(JobChange::sequence))
                .toList();

        assertThat(byType).hasSize(44);
        for (int limit : new int[] {1, 3, 10, 44, 100}) {
            assertThat(pages(since -> readAll(since, limit)))
                    .as("limit " + limit)
                    .isEqualTo(byType);
        }
    }

    @Test
    void aTypeWithoutJobsHasNoChanges() {
        ChangePage page = await(jobs.changes().read(database, type("unknown"), JobChanges.OLDEST, 10));

        assertThat(page.changes()).isEmpty();
        assertThat(page.hasMore()).isFalse();
        assertThat(page.isTrimmed()).isFalse();
    }

    @Test
    void readsAtThePageSeeItsChanges() {
        add("j1", 1);
        ChangePage page = read(JobChanges.OLDEST, 10);

        assertThat(await(jobs.getJobState(jobs.atLeastVersion(database, page.next()), INDEX, "j1")))
                .isEqualTo(JobState.PENDING);
    }

    @Test
    void changesAreReadInATransactionOfTheCallersAsOfItsBeginning() {
        add("j1", 1);
        try (Transaction tx = database.createTransaction()) {
            await(tx.getReadVersion());
            add("j2", 1);

            ChangePage page = await(jobs.changes().read(tx, INDEX, JobChanges.OLDEST, 10));

            assertThat(texts(page)).containsExactly("index/j1 PENDING");
            assertThat(texts(read(page.next(), 10))).containsExactly("index/j2 PENDING");
            tx.set(key("mine"), new byte[] {1});
            await(tx.commit()); // the changes since do not conflict
        }
    }

    @Test
    void aTransactionThatHasChangedJobsReadsNoChanges() {
        try (Transaction tx = database.createTransaction()) {
            await(jobs.add(tx, INDEX, "j1", new WorkData(1)));

            assertThat(failureOf(jobs.changes().read(tx, INDEX, JobChanges.OLDEST, 10)))
                    .isInstanceOf(UncommittedChangesException.class);
            assertThat(failureOf(jobs.changes().read(tx, JobChanges.OLDEST, 10)))
                    .isInstanceOf(UncommittedChangesException.class);
        }
    }

    @Test
    void aSequenceThatIsNotOfThisDatabaseFails() {
        byte[] far = new byte[10];
        far[0] = 0x7F;
        Versionstamp later = Versionstamp.complete(far, 0);

        assertThat(failureOf(jobs.changes().read(database, INDEX, later, 10)))
                .isInstanceOf(SequenceNotVisibleException.class);
        assertThat(failureOf(jobs.changes().read(database, later, 10))).isInstanceOf(SequenceNotVisibleException.class);
    }

    @Test
    void argumentsThatCannotBeAreRefused() {
        JobChanges changes = jobs.changes();
        for (int limit : new int[] {-1, 0, JobChanges.LIMIT_MAX + 1}) {
            assertThatThrownBy(() -> changes.read(database, INDEX, JobChanges.OLDEST, limit))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 to 1000");
        }
        assertThatThrownBy(() -> changes.read(database, Versionstamp.incomplete(), 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("incomplete");
        assertThatThrownBy(() -> changes.await(Versionstamp.incomplete(), LONG))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> changes.await(INDEX, JobChanges.OLDEST, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    // Waits

    @Test
    void aCallDoesNotWaitForWhatIsThere() {
        add("j1", 1);

        assertThat(await(changeAfter(JobChanges.OLDEST))).isTrue();
        assertThat(await(anyChangeAfter(JobChanges.OLDEST))).isTrue();
        assertThat(await(jobs.changes().await(INDEX, JobChanges.OLDEST, Duration.ZERO)))
                .isTrue();
    }

    @Test
    void aChangeWakesTheCallsOfItsTypeAndThoseForAnyType() {
        Versionstamp since = now();
        CompletableFuture<Boolean> ofType = changeAfter(since);
        CompletableFuture<Boolean> ofOther = jobs.changes().await(MAIL, since, LONG);
        CompletableFuture<Boolean> ofAny = anyChangeAfter(since);
        settle();
        assertThat(Stream.of(ofType, ofOther, ofAny)).noneMatch(CompletableFuture::isDone);

        await(node().add(database, INDEX, "j1", new WorkData(1)));

        assertThat(await(ofType)).isTrue();
        assertThat(await(ofAny)).isTrue();
        settle();
        assertThat(ofOther).isNotDone();
    }

    @Test
    void aHeartbeatWakesNoCall() {
        Job<WorkData> job = accepted("j1", 1);
        CompletableFuture<Boolean> waiting = changeAfter(now());
        settle();

        await(jobs.processor().update(database, job));

        settle();
        assertThat(waiting).isNotDone();
        await(jobs.processor().finish(database, job));
        assertThat(await(waiting)).isTrue();
    }

    @Test
    void aCallIsAnsweredWhenItsTimeIsUp() {
        Versionstamp since = now();

        assertThat(await(jobs.changes().await(INDEX, since, SHORTLY))).isFalse();
        assertThat(await(jobs.changes().await(since, SHORTLY))).isFalse();
    }

    @Test
    void aReaderThatWaitsFromPageToPageMissesNothing() {
        int jobsToAdd = 60;
        CompletableFuture<List<String>> followed = follow(jobsToAdd, now(), new ArrayList<>());
        for (int i = 0; i < jobsToAdd; i++) {
            await(jobs.add(database, type("type " + i % 7), "j" + i, new WorkData(i)));
        }

        assertThat(await(followed))
                .containsExactlyElementsOf(IntStream.range(0, jobsToAdd)
                        .mapToObj(i -> "type " + i % 7 + "/j" + i + " PENDING")
                        .toList());
    }

    private CompletableFuture<List<String>> follow(int count, Versionstamp since, List<String> seen) {
        JobChanges changes = jobs.changes();
        return changes.await(since, LONG)
                .thenCompose(any -> changes.read(database, since, 10))
                .thenCompose(page -> {
                    seen.addAll(texts(page));
                    return seen.size() >= count
                            ? CompletableFuture.completedFuture(seen)
                            : follow(count, page.next(), seen);
                });
    }

    @Test
    void aNewTypeWakesACallForAnyType() {
        CompletableFuture<Boolean> waiting = anyChangeAfter(now());
        settle();
        assertThat(waiting).isNotDone();

        await(jobs.add(database, type("new"), "j1", new WorkData(1)));

        assertThat(await(waiting)).isTrue();
    }

    @Test
    void aBlockedJobOfANewTypeWakesACallForAnyType() {
        add("j1", 1);
        await(jobs.types().setTypeTimeout(database, type("set before"), Duration.ofMinutes(10)));
        CompletableFuture<Boolean> first = anyChangeAfter(now());
        settle();

        await(jobs.add(
                database,
                NewJob.of(type("set before"), new WorkData(1)).id("b1").after(INDEX, "j1")));

        assertThat(await(first)).isTrue();
        CouchJobs other = node();
        Versionstamp since = now();
        CompletableFuture<Boolean> second = other.changes().await(since, LONG);
        assertThat(await(other.changes().await(since, Duration.ZERO))).isFalse();
        await(jobs.types().setTypeTimeout(database, type("set while it waits"), Duration.ofMinutes(10)));
        await(jobs.add(
                database,
                NewJob.of(type("set while it waits"), new WorkData(1)).id("b2").after(INDEX, "j1")));

        assertThat(await(second)).isTrue();
    }

    @Test
    void aThousandCallsShareOneWatch() {
        AtomicInteger watches = new AtomicInteger();
        CouchJobs counted = node(countingWatches(watches), Environment.system());
        Versionstamp since = now();
        List<CompletableFuture<Boolean>> calls = IntStream.range(0, MANY)
                .mapToObj(i -> counted.changes().await(INDEX, since, LONG))
                .toList();
        assertThat(await(counted.changes().await(INDEX, since, Duration.ZERO))).isFalse();
        assertThat(watches).hasValue(1);

        add("j1", 1);

        assertThat(calls).allSatisfy(call -> assertThat(await(call)).isTrue());
    }

    /** The database, with transactions that count the watches that they arm. */
    private Database countingWatches(AtomicInteger watches) {
        return DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            if (method.getName().equals("runAsync")) {
                @SuppressWarnings("unchecked")
                Function<Transaction, CompletableFuture<Object>> body =
                        (Function<Transaction, CompletableFuture<Object>>) Objects.requireNonNull(arguments[0]);
                Function<Transaction, CompletableFuture<Object>> counted =
                        tx -> body.apply(countingWatches(tx, watches));
                return DatabaseProxies.invoke(database, method, new Object[] {counted});
            }
            return DatabaseProxies.invoke(database, method, arguments);
        });
    }

    private static Transaction countingWatches(Transaction tx, AtomicInteger watches) {
        return DatabaseProxies.to(Transaction.class, (self, method, arguments) -> {
            if (method.getName().equals("watch")) {
                watches.incrementAndGet();
            }
            return DatabaseProxies.invoke(tx, method, arguments);
        });
    }

    @Test
    void aCancelledCallDisturbsNoOther() {
        Versionstamp since = now();
        CompletableFuture<Boolean> cancelled = changeAfter(since);
        CompletableFuture<Boolean> other = changeAfter(since);
        cancelled.cancel(false);

        add("j1", 1);

        assertThat(await(other)).isTrue();
        assertThat(cancelled).isCancelled();
    }

    @Test
    void aCallAfterAllOthersWereCancelledIsServed() {
        changeAfter(now()).cancel(false);
        settle();
        changeAfter(now()).cancel(false);
        CompletableFuture<Boolean> waiting = changeAfter(now());

        add("j1", 1);

        assertThat(await(waiting)).isTrue();
    }

    @Test
    void aClosedInstanceFailsTheCallsThatWait() {
        CouchJobs closing = node();
        List<CompletableFuture<Boolean>> calls = List.of(
                closing.changes().await(INDEX, now(), LONG), closing.changes().await(now(), LONG));

        closing.close();

        assertThat(calls).allSatisfy(call -> assertThat(failureOf(call)).isInstanceOf(CouchJobsClosedException.class));
    }

    @Test
    void aCallSurvivesFailingTransactionsOfOthers() {
        DisturbedDatabase way = new DisturbedDatabase(database);
        CouchJobs remote = node(way.asDatabase(), Environment.system());
        Versionstamp since = now();
        CompletableFuture<Void> felt = way.cut(1);
        CompletableFuture<Boolean> failing = remote.changes().await(INDEX, since, LONG);
        await(felt);
        assertThat(failureOf(failing)).isNotNull();
        way.mend();
        CompletableFuture<Boolean> waiting = remote.changes().await(INDEX, since, LONG);

        add("j1", 1);

        assertThat(await(waiting)).isTrue();
    }
}
