package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.DATA;
import static dev.couchjobs.costs.CostFixture.MAIL;
import static dev.couchjobs.costs.CostFixture.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Job;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobState;
import dev.couchjobs.NewJob;
import dev.couchjobs.PermanentFailureException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs that wait for others, on a database where each answer takes 30 ms of the five seconds of a transaction. */
class SlowDependentsTest {
    private static final Duration ANSWER = Duration.ofMillis(30);
    private static final int PER_TRANSACTION = 500;
    private static final int UNRELATED = 30;
    private static final Duration ENOUGH = Duration.ofMinutes(5);
    /** The job that others wait for. */
    private static final String HEAD = "head";

    private final MeasuredStage stage = new MeasuredStage(5, MAIL, ANSWER);

    @AfterEach
    void close() {
        stage.close();
    }

    private void add(int count, IntFunction<NewJob<String>> each) {
        for (int from = 0; from < count; from += PER_TRANSACTION) {
            stage.await(stage.others()
                    .addAll(
                            stage.database(),
                            IntStream.range(from, Math.min(count, from + PER_TRANSACTION))
                                    .mapToObj(each)
                                    .toList()));
        }
    }

    private static NewJob<String> job(String id) {
        return NewJob.of(MAIL, DATA).id(id);
    }

    /**
     * What hangs on a job, {@link #HEAD}.
     *
     * @param count how many jobs
     * @param each each of them by its number
     */
    private record Hanging(String name, int count, IntFunction<NewJob<String>> each) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Hanging> all() {
        return List.of(
                new Hanging("one", 1, i -> after(id(i), HEAD)),
                new Hanging("a chain of 10", 10, SlowDependentsTest::link),
                new Hanging("a chain of 1,000", 1_000, SlowDependentsTest::link),
                new Hanging("a fan of 10,000", 10_000, i -> after(id(i), HEAD)),
                new Hanging("a fan, each of which waits for another to come", 100, i -> behindHeadAndThoseToCome(i, 1)),
                new Hanging("a fan, each of which waits for 150 to come", 4, i -> behindHeadAndThoseToCome(i, 150)));
    }

    /** A job that fails if another does. */
    private static NewJob<String> after(String jobId, String other) {
        return job(jobId).after(Dependency.on(MAIL, other).ifUnsuccessful(DependencyPolicy.FAIL));
    }

    private static NewJob<String> link(int number) {
        return after(id(number), number == 0 ? HEAD : id(number - 1));
    }

    private static NewJob<String> behindHeadAndThoseToCome(int number, int coming) {
        return after(id(number), HEAD)
                .after(IntStream.range(0, coming)
                        .mapToObj(i -> Dependency.on(MAIL, "to-come-" + number + "-" + i)
                                .ifUnsuccessful(DependencyPolicy.EXPECT))
                        .toList());
    }

    private Job<String> headWith(Hanging what) {
        add(1, i -> job(HEAD));
        Job<String> head = stage.await(stage.others().processor().accept(MAIL, AcceptOptions.nonBlocking()))
                .orElseThrow();
        add(what.count, what.each);
        return head;
    }

    private CouchJobs measured() {
        return stage.builder(stage.measured()).build();
    }

    private JobCounts counts() {
        return stage.await(stage.others().counts(stage.database(), MAIL));
    }

    @ParameterizedTest
    @MethodSource("all")
    void theEndOfAJobWaitsForThreeAnswersWhateverHangsOnIt(Hanging what) {
        Job<String> head = headWith(what);
        stage.forget();

        try (CouchJobs jobs = measured()) {
            stage.await(jobs.processor().cancel(stage.measured(), head, "not wanted"));
        }

        assertThat(stage.tries())
                .hasSize(1)
                .allSatisfy(only -> assertThat(only.cost().trips()).isLessThanOrEqualTo(3));
    }

    @ParameterizedTest
    @MethodSource("all")
    void allThatHangsOnAJobIsToldInTheEnd(Hanging what) {
        Job<String> head = headWith(what);
        try (CouchJobs jobs = measured()) {
            jobs.maintenance().monitor(MAIL);
            stage.await(jobs.processor().cancel(stage.measured(), head, "not wanted"));
            stage.time().advance(ENOUGH);
        }

        assertThat(counts().failed()).isEqualTo(what.count);
        assertThat(counts().blocked()).isZero();
    }

    /** The second job's name comes behind the first's, whatever the order in which they end. */
    @Test
    void manyThatHangOnOneJobKeepNoOtherFromBeingTold() {
        add(1, i -> job("a"));
        add(1, i -> job("b"));
        add(10_000, i -> after("of-a-" + i, "a"));
        add(1_000, i -> after("of-b-" + i, "b"));
        stage.await(stage.others().remove(stage.database(), MAIL, "a"));
        stage.await(stage.others().remove(stage.database(), MAIL, "b"));

        try (CouchJobs jobs = measured()) {
            jobs.maintenance().monitor(MAIL);
            while (!isFinished("of-b-999")) {
                stage.time().advance(Duration.ofMillis(100));
            }
            assertThat(counts().failed()).isLessThan(4_000);
            stage.time().advance(ENOUGH);
        }
        assertThat(counts().failed()).isEqualTo(11_000);
    }

    private boolean isFinished(String id) {
        return stage.await(stage.others().getJobState(stage.database(), MAIL, id)) == JobState.FINISHED;
    }

    /** A worker writes the ends of its jobs together, and one of them is one on which much hangs. */
    @ParameterizedTest
    @MethodSource("all")
    void theOtherEndsOfAWorkerAreWrittenAtOnceWhateverHangsOnOneOfThem(Hanging what) {
        Map<String, CompletableFuture<String>> ends = new LinkedHashMap<>();
        add(1, i -> job(HEAD));
        add(UNRELATED, i -> job("unrelated-" + i));
        try (CouchJobs jobs = measured()) {
            jobs.worker()
                    .handleAsync(MAIL, job -> ends.computeIfAbsent(job.id(), id -> new CompletableFuture<>()))
                    .executor(stage.time())
                    .concurrency(UNRELATED + 1)
                    .start();
            stage.time().advance(Duration.ofSeconds(1));
            assertThat(ends).hasSize(UNRELATED + 1);
            add(what.count, what.each);
            stage.forget();

            ends.forEach((id, end) -> {
                if (id.equals(HEAD)) {
                    end.completeExceptionally(new PermanentFailureException("no"));
                } else {
                    end.complete("sent");
                }
            });
            stage.time().advance(Duration.ofSeconds(1));

            assertThat(counts().succeeded()).isEqualTo(UNRELATED);
            assertThat(counts().running()).isZero();
            stage.time().advance(ENOUGH);
        }
        assertThat(counts().failed()).isEqualTo(what.count + 1);
        assertThat(counts().blocked()).isZero();
    }
}
