package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobFailedException;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Page;
import dev.couchjobs.PageRequest;
import dev.couchjobs.SelectionProgress;
import dev.couchjobs.Subscription;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Callbacks;
import dev.couchjobs.fdb.testing.ThrowingParts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An environment, or an executor of the database, that throws anything, always or now and then: whatever is begun ends,
 * as docs/callbacks.md says. In real time, because the substitutes are threads.
 */
class EnvironmentCallbacksTest {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final JobType<String, String> SMS = JobType.of("sms", String.class, String.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int JOBS = 3;

    /** Makes the environment, and the database, of which parts throw. */
    private record Faulty(
            BiFunction<ThrowingParts, Environment, Environment> environment,
            BiFunction<ThrowingParts, Database, Database> database) {
        static Faulty environment(BiFunction<ThrowingParts, Environment, Environment> environment) {
            return new Faulty(environment, (parts, database) -> database);
        }

        static Faulty scheduler(BiFunction<ThrowingParts, ScheduledExecutorService, ScheduledExecutorService> faulty) {
            return environment((parts, given) ->
                    new Environment(given.clock(), faulty.apply(parts, given.scheduler()), given.random()));
        }

        static Faulty database(BiFunction<ThrowingParts, Database, Database> database) {
            return new Faulty((parts, environment) -> environment, database);
        }
    }

    private static final Map<String, Faulty> CASES = new LinkedHashMap<>();

    static {
        CASES.put(
                "Environment.clock",
                Faulty.environment((parts, given) ->
                        new Environment(parts.clock(given.clock()), given.scheduler(), given.random())));
        CASES.put(
                "Environment.random",
                Faulty.environment((parts, given) ->
                        new Environment(given.clock(), given.scheduler(), parts.random(given.random()))));
        CASES.put("Environment.scheduler, task", Faulty.scheduler(ThrowingParts::tasks));
        CASES.put("Environment.scheduler, timer", Faulty.scheduler(ThrowingParts::timers));
        CASES.put("Environment.scheduler, cancel", Faulty.scheduler(ThrowingParts::cancellations));
        CASES.put("Database.getExecutor, task", Faulty.database(ThrowingParts::executor));
        CASES.put("Transaction.getExecutor, task", Faulty.database(ThrowingParts::transactions));
    }

    private final Database database = EmbeddedDatabase.openInMemory();
    private final Environment system = Environment.system();

    static Stream<Arguments> cases() {
        return CASES.keySet().stream()
                .flatMap(callback -> Stream.concat(
                        Callbacks.THROWABLES.keySet().stream().map(what -> Arguments.of(callback, what, 1)),
                        Stream.of(2, 3).map(every -> Arguments.of(callback, "RejectedExecutionException", every))));
    }

    @AfterEach
    void close() {
        system.close();
        database.close();
    }

    @Test
    void theDocsListTheCallbacks() throws IOException {
        assertThat(Callbacks.documented("The environment and the database"))
                .containsExactlyInAnyOrderElementsOf(CASES.keySet());
    }

    @ParameterizedTest(name = "{0} throws {1} in every call that {2} divides")
    @MethodSource("cases")
    void whateverIsBegunEnds(String callback, String what, int howOften) throws Exception {
        ThrowingParts parts = new ThrowingParts(
                howOften, List.of(Callbacks.THROWABLES.getOrDefault(what, RejectedExecutionException::new)));
        Faulty faulty = Objects.requireNonNull(CASES.get(callback));
        Database given = faulty.database().apply(parts, database);
        try (CouchJobs jobs = CouchJobs.builder(given)
                .environment(faulty.environment().apply(parts, system))
                .build()) {
            run(jobs, given);
        }

        assertThat(parts.thrownTimes()).as("how often the callback has thrown").isPositive();
    }

    private static void run(CouchJobs jobs, Database given) throws Exception {
        end(jobs.types().setTypeTimeout(given, MAIL, TIMEOUT));
        end(jobs.types().setTypeTimeout(given, SMS, TIMEOUT));
        CompletableFuture<Boolean> changed =
                jobs.changes().await(MAIL, end(jobs.changes().now(given)), TIMEOUT);
        CompletableFuture<Optional<Job<String>>> claimed = jobs.processor().accept(SMS);
        Worker worker = jobs.worker()
                .handle(MAIL, job -> "sent " + job.data())
                .concurrency(1)
                .start();
        List<CompletableFuture<String>> results = new ArrayList<>();
        for (int i = 0; i < JOBS; i++) {
            end(jobs.add(given, MAIL, "job-" + i, "data"));
            results.add(jobs.resultAsync(MAIL, "job-" + i, TIMEOUT));
        }
        end(jobs.add(given, SMS, "job", "data"));
        Subscription<String> subscription = end(jobs.subscribe(given, SMS, "job"));

        for (CompletableFuture<String> result : results) {
            assertThat(end(result)).isEqualTo("sent data");
        }
        assertThat(end(changed)).isTrue();
        Job<String> job = end(claimed).orElseThrow();
        end(jobs.processor().finish(given, job));
        assertThat(end(subscription.awaitEvent(TIMEOUT))).isPresent();
        assertThat(end(jobs.changes().await(MAIL, end(jobs.changes().now(given)), Duration.ofMillis(1))))
                .isFalse();
        JobCounts counts = end(jobs.counts(given, MAIL));
        assertThat(counts.running()).isZero();
        runMore(jobs, given);
        assertThat(worker.stuckSlots()).isZero();
        end(worker.closeAsync());
    }

    /** The verbs that go on elsewhere: behind other jobs, and over many of them. */
    private static void runMore(CouchJobs jobs, Database given) throws Exception {
        List<Dependency> all = new ArrayList<>();
        for (int i = 0; i < JOBS; i++) {
            end(jobs.add(given, NewJob.of(SMS, "data").id("first-" + i)));
            all.add(Dependency.on(SMS, "first-" + i).ifUnsuccessful(DependencyPolicy.FAIL));
        }
        end(jobs.add(given, NewJob.of(MAIL, "data").id("last").after(all)));
        Page<JobSummary> page = end(given.runAsync(tx -> jobs.add(tx, SMS, "own", "data")
                .thenCompose(added -> jobs.list(tx, SMS, PageRequest.of(JOBS * JOBS)))));
        assertThat(page.items()).extracting(JobSummary::jobId).contains("first-0", "own");
        end(jobs.statuses().index(SMS));
        SelectionProgress cancelled = end(
                jobs.control().select(SMS, job -> job.id().startsWith("first")).cancel("no"));
        assertThat(cancelled.applied()).isEqualTo(JOBS);
        assertThat(jobs.resultAsync(MAIL, "last", TIMEOUT))
                .failsWithin(TIMEOUT)
                .withThrowableThat()
                .withCauseInstanceOf(JobFailedException.class);
        assertThat(end(jobs.deadLetters().retryAll(SMS))).isZero();
    }

    private static <T> T end(Future<T> future) throws Exception {
        return future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }
}
