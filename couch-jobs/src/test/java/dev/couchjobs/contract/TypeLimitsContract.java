package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Rate;
import dev.couchjobs.TypeLimitInfo;
import dev.couchjobs.UndecodableRowException;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The limits of a whole type: how many of its jobs run at once, and how many start in a period. */
class TypeLimitsContract extends JobsContract {
    private static final JobType<WorkData, Void> WORK = JobType.of(INDEX.name(), WorkData.class);
    private static final Duration MONTH = Duration.ofDays(31);
    private static final long VERSIONS_PER_MILLI = 1_000;

    private void limit(int max) {
        await(jobs.limits().setTotal(database, INDEX, max));
    }

    private void rate(Rate rate) {
        await(jobs.limits().setRate(database, INDEX, rate));
    }

    private TypeLimitInfo limits() {
        return await(jobs.limits().ofType(database, INDEX));
    }

    private Optional<Job<WorkData>> claim() {
        return await(jobs.processor().accept(INDEX, AcceptOptions.nonBlocking()));
    }

    private List<Job<WorkData>> claimAll() {
        return Stream.generate(this::claim)
                .takeWhile(Optional::isPresent)
                .map(Optional::orElseThrow)
                .toList();
    }

    private void finish(Job<?> job) {
        await(jobs.processor().finish(database, job));
    }

    private void finishAll(int jobCount) {
        CompletableFuture<?>[] results = IntStream.range(0, jobCount)
                .mapToObj(i -> jobs.resultAsync(WORK, "j" + i, LONG))
                .toArray(CompletableFuture<?>[]::new);
        await(CompletableFuture.allOf(results));
    }

    // How many run at once

    @Test
    void noMoreJobsOfATypeRunThanItsLimit() {
        limit(2);
        addMany(5);

        List<Job<WorkData>> running = claimAll();

        assertThat(running).hasSize(2);
        assertThat(limits()).isEqualTo(new TypeLimitInfo(OptionalInt.of(2), 2, Optional.empty()));
        finish(running.get(0));
        assertThat(claimAll()).hasSize(1);
    }

    /** Adds jobs whose ids are like the random ones from which claims at random begin. */
    private void addSpread(int count) {
        await(jobs.addAll(
                database,
                IntStream.range(0, count)
                        .mapToObj(i -> NewJob.of(INDEX, new WorkData(i))
                                .id(HexFormat.of().toHexDigits(i * 0x9E3779B9)))
                        .toList()));
    }

    /** {@return how many jobs many processes claim at the same time, each as many as it can} */
    private int claimedAtOnce(int processes) {
        List<CouchJobs> nodes =
                IntStream.range(0, processes).mapToObj(i -> node()).toList();
        List<CompletableFuture<Integer>> claims =
                nodes.stream().map(node -> claimOnAndOn(node, 0)).toList();
        return claims.stream().mapToInt(JobsContract::await).sum();
    }

    /** Claims jobs at random, so that claims seldom meet over a job. */
    private CompletableFuture<Integer> claimOnAndOn(CouchJobs node, int claimed) {
        return node.processor()
                .accept(INDEX, AcceptOptions.nonBlocking().noSchedule())
                .thenCompose(job ->
                        job.isPresent() ? claimOnAndOn(node, claimed + 1) : CompletableFuture.completedFuture(claimed));
    }

    @Test
    void manyProcessesTogetherReachALimitAndDoNotExceedIt() {
        limit(40);
        addSpread(60);

        assertThat(claimedAtOnce(10)).isEqualTo(40);
        assertThat(limits().running()).isEqualTo(40);
    }

    @Test
    void aLimitThatIsSetWhileJobsRunCountsThemToo() {
        addSpread(100);
        for (int i = 0; i < 20; i++) {
            claim();
        }
        limit(60);

        assertThat(claimedAtOnce(10)).isEqualTo(40);
    }

    @Test
    void aLimitThatIsLoweredWhileJobsRunCountsThemToo() {
        limit(128);
        addSpread(100);
        for (int i = 0; i < 20; i++) {
            claim();
        }
        limit(60);

        assertThat(claimedAtOnce(10)).isEqualTo(40);
    }

