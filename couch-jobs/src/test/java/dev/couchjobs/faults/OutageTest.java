package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.AddResult;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import dev.couchjobs.fdb.simulation.FaultyDatabase;
import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * When a database cannot be used for a while, whatever runs waits, and goes on by itself: nothing is lost or done
 * twice.
 */
@Tag("long")
class OutageTest {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final Duration WORK = Duration.ofSeconds(2);
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration LONG_TIME = Duration.ofSeconds(Seeds.isLongRun() ? 600 : 100);
    private static final int JOBS = 20;
    private static final int RECOVERY = 0;
    private static final int UNKNOWN = 1021;
    private static final int LOCKED = 1038;

    private final VirtualStage stage = new VirtualStage(7);
    private final Outage outage = new Outage();
    private final FaultyDatabase database = new FaultyDatabase(stage.database(), outage);
    private final CouchJobs jobs =
            CouchJobs.builder(database).environment(stage.environment()).build();
    private int runs;

    @BeforeEach
    void addJobs() {
        timeout(Duration.ofSeconds(5));
        for (int i = 0; i < JOBS; i++) {
            await(jobs.add(database, MAIL, "j" + i, "data"));
        }
    }

    @AfterEach
    void close() {
        outage.end();
        jobs.close();
        stage.close();
    }

    private <T> T await(CompletableFuture<T> future) {
        return stage.await(future);
    }

    private void timeout(Duration timeout) {
        await(jobs.types().setTypeTimeout(stage.database(), MAIL, timeout));
    }

    private void startWorker() {
        jobs.worker()
                .handleAsync(MAIL, this::work)
                .concurrency(4)
                .executor(stage.environment().scheduler())
                .start();
    }

    /** Takes its time and ends with its effect. */
    private CompletableFuture<String> work(JobContext<String> job) {
        runs++;
        CompletableFuture<String> rested = new CompletableFuture<>();
        var unused = stage.time().schedule(() -> rested.complete("done"), WORK.toNanos(), TimeUnit.NANOSECONDS);
        return rested.thenCompose(done -> job.finishAsync(this::effect));
    }

    private CompletableFuture<String> effect(Transaction tx) {
        tx.mutate(MutationType.ADD, new Subspace().pack("effects"), new byte[] {1, 0});
        return CompletableFuture.completedFuture("done");
    }

    private int effects() {
        byte[] value = await(stage.database().readAsync(tx -> tx.get(new Subspace().pack("effects"))));
        return value[0];
    }

    private JobCounts counts() {
        return await(jobs.counts(stage.database(), MAIL));
    }

    static Stream<Arguments> outages() {
        Duration second = Duration.ofSeconds(1);
        return Stream.of(
                Arguments.of("a recovery", second, RECOVERY),
                Arguments.of("a recovery that takes long", LONG_TIME, RECOVERY),
                Arguments.of("unknown results", second, UNKNOWN),
                Arguments.of("unknown results for long", LONG_TIME, UNKNOWN),
                Arguments.of("a lock", second, LOCKED),
                Arguments.of("a lock for a backup", LONG_TIME, LOCKED),
                Arguments.of("throttling by tag", LONG_TIME, 1213),
                Arguments.of("throttling by tag at the proxy", LONG_TIME, 1223),
                Arguments.of("throttling of the lowest priority", LONG_TIME, 1051),
                Arguments.of("a commit proxy without memory", LONG_TIME, 1042),
                Arguments.of("a proxy without memory", LONG_TIME, 1078));
    }

    private void strike(Duration time, int code) {
        if (code == RECOVERY) {
            outage.begin(Outage.RECOVERY_READS, Outage.RECOVERY_COMMITS);
        } else if (code == UNKNOWN) {
            outage.begin(List.of(), Outage.RECOVERY_COMMITS);
        } else {
            outage.begin(code);
        }
        stage.time().advance(time);
        outage.end();
    }

