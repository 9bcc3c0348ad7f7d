package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.AddResult;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Unique;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Additions at the same time share commits, and each has its own result. */
class SharedAdditionsContract extends JobsContract {
    /** The additions that go at once, each in a commit of its own. */
    private static final int AT_ONCE = 2;

    private static final JobType<String, Void> BLOBS = JobType.of("blobs", String.class);
    private static final int COMMIT_MAX = 100;
    private static final int CONFLICTS_MAX = 3;

    private CompletableFuture<Void> opened;
    private CountDownLatch arrived;
    private AtomicInteger commits;
    private CouchJobs busy;
    private Database gated;

    /** What becomes of a commit that comes once the gate is open, by its number from 0. */
    private Fate fate;

    private interface Fate {
        CompletableFuture<?> of(int number, Transaction tx);
    }

    @BeforeEach
    @SuppressWarnings("FutureReturnValueIgnored") // The caller of the proxied method gets it.
    void openBusyNode() {
        opened = new CompletableFuture<>();
        arrived = new CountDownLatch(AT_ONCE);
        commits = new AtomicInteger();
        fate = (number, tx) -> tx.commit();
        gated = DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            Object result = DatabaseProxies.invoke(database, method, arguments);
            return result instanceof Transaction created
                    ? DatabaseProxies.committing(created, (tx, commit, none) -> {
                        int number = commits.getAndIncrement();
                        arrived.countDown();
                        return opened.thenCompose(open -> fate.of(number, (Transaction) tx));
                    })
                    : result;
        });
        add("before", 1); // what the first job of a type writes, conflicts
        busy = node(gated, Environment.system());
    }

    private static CompletableFuture<?> failed(int errorCode) {
        return CompletableFuture.failedFuture(new FDBException("injected", errorCode));
    }

    private CompletableFuture<AddResult> begin(NewJob<WorkData> job) {
        return busy.add(gated, job);
    }

    private static NewJob<WorkData> job(String id) {
        return NewJob.of(INDEX, new WorkData(7)).id(id);
    }

    /** Adds as many jobs as go at once, and then others, which wait for these. */
    private List<CompletableFuture<AddResult>> beginAll(List<? extends NewJob<WorkData>> waiting) {
        List<NewJob<WorkData>> first =
                IntStream.range(0, AT_ONCE).mapToObj(i -> job("first-" + i)).toList();
        first.forEach(this::beginUnused);
        return waiting.stream().map(this::begin).toList();
    }

    private void beginUnused(NewJob<WorkData> job) {
        var unused = begin(job);
    }

    private static List<NewJob<WorkData>> jobs(int count) {
        return IntStream.range(0, count).mapToObj(i -> job("j" + i)).toList();
    }

    /** Lets commits pass, once the first are there. */
    private void open() {
        Futures.await(arrived);
        opened.complete(null);
    }

    private List<String> ids() {
        return all(database, INDEX).stream()
                .map(JobSummary::jobId)
                .filter(id -> !id.startsWith("first-") && !id.equals("before"))
                .toList();
    }

    private static List<AddResult.Change> changes(List<CompletableFuture<AddResult>> additions) {
        return additions.stream().map(added -> await(added).change()).toList();
    }

    @Test
    void whatComesWhileOthersCommitSharesCommits() {
        List<CompletableFuture<AddResult>> additions = beginAll(jobs(2 * COMMIT_MAX + 1));
        open();

        assertThat(changes(additions)).containsOnly(AddResult.Change.ADDED);
        assertThat(additions)
                .extracting(added -> await(added).jobId())
                .isEqualTo(jobs(2 * COMMIT_MAX + 1).stream()
                        .map(job -> job.id().orElseThrow())
                        .toList());
        assertThat(ids()).hasSize(2 * COMMIT_MAX + 1);
        assertThat(commits).hasValue(AT_ONCE + 3);
    }

    @Test
    void eachHasItsOwnResult() {
        add("same", 7);
        add("other", 1);
        List<CompletableFuture<AddResult>> additions =
                beginAll(List.of(job("same"), job("new"), job("other"), job("new")));
        open();

        assertThat(changes(additions))
                .containsExactly(
                        AddResult.Change.UNCHANGED,
                        AddResult.Change.ADDED,
                        AddResult.Change.REPLACED,
                        AddResult.Change.UNCHANGED);
        assertThat(stepOf("other")).isEqualTo(7);
        assertThat(commits).hasValue(AT_ONCE + 1);
    }

    @Test
    void additionsToSeveralTypesShareACommit() {
        List<CompletableFuture<AddResult>> additions = beginAll(IntStream.range(0, 20)
                .mapToObj(i -> NewJob.of(JobType.of("type-" + i, WorkData.class), new WorkData(i)))
                .toList());
        open();

        assertThat(changes(additions)).containsOnly(AddResult.Change.ADDED);
        assertThat(await(jobs.types().getTypes(database))).hasSize(22);
        assertThat(commits).hasValue(AT_ONCE + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1020, 1021})
    void aCommitThatIsRepeatedTakesEffectOnce(int errorCode) {
        fate = (number, tx) -> {
            if (number != AT_ONCE) {
                return tx.commit();
            }
            return errorCode == 1020 ? failed(errorCode) : tx.commit().thenCompose(done -> failed(errorCode));
        };
        List<CompletableFuture<AddResult>> additions = beginAll(IntStream.range(0, 50)
                .mapToObj(i -> NewJob.of(INDEX, new WorkData(i)))
                .toList());
        open();

        assertThat(changes(additions)).containsOnly(AddResult.Change.ADDED);
        assertThat(ids()).hasSize(50);
    }

    @Test
    void jobsDoNotGoAloneIfTheirCommitMayHaveTakenEffect() {
        int shared = AT_ONCE;
        fate = (number, tx) -> {
            if (number == shared) {
                return tx.commit().thenCompose(done -> failed(1021));
            }
            return number == shared + 1
                    ? jobs.remove(database, INDEX, "j0").thenCompose(removed -> failed(2101))
                    : tx.commit();
        };
        List<CompletableFuture<AddResult>> additions = beginAll(jobs(10));
        open();

        assertThat(additions).allSatisfy(added -> assertThat(failureOf(added)).isInstanceOf(FDBException.class));
        assertThat(ids()).hasSize(9).doesNotContain("j0");
    }

    @Test
    void jobsGoAloneAfterAnUnknownResultOfACommitThatFailed() {
        int shared = AT_ONCE;
        fate = (number, tx) -> switch (number - shared) {
            case 0 -> failed(1021);
            case 1 -> failed(2101);
            default -> tx.commit();
        };
        List<CompletableFuture<AddResult>> additions = beginAll(jobs(10));
        open();

        assertThat(changes(additions)).containsOnly(AddResult.Change.ADDED);
        assertThat(ids()).hasSize(10);
    }

    @Test
    void jobsGoAloneIfTheirCommitKeepsConflicting() {
        fate = (number, tx) -> number >= AT_ONCE && number < AT_ONCE + CONFLICTS_MAX ? failed(1020) : tx.commit();
        List<CompletableFuture<AddResult>> additions = beginAll(jobs(10));
        open();

        assertThat(changes(additions)).containsOnly(AddResult.Change.ADDED);
        assertThat(ids()).hasSize(10);
        assertThat(commits).hasValue(AT_ONCE + CONFLICTS_MAX + 10);
    }

    @Test
    void jobsThatKeepConflictingAloneDelayNoOther() {
        AtomicBoolean isDisturbed = new AtomicBoolean(true);
        fate = (number, tx) -> isDisturbed.get()
                ? jobs.addAll(database, disturbing(1 + number)).thenCompose(changed -> tx.commit())
                : tx.commit();
        List<CompletableFuture<AddResult>> disturbed =
                disturbing(0).stream().map(this::begin).toList();
        List<CompletableFuture<AddResult>> additions =
                jobs(10).stream().map(this::begin).toList();
        open();

        assertThat(changes(additions)).containsOnly(AddResult.Change.ADDED);
        assertThat(disturbed).noneMatch(CompletableFuture::isDone);
        isDisturbed.set(false);
        assertThat(changes(disturbed)).containsOnly(AddResult.Change.REPLACED);
    }

    /** {@return as many jobs as go at once, with the same ids and other data in each call} */
    private static List<NewJob<WorkData>> disturbing(int number) {
        return IntStream.range(0, AT_ONCE)
                .mapToObj(i -> NewJob.of(INDEX, new WorkData(1_000 + number)).id("first-" + i))
                .toList();
    }

    @Test
    void whatIsWrongWithOneFailsNoOther() {
        fate = (number, tx) -> number == AT_ONCE || number == AT_ONCE + 3 ? failed(2101) : tx.commit();
        List<CompletableFuture<AddResult>> additions = beginAll(jobs(10));
        open();

        assertThat(failureOf(CompletableFuture.allOf(additions.toArray(CompletableFuture<?>[]::new))))
                .isInstanceOf(FDBException.class);
        assertThat(additions)
                .filteredOn(CompletableFuture::isCompletedExceptionally)
                .hasSize(1);
        assertThat(ids()).hasSize(9);
    }

    @Test
    void largeJobsDoNotExceedATransaction() {
        List<CompletableFuture<AddResult>> additions = IntStream.range(0, 30)
                .mapToObj(i -> jobs.add(database, BLOBS, "x".repeat(600_000)))
                .toList();

        assertThat(changes(additions)).containsOnly(AddResult.Change.ADDED);
        assertThat(all(database, BLOBS)).hasSize(30);
    }

    @Test
    void largeJobsNeitherWaitNorDelayOthers() {
        await(jobs.add(database, BLOBS, "before"));
        arrived = new CountDownLatch(AT_ONCE + 20);
        List<CompletableFuture<AddResult>> first =
                disturbing(0).stream().map(this::begin).toList();
        List<CompletableFuture<AddResult>> large = IntStream.range(0, 20)
                .mapToObj(i -> busy.add(gated, BLOBS, "x".repeat(100_000)))
                .toList();
        List<CompletableFuture<AddResult>> small =
                jobs(10).stream().map(this::begin).toList();
        open(); // all the large ones are on their way

        assertThat(List.of(first, large, small))
                .allSatisfy(additions -> assertThat(changes(additions)).containsOnly(AddResult.Change.ADDED));
        assertThat(commits).hasValue(AT_ONCE + 20 + 1);
    }

    @Test
    void largeJobsWaitWhileMuchDataIsOnItsWay() {
        await(jobs.add(database, BLOBS, "before"));
        arrived = new CountDownLatch(10);
        List<CompletableFuture<AddResult>> large = IntStream.range(0, 30)
                .mapToObj(i -> busy.add(gated, BLOBS, "x".repeat(1_000_000)))
                .toList();
        Futures.await(arrived);
        int before = commits.get();
        opened.complete(null);

        assertThat(changes(large)).containsOnly(AddResult.Change.ADDED);
        assertThat(before).isEqualTo(10);
    }

    @Test
    void jobsWithMuchDataTogetherShareSeveralCommits() {
        await(jobs.add(database, BLOBS, "before"));
        var unused = beginAll(List.of());
        List<CompletableFuture<AddResult>> additions = IntStream.range(0, 30)
                .mapToObj(i -> busy.add(gated, BLOBS, "x".repeat(49_000)))
                .toList();
        open();

        assertThat(changes(additions)).containsOnly(AddResult.Change.ADDED);
        assertThat(commits).hasValue(AT_ONCE + 3);
    }

    @Test
    void theContinuationOfOneMayWaitForAllOthers() {
        List<CompletableFuture<AddResult>> additions = beginAll(jobs(20));
        CompletableFuture<Void> all = new CompletableFuture<>();
        additions.forEach(added -> {
            var unused = added.thenAccept(done -> all.join());
        });
        CompletableFuture<Boolean> allAdded = CompletableFuture.allOf(additions.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> all.complete(null));
        open();

        await(allAdded);
        assertThat(ids()).hasSize(20);
    }

    @Test
    void theContinuationOfOneMayWaitForAllOthersThoughEachFailsAtOnce() {
        AtomicBoolean isClosed = new AtomicBoolean();
        Database closing = DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            if (isClosed.get() && method.getName().equals("createTransaction")) {
                throw new IllegalStateException("closed in a test");
            }
            return DatabaseProxies.invoke(gated, method, arguments);
        });
        fate = (number, tx) -> {
            if (number < AT_ONCE) {
                return tx.commit();
            }
            isClosed.set(true);
            return failed(2101);
        };
        List<CompletableFuture<AddResult>> begun = IntStream.range(0, AT_ONCE + 20)
                .mapToObj(i -> busy.add(closing, job("j" + i)))
                .toList();
        List<CompletableFuture<AddResult>> additions = begun.subList(AT_ONCE, begun.size());
        CompletableFuture<Void> all = new CompletableFuture<>();
        additions.forEach(added -> {
            var unused = added.handle((result, error) -> all.join());
        });
        CompletableFuture<Boolean> allEnded = CompletableFuture.allOf(additions.toArray(CompletableFuture<?>[]::new))
                .handle((done, error) -> all.complete(null));
        Futures.await(arrived);
        database.getExecutor().execute(() -> opened.complete(null));

        assertThat(await(allEnded)).isTrue();
    }

    @Test
    void anExecutorWithoutThreadsLosesNoAnswer() {
        Database exhausted = DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            if (method.getName().equals("getExecutor")) {
                return (Executor) task -> {
                    throw new OutOfMemoryError("in a test");
                };
            }
            return DatabaseProxies.invoke(gated, method, arguments);
        });
        List<CompletableFuture<AddResult>> additions = IntStream.range(0, AT_ONCE + 20)
                .mapToObj(i -> busy.add(exhausted, job("j" + i)))
                .toList();
        open();

        assertThat(changes(additions)).containsOnly(AddResult.Change.ADDED);
    }

    @Test
    void additionsDoNotWaitForThoseThroughAnotherDatabase() {
        var unused = beginAll(jobs(10));

        assertThat(await(busy.add(database, job("other"))).change()).isEqualTo(AddResult.Change.ADDED);
        open();
    }

    @Test
    void aJobThatReplacesAnotherSeesWhatTheSameCommitDoesToIt() {
        await(jobs.add(database, job("first-unique").unique(Unique.by("other")))); // what it writes, conflicts
        await(jobs.add(database, job("a").unique(Unique.by("key"))));
        List<CompletableFuture<AddResult>> additions = beginAll(List.of(
                NewJob.of(INDEX, new WorkData(8)).id("a").unique(Unique.by("next")),
                job("b").unique(Unique.by("key").replacing())));
        open();

        assertThat(changes(additions)).containsExactly(AddResult.Change.REPLACED, AddResult.Change.ADDED);
        assertThat(stepOf("a")).isEqualTo(8);
        assertThat(stepOf("b")).isEqualTo(7);
        assertThat(commits).hasValue(AT_ONCE + 1);
    }

    @Test
    void additionsThatHaveBegunRunToTheirEndAfterClose() {
        List<CompletableFuture<AddResult>> additions = beginAll(jobs(20));
        busy.close();
        open();

        assertThat(changes(additions)).containsOnly(AddResult.Change.ADDED);
    }

    @Test
    void whatHasWaitedThroughATimeLimitFailsWithIt() {
        fate = (number, tx) -> failed(1031);
        List<CompletableFuture<AddResult>> additions = beginAll(jobs(20 * COMMIT_MAX));
        open();

        assertThat(additions)
                .allSatisfy(added -> assertThat(failureOf(added))
                        .isInstanceOfSatisfying(
                                FDBException.class,
                                error -> assertThat(error.getCode()).isEqualTo(1031)));
        assertThat(commits).hasValueLessThanOrEqualTo(2 * AT_ONCE);
        fate = (number, tx) -> tx.commit();
        assertThat(await(begin(job("later"))).change()).isEqualTo(AddResult.Change.ADDED);
        assertThat(ids()).containsExactly("later");
    }

    @Test
    void anErrorEndsOneAdditionAndNotTheNext() {
        Database exhausted = DatabaseProxies.to(Database.class, (self, method, arguments) -> {
            if (method.getName().equals("createTransaction")) {
                throw new OutOfMemoryError("in a test");
            }
            return DatabaseProxies.invoke(database, method, arguments);
        });
        CouchJobs node = node(database, Environment.system());

        for (int i = 0; i < 5; i++) {
            assertThat(failureOf(node.add(exhausted, job("lost")))).isInstanceOf(OutOfMemoryError.class);
        }
        assertThat(await(node.add(database, job("next"))).change()).isEqualTo(AddResult.Change.ADDED);
    }
}
