package dev.couchjobs.annotations.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.couchjobs.JobType;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.annotations.Job;
import dev.couchjobs.annotations.JobBinding;
import dev.couchjobs.annotations.Retry;
import dev.couchjobs.testing.JobsTestKit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is generated for annotated methods compiles without a warning, and runs their jobs. */
@Timeout(60)
class GeneratedClassTest {
    private static final String MAILS = """
            package app;

            import dev.couchjobs.JobContext;
            import dev.couchjobs.annotations.Job;
            import dev.couchjobs.annotations.Retry;
            import java.util.List;
            import java.util.Map;
            import java.util.concurrent.CompletableFuture;
            import java.util.concurrent.CompletionStage;

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

                private int tries;

                /** Handlers. */
                public Mails() {}

                @Job(
                        type = "mail",
                        timeout = "PT1M",
                        retry = @Retry(
                                attempts = 3,
                                firstPause = "PT5S",
                                factor = 2,
                                longestPause = "PT6S",
                                jitter = 0,
                                doNotRetryOn = {IllegalStateException.class, Error.class}))
                Receipt send(Mail mail) throws Exception {
                    if (mail.to().isEmpty()) {
                        throw new IllegalStateException("no reader");
                    }
                    if (mail.to().equals("bob") && ++tries < 3) {
                        throw new Exception("try " + tries);
                    }
                    return new Receipt("to " + mail.to() + ", try " + tries);
                }

                @Job(type = "\\"naïve\\" */ type")
                protected int withContext(JobContext<Mail> job, Mail mail) {
                    return job.attempt() + mail.to().length();
                }

                @Job(type = "many")
                Map<String, Integer> countAll(List<? extends CharSequence> words) {
                    return Map.of("words", words.size(), "letters", words.get(0).length());
                }

                @Job(type = "nothing")
                void doNothing(int number) {}

                @Job(type = "later", concurrency = 2, timeLimit = "PT30S")
                CompletionStage<? extends Receipt> later(Mail[] mails) {
                    return CompletableFuture.completedStage(new Receipt("to " + mails.length));
                }

                @Job(type = "later-nothing")
                @Deprecated
                CompletableFuture<Void> parseURLLater(Mail mail) {
                    return CompletableFuture.completedFuture(null);
                }
            }
            """;

    private static final String NESTED = """
            package app;

            final class Outer {
                static final class Inner {
                    @dev.couchjobs.annotations.Job(type = "shout")
                    String shout(String word) {
                        return word.toUpperCase(java.util.Locale.ROOT);
                    }
                }
            }
            """;

    private static final String SCENARIO = """
            package app;

            import static org.assertj.core.api.Assertions.assertThat;
            import static org.assertj.core.api.Assertions.assertThatThrownBy;

            import com.apple.foundationdb.Database;
            import dev.couchjobs.AddResult.Change;
            import dev.couchjobs.JobType;
            import dev.couchjobs.RetryPolicy;
            import dev.couchjobs.testing.JobsTestKit;
            import java.time.Duration;
            import java.util.List;

            final class Scenario implements java.util.function.Consumer<JobsTestKit> {
                @Override
                public void accept(JobsTestKit kit) {
                    Database database = kit.database();
                    MailsJobs stubs = new MailsJobs(kit.jobs());
            %s
                }
            }
            """;

    @TempDir
    private Path output;

    /** Compiles the handlers and a scenario, which is run with a kit. */
    private void run(String body) throws Exception {
        Compilation compilation = Compilation.of(output, MAILS, SCENARIO.formatted(body));
        assertThat(compilation.problems()).isEmpty();
        try (URLClassLoader loader = compilation.loader();
                JobsTestKit kit = JobsTestKit.forTypes()) {
            scenario(loader).accept(kit);
        }
    }

    @SuppressWarnings("unchecked")
    private static Consumer<JobsTestKit> scenario(ClassLoader loader) throws ReflectiveOperationException {
        return (Consumer<JobsTestKit>) instance(loader.loadClass("app.Scenario"));
    }