    @Test
    void endedJobsLetOthersRunWhicheverLimitTheyWereClaimedUnder() {
        addSpread(100);
        List<Job<WorkData>> running = new ArrayList<>();
        IntStream.range(0, 10).forEach(i -> running.add(claim().orElseThrow()));
        limit(40);
        IntStream.range(0, 20).forEach(i -> running.add(claim().orElseThrow()));
        limit(20);
        running.forEach(this::finish);

        assertThat(claimedAtOnce(10)).isEqualTo(20);
    }

    @Test
    void manyProcessesTogetherReachARateAndDoNotExceedIt() {
        rate(Rate.perWindow(40, MONTH));
        addSpread(60);

        assertThat(claimedAtOnce(10)).isEqualTo(40);
    }

    @Test
    void jobsWithLimitKeysCountToo() {
        limit(2);
        await(jobs.limits().set(database, INDEX, "tenant-7", 1));
        for (String id : List.of("a", "b", "c")) {
            await(jobs.add(database, NewJob.of(INDEX, new WorkData(1)).id(id).limitKey("tenant-7")));
        }
        addMany(3);

        assertThat(claimAll()).hasSize(2);
    }

    @Test
    void otherTypesAreNotLimited() {
        limit(1);
        for (String id : List.of("a", "b", "c")) {
            await(jobs.add(database, MAIL, id, new WorkData(1)));
            assertThat(await(jobs.processor().accept(MAIL))).isPresent();
        }
    }

    @Test
    void aProcessThatWaitsClaimsWhenAnotherEndsAJob() {
        limit(1);
        addMany(2);
        Job<WorkData> running = claim().orElseThrow();
        CompletableFuture<Optional<Job<WorkData>>> waiting = node().processor().accept(INDEX);

        finish(running);

        assertThat(await(waiting)).isPresent();
    }

    @Test
    void aProcessThatWaitsClaimsWhenTheLimitIsRaisedOrRemoved() {
        limit(1);
        addMany(3);
        assertThat(claimAll()).hasSize(1);
        CompletableFuture<Optional<Job<WorkData>>> first = node().processor().accept(INDEX);
        limit(2);
        assertThat(await(first)).isPresent();

        CompletableFuture<Optional<Job<WorkData>>> second = node().processor().accept(INDEX);
        await(jobs.limits().clearTotal(database, INDEX));

        assertThat(await(second)).isPresent();
    }

    @Test
    void aJobThatIsRemovedOrCancelledMakesRoom() {
        limit(1);
        addMany(3);
        String first = claim().orElseThrow().id();
        await(jobs.remove(database, INDEX, first));
        String second = claim().orElseThrow().id();
        assertThat(claim()).isEmpty();
        await(jobs.control().cancel(database, INDEX, second, "not needed"));

        assertThat(claim()).isPresent();
    }

    @Test
    void aLimitThatIsLoweredLetsRunningJobsEnd() {
        addMany(5);
        List<Job<WorkData>> running = List.of(accept(), accept(), accept());

        limit(2);

        finish(running.get(0));
        assertThat(claim()).isEmpty();
        finish(running.get(1));
        assertThat(claim()).isPresent();
        assertThat(claim()).isEmpty();
    }

    @Test
    void workersOfManyProcessesKeepTheLimitTogether() {
        limit(3);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            workers.add(node().worker()
                    .concurrency(10)
                    .process(WORK, job -> {
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        job.run(tx -> true);
                        running.decrementAndGet();
                    })
                    .start());
        }

        addMany(100);
        finishAll(100);
        workers.forEach(Worker::close);

