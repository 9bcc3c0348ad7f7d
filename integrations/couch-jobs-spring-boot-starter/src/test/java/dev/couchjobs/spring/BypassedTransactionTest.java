package dev.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.AcceptOptions;
import dev.couchjobs.AddResult;
import dev.couchjobs.Batch;
import dev.couchjobs.ClaimKey;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.DependencyNotFoundException;
import dev.couchjobs.Job;
import dev.couchjobs.JobMiddleware;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.Rate;
import dev.couchjobs.RemoteWorker;
import dev.couchjobs.Retention;
import dev.couchjobs.Schedule;
import dev.couchjobs.TransactionBypassedException;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.topics.NewMessage;
import dev.couchjobs.topics.Position;
import dev.couchjobs.topics.Topic;
import dev.couchjobs.topics.TopicSettings;
import dev.couchjobs.topics.Topics;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Nothing in a method with {@link JobsTransactional} commits unless the method does. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(240)
class BypassedTransactionTest {
    private static final JobType<String, String> ECHO = JobType.of("echo", String.class, String.class);
    private static final JobType<String, String> WORKED = JobType.of("worked", String.class, String.class);
    /** An id that also rows in quarantine may have. */
    private static final String QUARANTINED = "000000000000000000000000";

    private static final Topic<String> NEWS = Topic.of("news", String.class);

    private ConfigurableApplicationContext application;
    private Database database;
    private CouchJobs jobs;
    private Topics topics;
    private CurrentTransaction current;
    private Methods methods;
    private Job<String> claim;

    /** Methods of a bean, which run what a test gives them. */
    static class Methods {
        @JobsTransactional
        <T> T inTransaction(Supplier<T> body) {
            return body.get();
        }

        @JobsTransactional(propagation = Propagation.REQUIRES_NEW)
        <T> T inOwnTransaction(Supplier<T> body) {
            return body.get();
        }

        @JobsTransactional(propagation = Propagation.NOT_SUPPORTED)
        <T> T withoutTransaction(Supplier<T> body) {
            return body.get();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Methods methods() {
            return new Methods();
        }

        @Bean
        WorkerCustomizer echo(CouchJobs jobs, Database database) {
            return worker -> worker.handle(WORKED, job -> {
                jobs.add(database, ECHO, "by-a-worker", "hello").join();
                return job.data();
            });
        }
    }

    @BeforeAll
    void start() {
        application = SpringApplication.run(
                Application.class, "--couch-jobs.database=memory", "--spring.main.web-application-type=none");
        database = application.getBean(Database.class);
        jobs = application.getBean(CouchJobs.class);
        topics = application.getBean(Topics.class);
        current = application.getBean(CurrentTransaction.class);
        methods = application.getBean(Methods.class);
        topics.create(database, NEWS, TopicSettings.partitions(1)).join();
        jobs.add(database, ECHO, "claimed", "hello").join();
        claim = jobs.processor().accept(ECHO).join().orElseThrow();
    }

    @AfterAll
    void stop() {
        application.close();
    }

    /** A method of the public API that takes a context to write in. */
    private record Verb(Object owner, Method method) {
        static Stream<Verb> of(Object owner) {
            return Stream.of(owner.getClass().getMethods())
                    .filter(method ->
                            method.getParameterCount() > 0 && method.getParameterTypes()[0] == TransactionContext.class)
                    .map(method -> new Verb(owner, method));
        }

        Object call(List<Object> arguments) {
            try {
                return method.invoke(owner, arguments.toArray());
            } catch (InvocationTargetException e) {
                throw (RuntimeException) e.getCause();
            } catch (IllegalAccessException e) {
                throw new AssertionError(method.toString(), e);
            }
        }

        @Override
        public String toString() {
            return method.toGenericString();
        }
    }

    private Stream<Verb> verbs() throws ReflectiveOperationException {
        List<Object> owners = new ArrayList<>(List.of(jobs, topics, topics.group(NEWS, "readers")));
        for (Method part : CouchJobs.class.getMethods()) {
            if (part.getParameterCount() == 0 && part.getReturnType().getPackage() == CouchJobs.class.getPackage()) {
                owners.add(part.invoke(jobs));
            }
        }
        return owners.stream().flatMap(Verb::of);
    }

    @Test
    void allVerbsAreFound() throws ReflectiveOperationException {
        assertThat(verbs()).hasSizeGreaterThan(70);
    }

    private List<Object> arguments(Verb verb, TransactionContext context) {
        List<Object> arguments = new ArrayList<>();
        arguments.add(context);
        Stream.of(verb.method().getGenericParameterTypes())
                .skip(1)
                .map(type -> type.getTypeName().replaceAll("^(java|dev)\\.[a-z.]*", ""))
                .forEach(type -> arguments.add(argument(type)));
        return arguments;
    }