    private static Object instance(Class<?> type) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    @Test
    void aStubAddsAJobInTheTransactionOfTheCaller() throws Exception {
        run("""
            kit.work(worker -> MailsJobs.handle(worker, new Mails()));
            assertThatThrownBy(() -> database.run(tx -> {
                stubs.send(tx, "m-1", new Mails.Mail("ann")).join();
                throw new IllegalStateException("rolled back");
            })).hasMessageContaining("rolled back");
            kit.assertNothingEnqueued(MailsJobs.SEND);

            Change change = database.run(tx -> {
                tx.set(new byte[] {1}, new byte[] {2});
                return stubs.send(tx, "m-1", new Mails.Mail("ann")).join().change();
            });
            kit.runDue();

            assertThat(change).isEqualTo(Change.ADDED);
            assertThat(kit.result(MailsJobs.SEND, "m-1")).isEqualTo(new Mails.Receipt("to ann, try 0"));
            """);
    }

    @Test
    void aStubTakesOptions() throws Exception {
        run("""
            kit.work(worker -> MailsJobs.handle(worker, new Mails()));
            String id = stubs.withContext(
                            database, new Mails.Mail("ann"), job -> job.at(kit.now().plusSeconds(60)).priority(7))
                    .join()
                    .jobId();
            kit.runDue();
            kit.assertEnqueued(MailsJobs.WITH_CONTEXT, new Mails.Mail("ann"));
            assertThat(kit.jobs().getJob(database, MailsJobs.WITH_CONTEXT, id).join().orElseThrow().priority())
                    .isEqualTo(7);

            kit.advance(Duration.ofSeconds(61));
            assertThat(kit.result(MailsJobs.WITH_CONTEXT, id)).isEqualTo(4);
            """);
    }

    @Test
    void dataAndResultsMayBeNumbersArraysCollectionsAndNothing() throws Exception {
        run("""
            kit.work(worker -> MailsJobs.handle(worker, new Mails()));
            Mails.Mail mail = new Mails.Mail("ann");
            stubs.countAll(database, "c", List.of("three", "small", "words")).join();
            stubs.doNothing(database, "n", 5).join();
            stubs.later(database, "l", new Mails.Mail[] {mail, mail}).join();
            stubs.parseURLLater(database, "p", mail).join();
            kit.runDue();

            assertThat(kit.result(MailsJobs.COUNT_ALL, "c")).containsEntry("words", 3).containsEntry("letters", 5);
            assertThat(kit.result(MailsJobs.DO_NOTHING, "n")).isNull();
            assertThat(kit.result(MailsJobs.LATER, "l")).isEqualTo(new Mails.Receipt("to 2"));
            assertThat(kit.result(MailsJobs.PARSE_URL_LATER, "p")).isNull();
            assertThat(MailsJobs.DO_NOTHING.resultType()).isEqualTo(Void.class);
            """);
    }

    @Test
    void aJobIsTriedAgainAsTheAnnotationSays() throws Exception {
        run("""
            kit.work(worker -> MailsJobs.handle(worker, new Mails()));
            stubs.send(database, "b", new Mails.Mail("bob")).join();
            kit.runDue();
            kit.advance(Duration.ofSeconds(5));
            kit.assertEnqueued(MailsJobs.SEND, new Mails.Mail("bob"));
            kit.advance(Duration.ofSeconds(7));
            assertThat(kit.result(MailsJobs.SEND, "b")).isEqualTo(new Mails.Receipt("to bob, try 3"));

            stubs.send(database, "e", new Mails.Mail("")).join();
            kit.runDue();
            assertThatThrownBy(() -> kit.result(MailsJobs.SEND, "e")).hasMessageContaining("no reader");
            """);
    }

    @Test
    void aTypeHasTheSettingsOfTheAnnotationOrTheDefaultsOfTheLibrary() throws Exception {
        run("""
            assertThat(MailsJobs.SEND.name()).isEqualTo("mail");
            assertThat(MailsJobs.SEND.activityTimeout()).isEqualTo(Duration.ofMinutes(1));
            assertThat(MailsJobs.SEND.retry())
                    .isEqualTo(new RetryPolicy(3, Duration.ofSeconds(5), 2, Duration.ofSeconds(6), 0));
            assertThat(MailsJobs.SEND.isRetried(new IllegalStateException())).isFalse();
            assertThat(MailsJobs.SEND.isRetried(new IllegalArgumentException())).isTrue();
            JobType<Mails.Mail, Integer> same =
                    JobType.of("\\"naïve\\" */ type", Mails.Mail.class, Integer.class);
            assertThat(MailsJobs.WITH_CONTEXT).isEqualTo(same);
            assertThat(MailsJobs.WITH_CONTEXT.activityTimeout()).isEqualTo(same.activityTimeout());
            assertThat(MailsJobs.WITH_CONTEXT.retry()).isEqualTo(same.retry());
            """);
    }

