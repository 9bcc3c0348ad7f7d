package dev.couchjobs.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.fdb.testing.Application;
import dev.couchjobs.spring.WorkerCustomizer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * When a context is closed, no thread of couch-jobs is left, and no class of the application.
 *
 * <p>The application brings Spring, too, whose own static state holds the class loader of the first context.
 */
@Timeout(240)
class ClosedContextTest {
    @Test
    void anApplicationLeavesNothing(@TempDir Path directory) {
        Application.withAllClasses(Mailing.class).assertLeavesNothing(directory);
    }

    public record Letter(String to) {}

    public record Receipt(String from) {}

    private static final JobType<Letter, Receipt> MAIL = JobType.of("mail", Letter.class, Receipt.class);

    /** Runs a job. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Mailing implements Consumer<Path> {
        @Bean
        WorkerCustomizer mail() {
            return worker -> worker.handle(MAIL, job -> new Receipt(job.data().to()));
        }

        @Override
        public void accept(Path directory) {
            try (ConfigurableApplicationContext context = SpringApplication.run(
                    Mailing.class,
                    "--couch-jobs.database=" + directory.resolve("jobs"),
                    "--spring.main.web-application-type=none",
                    "--spring.main.register-shutdown-hook=false",
                    "--logging.register-shutdown-hook=false",
                    "--spring.main.banner-mode=off",
                    "--logging.level.root=off")) {
                CouchJobs jobs = context.getBean(CouchJobs.class);
                Database database = context.getBean(Database.class);
                jobs.add(database, MAIL, "a", new Letter("ann")).join();
                assertThat(jobs.result(MAIL, "a", Duration.ofSeconds(30))).isEqualTo(new Receipt("ann"));
            }
        }
    }
}
