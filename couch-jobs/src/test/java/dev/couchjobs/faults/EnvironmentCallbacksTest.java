package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobCounts;
import dev.couchjobs.JobType;
import dev.couchjobs.Subscription;
import dev.couchjobs.Worker;
import dev.couchjobs.contract.DatabaseProxies;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Callbacks;
import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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

    /** Makes the parts that throw. */
    private record Faulty(
            BiFunction<EnvironmentCallbacksTest, Environment, Environment> environment,
            BiFunction<EnvironmentCallbacksTest, Database, Database> database) {
        static Faulty environment(BiFunction<EnvironmentCallbacksTest, Environment, Environment> environment) {
            return new Faulty(environment, (test, database) -> database);
        }
    }

    private static final Map<String, Faulty> CASES = new LinkedHashMap<>();

    static {
        CASES.put(
                "Environment.clock",
                Faulty.environment((test, given) -> new Environment(
                        test.throwing(InstantSource.class, given.clock(), "instant", "millis"),
                        given.scheduler(),
                        given.random())));
        CASES.put(
                "Environment.random",
                Faulty.environment((test, given) -> new Environment(
                        given.clock(),
                        given.scheduler(),
                        test.throwing(RandomGenerator.class, given.random(), "next"))));
        CASES.put("Environment.scheduler, task", scheduler("execute"));
        CASES.put("Environment.scheduler, timer", scheduler("schedule"));
        CASES.put(
                "Environment.scheduler, cancel",
                Faulty.environment((test, given) ->
                        new Environment(given.clock(), test.withFaultyTimers(given.scheduler()), given.random())));
        CASES.put(
                "Database.getExecutor, task",
                new Faulty((test, given) -> given, (test, database) -> test.withFaultyExecutor(database)));
    }

    private final Database database = EmbeddedDatabase.openInMemory();
    private final Environment system = Environment.system();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger thrownTimes = new AtomicInteger();
    private Supplier<Throwable> thrown = IllegalStateException::new;
    private int every = 1;

    private static Faulty scheduler(String method) {
        return Faulty.environment((test, given) -> new Environment(
                given.clock(),
                test.throwing(ScheduledExecutorService.class, given.scheduler(), method),
                given.random()));
    }

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
        thrown = Callbacks.THROWABLES.getOrDefault(what, RejectedExecutionException::new);
        every = howOften;
        Faulty faulty = Objects.requireNonNull(CASES.get(callback));
        Database given = faulty.database().apply(this, database);
        try (CouchJobs jobs = CouchJobs.builder(given)
                .environment(faulty.environment().apply(this, system))
                .build()) {
            run(jobs, given);
        }

        assertThat(thrownTimes.get()).as("how often the callback has thrown").isPositive();
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
        assertThat(worker.stuckSlots()).isZero();
        end(worker.closeAsync());
    }

    private static <T> T end(Future<T> future) throws Exception {
        return future.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    @SuppressWarnings("unchecked") // to throw what the compiler does not see
    private <E extends Throwable> void maybe() throws E {
        if (calls.incrementAndGet() % every == 0) {
            thrownTimes.incrementAndGet();
            throw (E) thrown.get();
        }
    }

    /** {@return what throws in the methods whose names begin like one of these} */
    private <T> T throwing(Class<T> type, T given, String... prefixes) {
        return DatabaseProxies.to(type, (self, method, arguments) -> {
            if (Stream.of(prefixes).anyMatch(method.getName()::startsWith)) {
                maybe();
            }
            return invoke(given, method, arguments);
        });
    }

    private static @Nullable Object invoke(Object given, Method method, @Nullable Object[] arguments) throws Throwable {
        return DatabaseProxies.invoke(given, method, arguments);
    }

    private ScheduledExecutorService withFaultyTimers(ScheduledExecutorService given) {
        return DatabaseProxies.to(ScheduledExecutorService.class, (self, method, arguments) -> {
            Object result = invoke(given, method, arguments);
            return result instanceof ScheduledFuture<?> timer
                    ? throwing(ScheduledFuture.class, timer, "cancel")
                    : result;
        });
    }

    private Database withFaultyExecutor(Database given) {
        Executor executor = task -> {
            maybe();
            given.getExecutor().execute(task);
        };
        return DatabaseProxies.to(
                Database.class,
                (self, method, arguments) ->
                        method.getName().equals("getExecutor") ? executor : invoke(given, method, arguments));
    }
}