    /** The defaults that the annotations show are those of the library, which the generated class leaves out. */
    @Test
    void theDefaultsOfTheAnnotationsAreThoseOfTheLibrary() throws Exception {
        assertThat(Duration.parse((String) Job.class.getMethod("timeout").getDefaultValue()))
                .isEqualTo(JobType.of("any", Object.class).activityTimeout());
        assertThat(new RetryPolicy(
                        (int) retryDefault("attempts"),
                        Duration.parse((String) retryDefault("firstPause")),
                        (double) retryDefault("factor"),
                        Duration.parse((String) retryDefault("longestPause")),
                        (double) retryDefault("jitter")))
                .isEqualTo(RetryPolicy.standard());
    }

    private static Object retryDefault(String name) throws NoSuchMethodException {
        return Retry.class.getMethod(name).getDefaultValue();
    }

    @Test
    void theLimitsOfTheAnnotationReachTheWorker() throws Exception {
        run("""
            Mails slow = new Mails() {
                @Override
                java.util.concurrent.CompletionStage<Mails.Receipt> later(Mails.Mail[] mails) {
                    return new java.util.concurrent.CompletableFuture<>();
                }
            };
            kit.work(worker -> MailsJobs.handle(worker, slow));
            for (int i = 0; i < 5; i++) {
                stubs.later(database, "l-" + i, new Mails.Mail[0]).join();
            }
            kit.runDue();
            assertThat(kit.jobs().counts(database, MailsJobs.LATER).join().running()).isEqualTo(2);

            kit.advance(Duration.ofSeconds(31));
            assertThat(kit.jobs().getJob(database, MailsJobs.LATER, "l-0").join().orElseThrow().error().orElseThrow())
                    .contains("30 s");
            """);
    }

    @Test
    void aServiceLoaderFindsTheBindingOfEachClass() throws Exception {
        Compilation compilation = Compilation.of(output, MAILS, NESTED);
        assertThat(compilation.problems()).isEmpty();
        try (URLClassLoader loader = compilation.loader();
                JobsTestKit kit = JobsTestKit.forTypes()) {
            List<JobBinding> bindings = ServiceLoader.load(JobBinding.class, loader).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();
            assertThat(bindings)
                    .extracting(each -> each.handlers().getName())
                    .containsExactly("app.Mails", "app.Outer$Inner");
            JobBinding nested = bindings.get(1);
            Object handlers = instance(nested.handlers());
            JobType<?, ?> shout = nested.types().get(0);
            kit.work(worker -> {
                nested.bind(worker, handlers);
                return worker;
            });
            kit.jobs()
                    .add(kit.database(), JobType.of(shout.name(), String.class), "s", "hello")
                    .join();
            kit.runDue();

            assertThat(kit.<Object>result(JobType.of(shout.name(), String.class, Object.class), "s"))
                    .isEqualTo("HELLO");
            assertThatThrownBy(() -> nested.bind(kit.jobs().worker(), "no handlers"))
                    .isInstanceOf(ClassCastException.class);
        }
    }

    /** As an IDE compiles what has changed: one class, with the output of the others there. */
    @Test
    void theBindingsOfClassesThatAreNotCompiledAgainRemain() throws Exception {
        assertThat(Compilation.of(output, MAILS, NESTED).problems()).isEmpty();
        Path file = output.resolve("META-INF/services/dev.couchjobs.annotations.JobBinding");
        Files.writeString(file, "app.GoneJobs$Binding\n", StandardOpenOption.APPEND);

        assertThat(Compilation.of(output, NESTED).problems()).isEmpty();

        assertThat(Files.readAllLines(file)).containsExactly("app.MailsJobs$Binding", "app.Outer_InnerJobs$Binding");
    }