        assertThat(most.get()).isBetween(1, 3);
    }

    @Test
    void aLimitBelowOneIsRefused() {
        assertThatThrownBy(() -> jobs.limits().setTotal(database, INDEX, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1")
                .hasMessageContaining("pause");
    }

    // How many start in a period

    @Test
    void noMoreJobsStartInAWindowThanTheRateSays() {
        rate(Rate.perWindow(3, MONTH));
        addMany(5);

        List<Job<WorkData>> started = claimAll();

        assertThat(started).hasSize(3);
        started.forEach(this::finish);
        assertThat(claimAll()).isEmpty();
        assertThat(limits().rate()).contains(Rate.perWindow(3, MONTH));
    }

    @Test
    void anotherAttemptIsAnotherStart() {
        rate(Rate.perWindow(2, MONTH));
        add("j1", 1);
        await(jobs.processor().snooze(database, claim().orElseThrow(), Duration.ZERO));
        await(jobs.processor().snooze(database, claim().orElseThrow(), Duration.ZERO));

        assertThat(claim()).isEmpty();
    }

    @Test
    void aBucketAllowsABurstAndThenItsShare() {
        rate(Rate.evenly(1, MONTH, 4));
        addMany(6);

        assertThat(claimAll()).hasSize(4);
    }

    @Test
    void jobsStartOneAfterTheOtherAtTheRate() {
        rate(Rate.evenly(20, Duration.ofSeconds(1), 1));
        addMany(5);
        long before = await(database.runAsync(Transaction::getReadVersion));

        for (int i = 0; i < 5; i++) {
            assertThat(await(jobs.processor().accept(INDEX))).isPresent();
        }

        long after = await(database.runAsync(Transaction::getReadVersion));
        assertThat(after - before).isGreaterThanOrEqualTo(4 * 50 * VERSIONS_PER_MILLI);
    }

    @Test
    void jobsStartInTheNextWindow() {
        rate(Rate.perWindow(1, Duration.ofMillis(100)));
        addMany(3);

        assertThat(IntStream.range(0, 3)
                        .mapToObj(i -> await(jobs.processor().accept(INDEX)).orElseThrow())
                        .map(Job::id))
                .hasSize(3);
    }

    @Test
    void workersOfManyProcessesStartAllJobsAtTheRate() {
        rate(Rate.evenly(200, Duration.ofSeconds(1), 10));
        List<Worker> workers = IntStream.range(0, 3)
                .mapToObj(i -> node().worker().process(WORK, job -> {}).start())
                .toList();
        long before = await(database.runAsync(Transaction::getReadVersion));

        addMany(60);
        finishAll(60);

        long after = await(database.runAsync(Transaction::getReadVersion));
        workers.forEach(Worker::close);
        assertThat(after - before).isGreaterThanOrEqualTo(50 * 5 * VERSIONS_PER_MILLI);
    }

    @Test
    void aRateAndALimitApplyTogether() {
        rate(Rate.perWindow(3, MONTH));
        limit(2);
        addMany(6);

        List<Job<WorkData>> running = claimAll();
        assertThat(running).hasSize(2);
        running.forEach(this::finish);
        assertThat(claimAll()).hasSize(1);
    }

    @Test
    void aNewRateBeginsAnewAndNoneLetsAllStart() {
        rate(Rate.perWindow(1, MONTH));
        addMany(6);
        assertThat(claimAll()).hasSize(1);

        rate(Rate.evenly(1, MONTH, 2));
        assertThat(claimAll()).hasSize(2);

        CompletableFuture<Optional<Job<WorkData>>> waiting = node().processor().accept(INDEX);
        await(jobs.limits().clearRate(database, INDEX));
        assertThat(await(waiting)).isPresent();
        assertThat(limits().rate()).isEmpty();
    }

    @Test
    void aRateThatIsSetAgainForgetsNothing() {
        rate(Rate.perWindow(2, MONTH));
        addMany(6);
        assertThat(claimAll()).hasSize(2);

        rate(Rate.perWindow(2, MONTH));
        limit(100);

        assertThat(claimAll()).isEmpty();
    }

    @Test
    void workersDoNotUseUpTheRateForJobsThatWaitForTheirSlots() {
        rate(Rate.perWindow(12, MONTH));
        List<String> ran = new CopyOnWriteArrayList<>();
        try (Worker worker = node().worker()
                .concurrency(1)
                .process(WORK, job -> {
                    ran.add(job.id());
                })
                .start()) {
            assertThat(worker).isNotNull();
            addMany(12);
            finishAll(12);
        }

        assertThat(ran).hasSize(12);
    }

    @Test
    void clearingALimitThatIsNoneKeepsNoOlderProcessOut() {
        byte[] layout = prefix.pack(Tuple.from("couch_jobs", "layout"));
        byte[] before = await(database.readAsync(tx -> tx.get(layout)));

        await(jobs.limits().clearTotal(database, INDEX));
        await(jobs.limits().clearRate(database, INDEX));
        await(jobs.types().resume(database, INDEX));

        byte[] after = await(database.readAsync(tx -> tx.get(layout)));
        assertThat(after).isEqualTo(before);
    }

    @Test
    void whileATypeIsAtItsLimitOtherChangesThanEndsWakeNoProcess() {
        limit(1);
        Job<WorkData> running = accepted("j0", 0);
        add("j1", 1);
        LabelledDatabase labelled = new LabelledDatabase(database);
        CompletableFuture<Optional<Job<WorkData>>> waiting =
                node(labelled.asDatabase(), Environment.system()).processor().accept(INDEX);
        await(labelled.first("couch-jobs accept index"));
        for (int i = 0; i < 20; i++) {
            await(jobs.processor().progress(database, running, i, 20, "working"));
        }

        finish(running);

        assertThat(await(waiting)).isPresent();
        assertThat(labelled.labels().stream()
                        .filter(label -> label.identifiers().contains("couch-jobs accept index")))
                .hasSizeLessThan(10);
    }

    @Test
    void aRateThatIsNoneIsRefused() {
        assertThatThrownBy(() -> Rate.perWindow(0, MONTH)).hasMessageContaining("pause");
        assertThatThrownBy(() -> Rate.perWindow(1, MONTH.plusDays(1))).hasMessageContaining("31 days");
        assertThatThrownBy(() -> Rate.perWindow(1, Duration.ZERO)).hasMessageContaining("31 days");
        assertThatThrownBy(() -> Rate.perWindow(1, Duration.ofNanos(1_500_000))).hasMessageContaining("milliseconds");
        assertThatThrownBy(() -> Rate.perWindow(1, Duration.ofSeconds(Long.MAX_VALUE)))
                .hasMessageContaining("31 days");
        assertThatThrownBy(() -> Rate.evenly(1, MONTH, 0)).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> Rate.evenly(1, MONTH, 1_000_001)).hasMessageContaining("1,000,000");
    }

    // With other rules and verbs

    @Test
    void aPauseKeepsTheLimits() {
        limit(1);
        rate(Rate.perWindow(2, MONTH));
        await(jobs.types().pause(database, INDEX, "deploying"));
        addMany(3);
        assertThat(claimAll()).isEmpty();

        await(jobs.types().resume(database, INDEX));

        assertThat(claimAll()).hasSize(1);
        assertThat(limits()).isEqualTo(new TypeLimitInfo(OptionalInt.of(1), 1, Optional.of(Rate.perWindow(2, MONTH))));
    }

    @Test
    void rulesThatChangeInOneTransactionAllCount() {
        await(database.runAsync(tx -> {
            var limited = jobs.limits().setTotal(tx, INDEX, 1);
            var rated = jobs.limits().setRate(tx, INDEX, Rate.perWindow(5, MONTH));
            return CompletableFuture.allOf(limited, rated);
        }));

        assertThat(limits().max()).hasValue(1);
        assertThat(limits().rate()).isPresent();
    }

    @Test
    void damagedRulesPauseTheTypeUntilItIsResumed() {
        addMany(2);
        limit(1);
        byte[] rules = prefix.pack(Tuple.from("couch_jobs", "rules", "index"));
        commit(tx -> tx.set(rules, new byte[] {1, 2}));

        assertThat(claim()).isEmpty();
        assertThat(failureOf(jobs.limits().setTotal(database, INDEX, 1)))
                .isInstanceOf(UndecodableRowException.class)
                .hasMessageContaining("resume");
        assertThat(failureOf(jobs.limits().ofType(database, INDEX))).isInstanceOf(UndecodableRowException.class);
        await(jobs.types().resume(database, INDEX));

        assertThat(claimAll()).hasSize(2);
    }

    @Test
    void aDamagedCountOfStartsBeginsAnew() {
        rate(Rate.perWindow(1, MONTH));
        addMany(3);
        assertThat(claimAll()).hasSize(1);
        commit(tx -> tx.set(prefix.pack(Tuple.from("couch_jobs", "rate", "index")), new byte[] {1, 2}));

        assertThat(claimAll()).hasSize(1);
    }

    @Test
    void jobsBeyondTheLimitStayInTheirOrder() {
        limit(1);
        await(jobs.add(database, NewJob.of(INDEX, new WorkData(1)).id("low").priority(-1)));
        await(jobs.add(database, NewJob.of(INDEX, new WorkData(1)).id("high").priority(1)));
        add("middle", 1);

        List<String> order = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Job<WorkData> job = claim().orElseThrow();
            order.add(job.id());
            finish(job);
        }

        assertThat(order).containsExactly("high", "middle", "low");
        assertThat(await(jobs.list(database, INDEX, JobState.PENDING, PageRequest.of(1)))
                        .items())
                .isEmpty();
    }
}