    @ParameterizedTest(name = "{0} of {1}")
    @MethodSource("outages")
    void aWorkerLosesNothing(String name, Duration time, int code) {
        List<CompletableFuture<String>> results = new ArrayList<>();
        for (int i = 0; i < JOBS; i++) {
            results.add(jobs.resultAsync(MAIL, "j" + i, DAY));
        }
        startWorker();
        stage.time().advance(Duration.ofSeconds(3));
        strike(time, code);

        stage.time().advance(Duration.ofMinutes(1));
        assertThat(counts().succeeded()).isEqualTo(JOBS);
        assertThat(effects()).isEqualTo(JOBS);
        assertThat(runs).as("jobs whose leases held").isEqualTo(JOBS);
        assertThat(results).allSatisfy(result -> assertThat(result).isCompletedWithValue("done"));
    }

    @Test
    void alsoLeasesOfASecondOutliveALock() {
        timeout(Duration.ofSeconds(1));
        startWorker();
        stage.time().advance(Duration.ofSeconds(3));
        strike(LONG_TIME, LOCKED);

        stage.time().advance(Duration.ofMinutes(1));
        assertThat(counts().succeeded()).isEqualTo(JOBS);
        assertThat(runs).as("jobs whose leases held").isEqualTo(JOBS);
    }

    @ParameterizedTest(name = "{0} of {1}")
    @MethodSource("outages")
    void whoeverWaitsIsWokenAfterwards(String name, Duration time, int code) {
        startWorker();
        stage.time().advance(Duration.ofMinutes(1));
        strike(time, code);

        await(jobs.add(stage.database(), MAIL, "late", "data"));
        stage.time().advance(Duration.ofSeconds(30));
        assertThat(counts().succeeded()).isEqualTo(JOBS + 1);
    }

    @ParameterizedTest(name = "{0} of {1}")
    @MethodSource("outages")
    void theMonitorPutsBackAfterwards(String name, Duration time, int code) {
        try (CouchJobs leaving = CouchJobs.builder(stage.database())
                .environment(stage.environment())
                .build()) {
            await(leaving.processor().accept(MAIL));
        }
        jobs.maintenance().monitor(MAIL);
        stage.time().advance(Duration.ofSeconds(2));
        strike(time, code);

        stage.time().advance(Duration.ofSeconds(15));
        assertThat(counts().pending()).isEqualTo(JOBS);
    }

    @Test
    void aVerbWaitsForTheEndOfALock() {
        outage.begin(LOCKED);
        CompletableFuture<AddResult> added = jobs.add(database, MAIL, "late", "data");
        stage.time().advance(Duration.ofSeconds(30));
        assertThat(added).isNotDone();
        outage.end();

        await(added);
        assertThat(await(jobs.getJobState(database, MAIL, "late"))).isEqualTo(JobState.PENDING);
    }

    @Test
    void aVerbGivesUpWhenItsTimeIsUp_andSaysWhy() {
        outage.begin(LOCKED);
        CompletableFuture<AddResult> added = jobs.add(database, MAIL, "late", "data");
        stage.time().advance(Duration.ofSeconds(61));

        assertThatThrownBy(added::join).cause().isInstanceOfSatisfying(FDBException.class, error -> {
            assertThat(error.getCode()).isEqualTo(1031);
            assertThat(error.getSuppressed())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            FDBException.class,
                            reason -> assertThat(reason.getCode()).isEqualTo(LOCKED));
        });
    }

    @Test
    void aSubscriberMissesNothing() {
        Subscription<String> subscription = await(jobs.subscribe(database, MAIL, "j0"));
        outage.begin(LOCKED);
        await(CouchJobs.on(stage.database()).remove(stage.database(), MAIL, "j0"));
        stage.time().advance(Duration.ofMinutes(2));
        outage.end();

        assertThat(await(subscription.awaitEvent(DAY)).orElseThrow().state()).isEqualTo(JobState.NOT_FOUND);
    }
}