    private Object argument(String type) {
        NewJob<String> job = NewJob.of(ECHO, "hello").id("bypassing");
        Map<String, Object> byStart = Map.ofEntries(
                Map.entry("JobType", ECHO),
                Map.entry("String", QUARANTINED),
                Map.entry("D", "a"),
                Map.entry("R", "a"),
                Map.entry("Object", "a"),
                Map.entry("NewJob", job),
                Map.entry("Collection<? extends dev.couchjobs.NewJob", List.of(job)),
                Map.entry("Collection<? extends dev.couchjobs.Job<", List.of(claim)),
                Map.entry("Collection<dev.couchjobs.ClaimKey", List.of(new ClaimKey(ECHO, claim.id(), claim.lock()))),
                Map.entry("Job<", claim),
                Map.entry("int", 1),
                Map.entry("long", 1L),
                Map.entry("boolean", true),
                Map.entry("Instant", Instant.now()),
                Map.entry("Duration", Duration.ofMinutes(1)),
                Map.entry("UUID", new UUID(1, 2)),
                Map.entry("Throwable", new IllegalStateException("no")),
                Map.entry("Batch", Batch.of("batch").closing(job)),
                Map.entry("Retention", Retention.standard()),
                Map.entry("Rate", Rate.perWindow(1, Duration.ofMinutes(1))),
                Map.entry("Schedule", Schedule.every("poll", Duration.ofMinutes(1), NewJob.of(ECHO, "hello"))),
                Map.entry(
                        "RemoteWorker",
                        new RemoteWorker(
                                "w", new UUID(1, 2), "host", "process", List.of("echo"), 1, 0, false, Instant.now())),
                Map.entry("Position", Position.earliest()),
                Map.entry("TopicSettings", TopicSettings.partitions(1)),
                Map.entry("Topic<", NEWS),
                Map.entry("NewMessage", NewMessage.of("hello")),
                Map.entry("List<dev.couchjobs.topics.NewMessage", List.of(NewMessage.of("hello"))));
        return byStart.entrySet().stream()
                .filter(entry -> type.startsWith(entry.getKey()))
                .max((one, other) ->
                        Integer.compare(one.getKey().length(), other.getKey().length()))
                .orElseThrow(() -> new AssertionError("The test knows no value of " + type))
                .getValue();
    }

    @ParameterizedTest
    @MethodSource("verbs")
    void aVerbWithTheDatabaseIsRefusedInATransaction(Verb verb) {
        assertThatThrownBy(() -> methods.inTransaction(() -> verb.call(arguments(verb, database))))
                .isInstanceOf(TransactionBypassedException.class)
                .hasMessageContaining("CurrentTransaction.context()");
    }

