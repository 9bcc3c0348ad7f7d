package dev.couchjobs.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.Databases;
import dev.couchjobs.fdb.embedded.DirectoryInUseException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** What an application prints whose database cannot be opened. */
@Timeout(240)
@ExtendWith(OutputCaptureExtension.class)
class FailedStartTest {
    @TempDir
    Path directory;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    private static void start(Object database) {
        SpringApplication.run(
                        Application.class,
                        "--couch-jobs.database=" + database,
                        "--spring.main.web-application-type=none")
                .close();
    }

    @Test
    void aDirectoryInUseIsNamedWithTheRemedy(CapturedOutput output) {
        Database taken = Databases.directory(directory);
        assertThatThrownBy(() -> start(directory)).hasRootCauseInstanceOf(DirectoryInUseException.class);
        taken.close();

        assertThat(output)
                .contains("APPLICATION FAILED TO START", directory + " is in use by", "set it to memory there")
                .doesNotContain("at dev.couchjobs");
    }

    @Test
    void aClusterFileThatIsNotThereIsNamed(CapturedOutput output) {
        assertThatThrownBy(() -> start(directory.resolve("fdb.cluster")))
                .hasRootCauseInstanceOf(NoSuchFileException.class);

        assertThat(output)
                .contains("APPLICATION FAILED TO START", "There is no cluster file", "couch-jobs.database")
                .doesNotContain("at dev.couchjobs");
    }
}
