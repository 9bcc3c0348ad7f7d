package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Batch;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Outcome;
import dev.couchjobs.Rate;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.fdb.simulation.FaultyDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each timer that sleeps until the next thing it knows learns of one that comes earlier, also if another process brings
 * that. The cases are all these timers, by what they wait for.
 */
class TimersTest {
    /** Longer than any pause of a process at rest, and within one of its sweep. */
    private static final Duration REST = Duration.ofMinutes(28);

    private static final Duration FAR = Duration.ofHours(2);
    private static final Duration SOON = Duration.ofSeconds(20);
    /** A transaction, and a scheduled time in whole seconds. */
    private static final Duration SLACK = Duration.ofSeconds(3);

    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class)
            .activityTimeout(Duration.ofHours(1))
            .retry(RetryPolicy.never())
            .retention(Retention.forever());

    /** Lets the timer of a process sleep, brings something earlier, and asserts when that is noticed. */
    private interface Case {
        void check(TimersTest test) throws Exception;
    }

    private static final Map<String, Case> CASES = new LinkedHashMap<>();

    static {
        CASES.put("sweep: the first deadline of an instance", TimersTest::firstDeadline);
        CASES.put("sweep: a deadline before the next one", TimersTest::earlierDeadline);
        CASES.put("sweep: a batch that nobody closed", TimersTest::batchThatNobodyClosed);
        CASES.put("sweep: a shorter retention", TimersTest::shorterRetention);
        CASES.put("archive: a shorter retention", TimersTest::shorterRetentionOfAnArchive);
        CASES.put("acceptor: a job before the next one", TimersTest::earlierJob);
        CASES.put("acceptor: a job that is moved forward", TimersTest::rescheduledJob);
        CASES.put("acceptor: a job that is to run now", TimersTest::jobRunNow);
        CASES.put("acceptor: a higher rate of the type", TimersTest::higherRate);
        CASES.put("acceptor: a higher rate of a key", TimersTest::higherRateOfAKey);
        CASES.put("acceptor: no rate of the type any more", TimersTest::noRate);
        CASES.put("monitor: a shorter timeout", TimersTest::shorterTimeout);
        CASES.put("monitor: a shorter timeout while another process monitors", TimersTest::shorterTimeoutElsewhere);
        CASES.put("monitor: the first job of a type", TimersTest::firstJob);
    }

    private final VirtualStage stage = new VirtualStage(1);
    private final List<CouchJobs> opened = new ArrayList<>();
    private final CouchJobs resting = process();
    private final CouchJobs other = process();

    @AfterEach
    void close() {
        opened.forEach(CouchJobs::close);
        stage.close();
    }

    static Stream<String> cases() {
        return CASES.keySet().stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void learnsOfWhatComesEarlier(String timer) throws Exception {
        Objects.requireNonNull(CASES.get(timer)).check(this);
    }

    // What is on the stage

    private CouchJobs process() {
        return process(stage.database());
    }

    private CouchJobs process(Database database) {
        CouchJobs jobs =
                CouchJobs.builder(database).environment(stage.environment()).build();
        opened.add(jobs);
        return jobs;
    }

    private <T> T await(CompletableFuture<T> future) {
        return stage.await(future);
    }

    private void pass(Duration time) {
        stage.time().advance(time);
    }

    private Instant in(Duration time) {
        return stage.environment().clock().instant().plus(time);
    }

    private void add(NewJob<String> job) {
        await(other.add(stage.database(), job));
    }

    private static NewJob<String> job(String id) {
        return NewJob.of(MAIL, id).id(id);
    }

    private void work() {
        resting.worker()
                .handleAsync(MAIL, job -> CompletableFuture.completedFuture("sent"))
                .executor(stage.time())
                .start();
    }

    private Optional<Outcome> outcome(String id) {
        return await(other.getJob(stage.database(), MAIL, id)).orElseThrow().outcome();
    }

    private Job<String> claim(CouchJobs by) {
        return await(by.processor().accept(MAIL, AcceptOptions.nonBlocking())).orElseThrow();
    }

    // The sweep

    private static final Duration LONGEST_PAUSE_WITH_DEADLINES = Duration.ofSeconds(18);

    private void firstDeadline() {
        await(other.types().pause(stage.database(), MAIL, "no paper"));
        work();
        add(job("other"));
        pass(REST);

        add(job("a").startBefore(in(SOON)));
        pass(SOON.plus(LONGEST_PAUSE_WITH_DEADLINES).plus(SLACK));

        assertThat(outcome("a")).contains(Outcome.EXPIRED);
    }

    private void earlierDeadline() {
        await(other.types().pause(stage.database(), MAIL, "no paper"));
        work();
        add(job("late").startBefore(in(REST.plus(FAR))));
        pass(REST);

        add(job("a").startBefore(in(SOON)));
        pass(SOON.plus(LONGEST_PAUSE_WITH_DEADLINES).plus(SLACK));

        assertThat(outcome("a")).contains(Outcome.EXPIRED);
    }

    /** Two transactions end the last two members, do not see each other, and their process dies. */
    private void batchThatNobodyClosed() {
        work();
        pass(REST);
        JobType<String, String> members = JobType.of("members", String.class, String.class);
        Outage death = new Outage();
        Database mortal = new FaultyDatabase(stage.database(), death);
        CouchJobs dying = process(mortal);
        await(dying.batches().open(stage.database(), Batch.of("b").closing(job("closing"))));
        for (String id : List.of("m1", "m2")) {
            await(dying.add(stage.database(), NewJob.of(members, id).id(id).batch("b")));
        }
        await(dying.batches().seal(stage.database(), "b"));
        List<Transaction> ends = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Job<String> member = await(dying.processor().accept(members, AcceptOptions.nonBlocking()))
                    .orElseThrow();
            Transaction tx = mortal.createTransaction();
            await(dying.processor().finish(tx, member));
            ends.add(tx);
        }
        ends.stream()
                .map(Transaction::commit)
                .toList()
                .forEach(commit -> await(commit.thenRun(() -> death.begin(1007))));
        dying.close();
        ends.forEach(Transaction::close);
        assertThat(await(other.getJob(stage.database(), MAIL, "closing"))
                        .orElseThrow()
                        .isBlocked())
                .isTrue();

        pass(Duration.ofMinutes(2).plus(LONGEST_PAUSE_WITH_DEADLINES));

        assertThat(outcome("closing")).contains(Outcome.SUCCEEDED);
    }

    private static final Duration LATEST_REMOVAL = Duration.ofMinutes(12);

    private void shorterRetention() {
        work();
        pass(REST);

        await(other.types().setTypeRetention(stage.database(), MAIL, Retention.of(SOON)));
        add(job("a"));
        pass(SOON.plus(LATEST_REMOVAL).plus(SLACK));

        assertThat(await(other.getJobState(stage.database(), MAIL, "a"))).isEqualTo(JobState.NOT_FOUND);
    }

    private void shorterRetentionOfAnArchive() {
        work();
        List<String> archived = new ArrayList<>();
        resting.maintenance().archive(MAIL, page -> {
            page.forEach(ended -> archived.add(ended.id()));
            return CompletableFuture.completedFuture(null);
        });
        pass(REST);

        await(other.types()
                .setTypeRetention(stage.database(), MAIL, Retention.of(SOON).archived()));
        add(job("a"));
        pass(SOON.plus(LATEST_REMOVAL).plus(SLACK));

        assertThat(archived).containsExactly("a");
    }

    // The acceptor

    private void assertRunsSoon(String id) {
        pass(SLACK);
        assertThat(outcome(id)).contains(Outcome.SUCCEEDED);
    }

    private void earlierJob() {
        work();
        add(job("late").at(in(REST.plus(FAR))));
        pass(REST);

        add(job("a").at(in(SOON)));
        pass(SOON);

        assertRunsSoon("a");
    }

    private void rescheduledJob() {
        work();
        add(job("a").at(in(REST.plus(FAR))));
        pass(REST);

        await(other.control().reschedule(stage.database(), MAIL, "a", in(SOON)));
        pass(SOON);

        assertRunsSoon("a");
    }

    private void jobRunNow() {
        work();
        add(job("a").at(in(REST.plus(FAR))));
        pass(REST);

        await(other.control().runNow(stage.database(), MAIL, "a"));

        assertRunsSoon("a");
    }

    private static final Rate SLOW = Rate.perWindow(1, Duration.ofHours(10));
    private static final Rate FAST = Rate.perWindow(1, Duration.ofSeconds(1));

    /** Runs the first of two jobs, after which there is no token for hours. */
    private void runOneOfTwo(NewJob<String> first, NewJob<String> second) {
        work();
        add(first);
        add(second);
        pass(REST);
        assertThat(outcome(first.id().orElseThrow())).contains(Outcome.SUCCEEDED);
        assertThat(outcome(second.id().orElseThrow())).isEmpty();
    }

    private void higherRate() {
        await(other.limits().setRate(stage.database(), MAIL, SLOW));
        runOneOfTwo(job("a"), job("b"));

        await(other.limits().setRate(stage.database(), MAIL, FAST));

        assertRunsSoon("b");
    }

    private void higherRateOfAKey() {
        await(other.limits().setRate(stage.database(), MAIL, "key", SLOW));
        runOneOfTwo(job("a").limitKey("key"), job("b").limitKey("key"));

        await(other.limits().setRate(stage.database(), MAIL, "key", FAST));

        assertRunsSoon("b");
    }

    private void noRate() {
        await(other.limits().setRate(stage.database(), MAIL, SLOW));
        runOneOfTwo(job("a"), job("b"));

        await(other.limits().clearRate(stage.database(), MAIL));

        assertRunsSoon("b");
    }

    // The monitor

    private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(8);
    /** A claim expires after 1.5 timeouts at most. */
    private static final Duration EXPIRY = Duration.ofSeconds(12);

    private void shorterTimeout() {
        resting.maintenance().monitor(MAIL);
        add(job("a"));
        claim(other);
        pass(REST);

        await(other.types().setTypeTimeout(stage.database(), MAIL, SHORT_TIMEOUT));
        pass(EXPIRY.plus(SLACK));

        assertThat(outcome("a")).contains(Outcome.FAILED);
    }

    private void shorterTimeoutElsewhere() {
        CouchJobs third = process();
        third.maintenance().monitor(MAIL);
        resting.maintenance().monitor(MAIL);
        add(job("a"));
        claim(other);
        pass(REST);

        await(other.types().setTypeTimeout(stage.database(), MAIL, SHORT_TIMEOUT));
        pass(EXPIRY.plus(SLACK));

        assertThat(outcome("a")).contains(Outcome.FAILED);
    }

    private void firstJob() {
        await(other.types().setTypeTimeout(stage.database(), MAIL, SHORT_TIMEOUT));
        resting.maintenance().monitor(MAIL);
        pass(REST);

        add(job("a"));
        claim(other);
        pass(EXPIRY.plus(SHORT_TIMEOUT).plus(SLACK));

        assertThat(outcome("a")).contains(Outcome.FAILED);
    }
}
