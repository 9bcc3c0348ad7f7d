package dev.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;

/** A context that is stopped and started, and one that is refreshed, works as before. */
@Timeout(240)
class LifecycleTest {
    private static final JobType<String, String> ECHO = JobType.of("echo", String.class, String.class);
    private static final JobType<String, String> SLOW = JobType.of("slow", String.class, String.class);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(CouchJobsAutoConfiguration.class))
            .withUserConfiguration(Handlers.class)
            .withPropertyValues("couch-jobs.database=memory");

    @Configuration(proxyBeanMethods = false)
    static class Handlers {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch end = new CountDownLatch(1);

        @Bean
        WorkerCustomizer handlers() {
            return worker -> worker.handle(ECHO, job -> job.data()).handle(SLOW, job -> {
                begun.countDown();
                end.await();
                return job.data();
            });
        }
    }

    private static void assertRuns(BeanFactory context, String id) {
        CouchJobs jobs = context.getBean(CouchJobs.class);
        jobs.add(context.getBean(Database.class), ECHO, id, id).join();
        assertThat(jobs.result(ECHO, id, Duration.ofSeconds(30))).isEqualTo(id);
    }

    @Test
    void aContextIsStoppedAndStartedAgainAndAgain() {
        runner.run(context -> {
            for (int i = 0; i < 3; i++) {
                assertRuns(context, "j" + i);
                context.getSourceApplicationContext().stop();
                assertThat(context.getBean(WorkerLifecycle.class).isRunning()).isFalse();
                context.getSourceApplicationContext().start();
            }
        });
    }

    /** Spring waits for a time only, and starts what says that it does not run. */
    @Test
    void aWorkerStartsWhileTheOneBeforeStillEnds() {
        runner.run(context -> {
            Handlers handlers = context.getBean(Handlers.class);
            CouchJobs jobs = context.getBean(CouchJobs.class);
            WorkerLifecycle lifecycle = context.getBean(WorkerLifecycle.class);
            Worker first = lifecycle.worker().orElseThrow();
            jobs.add(context.getBean(Database.class), SLOW, "s", "done").join();
            handlers.begun.await();
            CountDownLatch stopped = new CountDownLatch(1);

            lifecycle.stop(stopped::countDown);
            lifecycle.start();

            assertThat(lifecycle.worker()).isPresent().get().isNotSameAs(first);
            assertRuns(context, "a");
            assertThat(stopped.getCount()).isOne();

            handlers.end.countDown();
            assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(jobs.result(SLOW, "s", Duration.ofSeconds(30))).isEqualTo("done");
            assertThat(lifecycle.isRunning()).isTrue();
            assertRuns(context, "b");
        });
    }

    @Test
    void aContextIsRefreshedOnItsDirectory(@TempDir Path directory) {
        try (AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext()) {
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource(
                            "test",
                            Map.of(
                                    "couch-jobs.database",
                                    directory.resolve("jobs").toString())));
            context.register(CouchJobsAutoConfiguration.class, Handlers.class);
            for (int i = 0; i < 3; i++) {
                context.refresh();
                assertRuns(context, "j" + i);
            }
        }
    }
}
