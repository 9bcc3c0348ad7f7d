package dev.couchjobs.annotations.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Application;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When an application that used generated classes has closed what it opened, nothing of it is left. */
class ClosedStubsTest {
    private static final String MAILS = """
            package app;

            import dev.couchjobs.annotations.Job;

            /** Handlers. */
            public class Mails {
                /**
                 * A letter.
                 *
                 * @param to the reader
                 */
                public record Mail(String to) {}

                /**
                 * What came of it.
                 *
                 * @param text what
                 */
                public record Receipt(String text) {}

                /** Handlers. */
                public Mails() {}

                @Job(type = "mail")
                Receipt send(Mail mail) {
                    return new Receipt("to " + mail.to());
                }
            }
            """;

    private static final String SENDING = """
            package app;

            import com.apple.foundationdb.Database;
            import dev.couchjobs.CouchJobs;
            import dev.couchjobs.Worker;
            import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
            import java.time.Duration;

            /** Sends a mail. */
            public class Sending implements Runnable {
                /** Made by the test. */
                public Sending() {}

                @Override
                public void run() {
                    try (Database database = EmbeddedDatabase.openInMemory();
                            CouchJobs jobs = CouchJobs.on(database);
                            Worker worker = MailsJobs.handle(jobs.worker(), new Mails()).start()) {
                        new MailsJobs(jobs).send(database, "a", new Mails.Mail("ann")).join();
                        Mails.Receipt receipt = jobs.result(MailsJobs.SEND, "a", Duration.ofMinutes(1));
                        if (!receipt.text().equals("to ann") || worker.stuckSlots() > 0) {
                            throw new AssertionError(receipt);
                        }
                    }
                }
            }
            """;

    @TempDir
    Path output;

    @Test
    void anApplicationWithTheLibraryLeavesNothing() {
        compile();
        Application.withAllClasses(Generated.class).assertLeavesNothing(output);
    }

    @Test
    void anApplicationBesideTheLibraryLeavesNothing() {
        compile();
        for (int i = 0; i < 2; i++) {
            Application.withOwnClasses(Generated.class).assertLeavesNothing(output);
        }
    }

    private void compile() {
        assertThat(Compilation.of(output, MAILS, SENDING).problems()).isEmpty();
    }

    /** Runs what was compiled, whose classes refer to this one's. */
    public static class Generated implements Consumer<Path> {
        @Override
        public void accept(Path compiled) {
            URL[] classPath = new URL[1];
            try {
                classPath[0] = compiled.toUri().toURL();
                try (URLClassLoader classes = new URLClassLoader(classPath, Generated.class.getClassLoader())) {
                    ((Runnable) classes.loadClass("app.Sending")
                                    .getConstructor()
                                    .newInstance())
                            .run();
                }
            } catch (IOException | ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