    @Test
    void aClassIsAsVisibleAsItsHandlers() throws Exception {
        Compilation compilation = Compilation.of(output, MAILS, NESTED);
        try (URLClassLoader loader = compilation.loader()) {
            assertThat(loader.loadClass("app.MailsJobs").getModifiers() & Modifier.PUBLIC)
                    .isNotZero();
            assertThat(loader.loadClass("app.Outer_InnerJobs").getModifiers() & Modifier.PUBLIC)
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "record Mails(String from) { @Job(type = \"a\") void run(String data) {} }",
                "enum Mails { ONE; @Job(type = \"a\") void run(String data) {} }",
                "interface Mails { @Job(type = \"a\") default void run(String data) {} }",
                "abstract class Mails { @Job(type = \"a\") void run(String data) {} abstract void other(); }",
                "final class Mails { @Job(type = \"a\") void handle(Mails data) {} }",
                "final class Mails { @Job(type = \"a\") void equals(String jobs) throws java.io.IOException {} }",
                "final class Couch { @Job(type = \"a\") Binding run(String data) { return null; } record Binding() {} }"
            })
    void handlersMayBe(String source) {
        assertThat(Compilation.of(output, "import dev.couchjobs.annotations.Job;\n" + source)
                        .problems())
                .isEmpty();
    }

    /** Another processor may write the record that a method takes. */
    @Test
    void aMethodMayTakeWhatAnotherProcessorWrites() {
        assertThat(Compilation.of(output, List.of(new RecordWriter(), new JobsAnnotationProcessor()), """
                                package app;

                                final class Late {
                                    @dev.couchjobs.annotations.Job(type = "late")
                                    void run(Written data, dev.couchjobs.JobContext<Written> job) {}
                                }
                                """)
                        .problems())
                .isEmpty();
        assertThat(output.resolve("app/LateJobs.class")).exists();
    }

    /** Another processor may write the constants and errors that an annotation names. */
    @Test
    void anAnnotationMayNameWhatAnotherProcessorWrites() throws Exception {
        assertThat(Compilation.of(output, List.of(new RecordWriter(), new JobsAnnotationProcessor()), """
                                package app;

                                final class Late {
                                    @dev.couchjobs.annotations.Job(
                                            type = "a " + Written.NAME,
                                            timeout = Written.TIME,
                                            concurrency = Written.NUMBER,
                                            retry = @dev.couchjobs.annotations.Retry(
                                                    attempts = Written.NUMBER,
                                                    doNotRetryOn = {Error.class, Written.Refused.class}))
                                    void run(String data) {}
                                }
                                """)
                        .problems())
                .isEmpty();
        assertThat(output.resolve("app/LateJobs.java"))
                .content()
                .contains("JobType.of(\"a job\"", "parse(\"PT7S\")", "concurrency(RUN, 3)", "RetryPolicy(3, ")
                .contains("doNotRetryOn(java.lang.Error.class, app.Written.Refused.class)");
    }

    /** Writes the record {@code app.Written}. */
    @SupportedAnnotationTypes("*")
    private static final class RecordWriter extends AbstractProcessor {
        private boolean isWritten;

        @Override
        public SourceVersion getSupportedSourceVersion() {
            return SourceVersion.latestSupported();
        }

        @Override
        public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
            if (!isWritten) {
                isWritten = true;
                try (Writer writer =
                        processingEnv.getFiler().createSourceFile("app.Written").openWriter()) {
                    writer.write("""
                            package app;

                            record Written(String text) {
                                static final String NAME = "job";
                                static final String TIME = "PT7S";
                                static final int NUMBER = 3;

                                static final class Refused extends RuntimeException {
                                    private static final long serialVersionUID = 1;
                                }
                            }
                            """);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return false;
        }
    }

    @Test
    void aModuleMayExportTheClassAndProvideItsBinding() {
        assertThat(Compilation.of(output, """
                                /** Mails. */
                                module mails {
                                    requires java.compiler;
                                    exports app;
                                    provides dev.couchjobs.annotations.JobBinding with app.MailsJobs.Binding;
                                }
                                """, """
                                package app;

                                /** Sends mails. */
                                @SuppressWarnings("exports")
                                public final class Mails {
                                    /** Makes one. */
                                    public Mails() {}

                                    /**
                                     * Sends one.
                                     *
                                     * @param data it
                                     */
                                    @dev.couchjobs.annotations.Job(type = "mail")
                                    public void send(String data) {}
                                }
                                """).problems()).isEmpty();
    }

    @Test
    void compilersFindTheProcessor() {
        assertThat(ServiceLoader.load(Processor.class)).hasAtLeastOneElementOfType(JobsAnnotationProcessor.class);
    }
}