    @ParameterizedTest
    @MethodSource("verbs")
    void aVerbWithTheTransactionIsNot(Verb verb) {
        assertThatThrownBy(() -> methods.inTransaction(() -> {
                    assertThat(verb.call(arguments(verb, current.context()))).isInstanceOf(CompletableFuture.class);
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessage("rolled back");
    }

    /** Middleware may continue on another thread, where no transaction is open. */
    @Test
    @SuppressWarnings("FutureReturnValueIgnored") // they are refused
    void middlewareThatGoesAsideBypassesNothing() {
        JobMiddleware aside = new JobMiddleware() {
            @Override
            public CompletionStage<List<AddResult>> add(List<? extends NewJob<?>> added, Addition next) {
                return CompletableFuture.supplyAsync(() -> added).thenCompose(next::add);
            }
        };
        NewJob<String> job = NewJob.of(ECHO, "hello").id("aside");
        try (CouchJobs own = CouchJobs.builder(database).middleware(aside).build()) {
            List<Supplier<?>> additions = List.of(
                    () -> own.add(database, job),
                    () -> own.addAll(database, List.of(job)),
                    () -> own.batches().open(database, Batch.of("aside").closing(job)));
            assertThat(additions)
                    .allSatisfy(addition -> assertThatThrownBy(() -> methods.inTransaction(addition))
                            .isInstanceOf(TransactionBypassedException.class));
        }
        assertThat(state("aside")).isEqualTo(JobState.NOT_FOUND);
    }

    private JobState state(String jobId) {
        return jobs.getJobState(database, ECHO, jobId).join();
    }

    private AddResult add(TransactionContext context, String jobId) {
        return jobs.add(context, ECHO, jobId, "hello").join();
    }

    @Test
    void readsMayBypassTheTransaction() {
        methods.inTransaction(() -> {
            add(current.context(), "read");
            assertThat(state("read")).isEqualTo(JobState.NOT_FOUND);
            assertThat(jobs.getJobState(current.context(), ECHO, "read").join()).isEqualTo(JobState.PENDING);
            assertThat(jobs.types().getTypes(database).join()).isNotEmpty();
            return topics.describe(database, NEWS).join();
        });
    }

    @Test
    void whatTakesNoContextIsLeftAlone() {
        jobs.batches().open(database, Batch.of("whole")).join();
        methods.inTransaction(() -> {
            assertThat(jobs.batches().cancel("whole", "no").join()).isZero();
            assertThat(jobs.deadLetters().retryAll(ECHO).join()).isZero();
            assertThat(jobs.health().check().join()).isNotNull();
            return jobs.processor().accept(ECHO, AcceptOptions.defaults().timeout(Duration.ofMillis(1)));
        });
    }

    @Test
    void aRefusalIsThrownThoughTheMethodDoesNotWaitForIt() {
        assertThatThrownBy(() -> methods.inTransaction(() -> {
                    add(current.context(), "refused");
                    var unused =
                            jobs.add(current.context(), NewJob.of(ECHO, "hello").after(ECHO, "none"));
                    return "a future would tell Spring";
                }))
                .isInstanceOf(DependencyNotFoundException.class);
        assertThat(state("refused")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void otherThreadsCommitByThemselves() {
        assertThatThrownBy(() -> methods.inTransaction(() -> {
                    CompletableFuture.runAsync(() -> add(database, "aside-committed"))
                            .join();
                    CompletableFuture.runAsync(() ->
                                    assertThatThrownBy(current::context).isInstanceOf(NoTransactionException.class))
                            .join();
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessage("rolled back");
        assertThat(state("aside-committed")).isEqualTo(JobState.PENDING);
    }

    @Test
    void handlersOfTheWorkerCommitByThemselves() {
        jobs.add(database, WORKED, "w", "hello").join();
        assertThat(methods.inTransaction(() -> jobs.result(WORKED, "w", Duration.ofSeconds(30))))
                .isEqualTo("hello");
        assertThat(state("by-a-worker")).isEqualTo(JobState.PENDING);
    }

    @Test
    void anotherDatabaseIsNotThatOfTheTransaction() {
        try (Database other = Databases.inMemory();
                CouchJobs elsewhere = CouchJobs.on(other)) {
            methods.inTransaction(
                    () -> elsewhere.add(other, ECHO, "elsewhere", "hello").join());
            assertThat(elsewhere.getJobState(other, ECHO, "elsewhere").join()).isEqualTo(JobState.PENDING);
        }
    }

    @Test
    void aMethodWithoutATransactionCommitsByItself() {
        assertThatThrownBy(() -> methods.inTransaction(() -> {
                    add(current.context(), "outer");
                    methods.withoutTransaction(() -> {
                        assertThatThrownBy(current::context).isInstanceOf(NoTransactionException.class);
                        return add(database, "suspended");
                    });
                    assertThatThrownBy(() -> add(database, "outer")).isInstanceOf(TransactionBypassedException.class);
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessage("rolled back");
        assertThat(state("suspended")).isEqualTo(JobState.PENDING);
        assertThat(state("outer")).isEqualTo(JobState.NOT_FOUND);
    }

    @Test
    void aMethodWithATransactionOfItsOwnCommitsByItself() {
        assertThatThrownBy(() -> methods.inTransaction(() -> {
                    TransactionContext outer = current.context();
                    methods.inOwnTransaction(() -> {
                        assertThat(current.context()).isNotSameAs(outer);
                        assertThatThrownBy(() -> add(database, "own")).isInstanceOf(TransactionBypassedException.class);
                        return add(current.context(), "own");
                    });
                    assertThat(current.context()).isSameAs(outer);
                    throw new IllegalStateException("rolled back");
                }))
                .hasMessage("rolled back");
        assertThat(state("own")).isEqualTo(JobState.PENDING);
    }

    @Test
    void aNestedMethodJoins() {
        methods.inTransaction(() -> {
            TransactionContext outer = current.context();
            return methods.inTransaction(() -> {
                assertThat(current.context()).isSameAs(outer);
                return assertThatThrownBy(() -> add(database, "nested"))
                        .isInstanceOf(TransactionBypassedException.class);
            });
        });
    }

    @Test
    void whatFollowsTheCommitIsNoPartOfIt() {
        methods.inTransaction(() -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    assertThatThrownBy(current::context).isInstanceOf(NoTransactionException.class);
                    add(database, "after");
                }
            });
            return add(current.context(), "before");
        });
        assertThat(state("before")).isEqualTo(JobState.PENDING);
        assertThat(state("after")).isEqualTo(JobState.PENDING);
    }

    @Test
    void outsideOfAMethodThereIsNoContext() {
        assertThatThrownBy(current::context)
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("@JobsTransactional")
                .hasMessageContaining("Database bean");
        assertThat(add(database, "outside")).isNotNull();
    }
}
