package dev.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.spring.sample.Mails;
import dev.couchjobs.spring.sample.Mails.Receipt;
import dev.couchjobs.spring.sample.Mails.Welcome;
import dev.couchjobs.spring.sample.MailsJobs;
import dev.couchjobs.spring.sample.SampleApplication;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A directory that one context after the other opens in one process, as with Spring Boot's developer tools. */
@Timeout(360)
class RestartTest {
    @TempDir
    Path directory;

    @Test
    void aStartThatFailsLeavesTheDirectoryToTheNext() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0"))) {
            assertThatThrownBy(() -> start(taken.getLocalPort())).hasRootCauseInstanceOf(BindException.class);
        }
        try (ConfigurableApplicationContext application = start(0)) {
            CouchJobs jobs = application.getBean(CouchJobs.class);
            jobs.add(application.getBean(Database.class), MailsJobs.WELCOME, "w", new Welcome("ann"))
                    .join();

            assertThat(jobs.result(MailsJobs.WELCOME, "w", Duration.ofSeconds(30)))
                    .isEqualTo(new Receipt("sent to ann"));
        }
    }

    private ConfigurableApplicationContext start(int port) {
        return SpringApplication.run(
                SampleApplication.class,
                "--server.port=" + port,
                "--couch-jobs.database=" + directory.resolve("jobs"),
                "--couch-jobs.http.path=/jobs");
    }

    @Test
    void theDeveloperToolsRestartAnApplicationOnItsDirectory() throws Exception {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Restarting.class.getName(),
                        "--couch-jobs.database=" + directory.resolve("jobs"),
                        "--spring.main.web-application-type=none",
                        "--spring.devtools.livereload.enabled=false")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }

        assertThat(output).content().contains("start 1: 1, 1", "start 2: 2, 1", "start 3: 3, 1");
        assertThat(process.exitValue()).isZero();
    }

    /** Runs a job, and restarts itself twice. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Mails.class)
    static class Restarting {
        private static final String STARTS = "starts";
        private static final int STARTS_MAX = 3;

        public static void main(String... arguments) {
            SpringApplication.run(Restarting.class, arguments);
        }

        @Bean
        ApplicationRunner restarts(CouchJobs jobs, Database database) {
            return arguments -> {
                int start = Integer.getInteger(STARTS, 0) + 1;
                System.setProperty(STARTS, Integer.toString(start));
                String name = Integer.toString(start);
                new MailsJobs(jobs).welcome(database, name, new Welcome(name)).join();
                System.out.println("start " + start + ": " + ran(jobs, name) + ", " + ran(jobs, "1"));
                if (start < STARTS_MAX) {
                    new Thread(() -> Restarter.getInstance().restart()).start();
                } else {
                    System.exit(0);
                }
            };
        }

        private static String ran(CouchJobs jobs, String id) {
            assertThat(jobs.result(MailsJobs.WELCOME, id, Duration.ofSeconds(30)))
                    .isEqualTo(new Receipt("sent to " + id));
            return id;
        }
    }
}
