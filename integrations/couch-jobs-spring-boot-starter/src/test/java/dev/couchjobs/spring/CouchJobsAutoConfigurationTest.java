package dev.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.micrometer.JobMetrics;
import dev.couchjobs.server.JobsHttp;
import dev.couchjobs.server.Role;
import dev.couchjobs.spring.sample.Mails;
import dev.couchjobs.spring.sample.Mails.Receipt;
import dev.couchjobs.spring.sample.Mails.Welcome;
import dev.couchjobs.spring.sample.MailsJobs;
import dev.couchjobs.topics.Topics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What the starter configures, and what it leaves to the application. */
@Timeout(240)
class CouchJobsAutoConfigurationTest {
    private static final JobType<String, String> ECHO = JobType.of("echo", String.class, String.class);
    private static final byte[] ROW = {1};
    private static final byte[] OTHER_ROW = {2};

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    CouchJobsAutoConfiguration.class,
                    HealthConfiguration.class,
                    MetricsConfiguration.class,
                    TopicsConfiguration.class,
                    TransactionsConfiguration.class))
            .withPropertyValues("couch-jobs.database=memory");

    @Configuration(proxyBeanMethods = false)
    static class Echo {
        @Bean
        WorkerCustomizer echo() {
            return worker -> worker.handle(ECHO, job -> job.data());
        }
    }

    @Test
    void aBeanWithJobMethodsIsRunByTheWorker() {
        runner.withBean(Mails.class).run(context -> {
            CouchJobs jobs = context.getBean(CouchJobs.class);
            new MailsJobs(jobs)
                    .welcome(context.getBean(Database.class), "w", new Welcome("ann"))
                    .join();

            assertThat(jobs.result(MailsJobs.WELCOME, "w", Duration.ofSeconds(30)))
                    .isEqualTo(new Receipt("sent to ann"));
        });
    }

    @Test
    void aCustomizerAddsHandlers() {
        runner.withUserConfiguration(Echo.class)
                .withPropertyValues("couch-jobs.worker.name=one", "couch-jobs.worker.concurrency=3")
                .run(context -> {
                    CouchJobs jobs = context.getBean(CouchJobs.class);
                    jobs.add(context.getBean(Database.class), ECHO, "e", "hello")
                            .join();

                    assertThat(jobs.result(ECHO, "e", Duration.ofSeconds(30))).isEqualTo("hello");
                    assertThat(context.getBean(WorkerLifecycle.class).worker()).hasValueSatisfying(worker -> {
                        assertThat(worker.name()).contains("one");
                        assertThat(worker.concurrency()).isEqualTo(3);
                    });
                });
    }

    @Test
    void aWorkerThatRunsIsNotStartedAgain() {
        runner.withUserConfiguration(Echo.class).run(context -> {
            WorkerLifecycle lifecycle = context.getBean(WorkerLifecycle.class);
            Worker running = lifecycle.worker().orElseThrow();

            lifecycle.start();

            assertThat(lifecycle.worker()).containsSame(running);
        });
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void jobsThatNoBeanRunsAreLogged(CapturedOutput output) {
        runner.withUserConfiguration(Echo.class)
                .run(context -> assertThat(output)
                        .contains("There is no bean of " + Mails.class.getName()
                                + ": this worker runs no jobs of welcome-mail"));
    }

    @Test
    void anApplicationWithoutHandlersOnlyAddsJobs() {
        runner.run(context -> {
            CouchJobs jobs = context.getBean(CouchJobs.class);
            jobs.add(context.getBean(Database.class), ECHO, "e", "hello").join();

            assertThat(context.getBean(WorkerLifecycle.class).worker()).isEmpty();
            assertThat(jobs.getJobState(context.getBean(Database.class), ECHO, "e")
                            .join())
                    .isEqualTo(JobState.PENDING);
        });
    }

    @Test
    void theWorkerCanBeLeftOut() {
        runner.withUserConfiguration(Echo.class)
                .withPropertyValues("couch-jobs.worker.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(WorkerLifecycle.class));
    }

    @Test
    void jobsOfADirectoryAreThereAfterARestart(@TempDir Path directory) {
        ApplicationContextRunner inDirectory =
                runner.withPropertyValues("couch-jobs.database=" + directory.resolve("jobs"));
        inDirectory.run(context -> context.getBean(CouchJobs.class)
                .add(context.getBean(Database.class), ECHO, "e", "hello")
                .join());

        inDirectory
                .withUserConfiguration(Echo.class)
                .run(context -> assertThat(context.getBean(CouchJobs.class).result(ECHO, "e", Duration.ofSeconds(30)))
                        .isEqualTo("hello"));
    }

    @Test
    void aJobThatRunsEndsBeforeTheApplicationStops(@TempDir Path directory) {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch stopping = new CountDownLatch(1);
        ApplicationContextRunner inDirectory =
                runner.withPropertyValues("couch-jobs.database=" + directory.resolve("jobs"));
        inDirectory
                .withBean(
                        WorkerCustomizer.class,
                        () -> worker -> worker.handle(ECHO, job -> {
                            begun.countDown();
                            assertThat(stopping.await(30, TimeUnit.SECONDS)).isTrue();
                            return job.data();
                        }))
                .run(context -> {
                    context.addApplicationListener(event -> {
                        if (event instanceof org.springframework.context.event.ContextClosedEvent) {
                            stopping.countDown();
                        }
                    });
                    context.getBean(CouchJobs.class)
                            .add(context.getBean(Database.class), ECHO, "e", "hello")
                            .join();
                    assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
                });

        inDirectory.run(context -> assertThat(context.getBean(CouchJobs.class)
                        .getJobState(context.getBean(Database.class), ECHO, "e")
                        .join())
                .isEqualTo(JobState.FINISHED));
    }

    @Test
    void aJobThatSpringDoesNotWaitForIsReleased(@TempDir Path directory) {
        CountDownLatch begun = new CountDownLatch(1);
        runner.withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                .withBean(
                        WorkerCustomizer.class,
                        () -> worker -> worker.handle(ECHO, job -> {
                            begun.countDown();
                            new CountDownLatch(1).await();
                            return job.data();
                        }))
                .withPropertyValues(
                        "couch-jobs.database=" + directory, "spring.lifecycle.timeout-per-shutdown-phase=1ms")
                .run(context -> {
                    context.getBean(CouchJobs.class)
                            .add(context.getBean(Database.class), ECHO, "e", "hello")
                            .join();
                    assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
                });

        try (Database database = Databases.directory(directory);
                CouchJobs jobs = CouchJobs.on(database)) {
            assertThat(jobs.getJob(database, ECHO, "e").join().orElseThrow().state())
                    .isEqualTo(JobState.PENDING);
        }
    }

    @Test
    void theApplicationsOwnDatabaseIsUsed() {
        try (Database own = Databases.inMemory()) {
            runner.withBean("own", Database.class, () -> own)
                    .run(context -> assertThat(context.getBean(Database.class)).isSameAs(own));
        }
    }

    @Test
    void aSubspaceKeepsApplicationsApart(@TempDir Path directory) {
        ApplicationContextRunner shared = runner.withPropertyValues("couch-jobs.database=" + directory.resolve("jobs"));
        shared.withPropertyValues("couch-jobs.subspace=shop")
                .run(context -> context.getBean(CouchJobs.class)
                        .add(context.getBean(Database.class), ECHO, "e", "hello")
                        .join());

        shared.withPropertyValues("couch-jobs.subspace=blog")
                .run(context -> assertThat(context.getBean(CouchJobs.class)
                                .getJobData(context.getBean(Database.class), ECHO, "e")
                                .join())
                        .isEmpty());
    }

    /** Properties, each with a value that is refused, and what the reason says besides the name of the property. */
    private static final Map<String, String> WRONG = Map.ofEntries(
            Map.entry("couch-jobs.database=http://example.org", "http://example.org"),
            Map.entry("couch-jobs.subspace=", "is blank"),
            Map.entry("couch-jobs.http.path=jobs", "begins with a slash"),
            Map.entry("couch-jobs.http.role=root", "is one of"),
            Map.entry("couch-jobs.http.roles.OPERATOR=root", "is one of"),
            Map.entry("couch-jobs.health.due-at-most=-1s", "is not negative"),
            Map.entry("couch-jobs.transactions.tries=0", "is at least 1"),
            Map.entry("couch-jobs.worker.enabled=perhaps", "Invalid boolean value"),
            Map.entry("couch-jobs.worker.name=" + "w".repeat(10_000), "worker"),
            Map.entry("couch-jobs.worker.concurrency=0", "is at least 1"),
            Map.entry("couch-jobs.worker.shutdown-timeout=-5s", "is not negative"));

    static Stream<Map.Entry<String, String>> wrong() {
        return WRONG.entrySet().stream();
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void aWrongPropertyFailsTheStartWithItsNameAndReason(Map.Entry<String, String> wrong) {
        String name = wrong.getKey().substring(0, wrong.getKey().indexOf('='));
        runner.withUserConfiguration(Echo.class)
                .withPropertyValues(wrong.getKey())
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(name)
                        .hasStackTraceContaining(wrong.getValue()));
    }

    @Test
    void everyPropertyIsChecked() {
        Set<String> checked = WRONG.keySet().stream()
                .map(wrong -> wrong.substring(0, wrong.indexOf('=')).replace(".OPERATOR", ""))
                .collect(Collectors.toSet());
        assertThat(properties("couch-jobs", CouchJobsProperties.class))
                .contains("couch-jobs.worker.name")
                .allSatisfy(property -> assertThat(checked).contains(property));
    }

    private static List<String> properties(String name, Class<?> type) {
        return !type.isRecord()
                ? List.of(name)
                : Stream.of(type.getRecordComponents())
                        .flatMap(component -> properties(
                                name + "." + DataObjectPropertyName.toDashedForm(component.getName()),
                                component.getType())
                                .stream())
                        .toList();
    }

    @Test
    void theRolesAreThoseOfTheServer() {
        assertThat(Stream.of(Role.values()).map(role -> role.name().toLowerCase(Locale.ROOT)))
                .containsExactlyInAnyOrderElementsOf(CouchJobsProperties.Http.ROLES);
    }

    @Test
    void theGaugesOfALazyApplicationAreThere() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        runner.withBean(MeterRegistry.class, () -> registry)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context ->
                        assertThat(registry.find("couchjobs.workers").gauge()).isNotNull());
    }

    @Test
    void whatIsNotOnTheClassPathIsLeftOut() {
        runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> assertThat(context)
                        .hasSingleBean(JobMetrics.class)
                        .hasSingleBean(HealthIndicator.class)
                        .hasSingleBean(Topics.class)
                        .hasSingleBean(CurrentTransaction.class));
        runner.withClassLoader(new FilteredClassLoader(
                        JobMetrics.class,
                        HealthIndicator.class,
                        Topics.class,
                        PlatformTransactionManager.class,
                        JobsHttp.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(CouchJobs.class)
                        .doesNotHaveBean(CurrentTransaction.class)
                        .doesNotHaveBean("couchJobsTopics")
                        .doesNotHaveBean("couchJobsMetrics")
                        .doesNotHaveBean("couchJobsHealthIndicator"));
    }

    @Test
    void aTransactionCommitsWhatItsMethodWritesOrNothing() {
        runner.run(context -> {
            Database database = context.getBean(Database.class);
            CurrentTransaction current = context.getBean(CurrentTransaction.class);
            CouchJobs jobs = context.getBean(CouchJobs.class);
            TransactionTemplate template =
                    template(context.getBean(JobsTransactional.MANAGER, PlatformTransactionManager.class));
            template.executeWithoutResult(status -> {
                set(current, ROW);
                jobs.add(current.context(), ECHO, "kept", "hello").join();
            });
            assertThatThrownBy(() -> template.executeWithoutResult(status -> {
                        set(current, OTHER_ROW);
                        jobs.add(current.context(), ECHO, "dropped", "hello").join();
                        throw new IllegalStateException("no");
                    }))
                    .hasMessage("no");

            assertThat(database.<byte[]>read(tx -> tx.get(ROW).join())).isNotNull();
            assertThat(database.<byte[]>read(tx -> tx.get(OTHER_ROW).join())).isNull();
            assertThat(jobs.getJobData(database, ECHO, "kept").join()).contains("hello");
            assertThat(jobs.getJobData(database, ECHO, "dropped").join()).isEmpty();
        });
    }

    @Test
    void aConflictIsAConcurrencyFailure() {
        runner.run(context -> {
            Database database = context.getBean(Database.class);
            CurrentTransaction current = context.getBean(CurrentTransaction.class);
            TransactionTemplate template =
                    template(context.getBean(JobsTransactional.MANAGER, PlatformTransactionManager.class));

            assertThatThrownBy(() -> template.executeWithoutResult(status -> {
                        current.context().run(tx -> tx.get(ROW).join() == null);
                        database.run(tx -> {
                            tx.set(ROW, ROW);
                            return tx;
                        });
                        set(current, OTHER_ROW);
                    }))
                    .isInstanceOf(ConcurrencyFailureException.class);
            assertThat(database.<byte[]>read(tx -> tx.get(OTHER_ROW).join())).isNull();
        });
    }

    @Test
    void anInnerTransactionOfItsOwnCommitsByItself() {
        runner.run(context -> {
            Database database = context.getBean(Database.class);
            CurrentTransaction current = context.getBean(CurrentTransaction.class);
            PlatformTransactionManager manager =
                    context.getBean(JobsTransactional.MANAGER, PlatformTransactionManager.class);
            TransactionTemplate inner = template(manager);
            inner.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);

            assertThatThrownBy(() -> template(manager).executeWithoutResult(status -> {
                        set(current, ROW);
                        inner.executeWithoutResult(own -> set(current, OTHER_ROW));
                        throw new IllegalStateException("no");
                    }))
                    .hasMessage("no");
            assertThat(database.<byte[]>read(tx -> tx.get(ROW).join())).isNull();
            assertThat(database.<byte[]>read(tx -> tx.get(OTHER_ROW).join())).isNotNull();
        });
    }

    private static TransactionTemplate template(PlatformTransactionManager manager) {
        return new TransactionTemplate(manager);
    }

    private static void set(CurrentTransaction current, byte[] row) {
        current.context().run(tx -> {
            tx.set(row, row);
            return tx;
        });
    }
}
