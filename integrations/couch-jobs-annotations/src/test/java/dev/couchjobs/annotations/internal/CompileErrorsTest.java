package dev.couchjobs.annotations.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.couchjobs.annotations.Job;
import dev.couchjobs.annotations.Retry;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot work is an error of the compiler, at the place that is wrong, which says what to do. */
class CompileErrorsTest {
    @TempDir
    private Path output;

    private List<String> problems(String members) {
        return Compilation.of(output, """
                        package app;

                        import dev.couchjobs.JobContext;
                        import dev.couchjobs.annotations.Job;
                        import dev.couchjobs.annotations.Retry;
                        import java.util.List;
                        import java.util.concurrent.CompletionStage;

                        abstract class Mails {
                            record Mail(String to) {}
                            record Box<T>(T content) {}
                            private record Secret(String text) {}
                            private static class Lost extends Exception {
                                private static final long serialVersionUID = 1;
                            }
                            class Inner {}
                            abstract static class Shape {}

                            %s
                        }
                        """.formatted(members)).problems();
    }

    static Stream<Arguments> methods() {
        return Stream.of(
                arguments(
                        "private void send(Mail mail) {}",
                        "send(Mail mail) {}",
                        "Method send is private, and the generated class cannot call it: remove private."),
                arguments(
                        "static void send(Mail mail) {}",
                        "send(Mail mail) {}",
                        "Method send is static, and a worker calls it on an object: remove static."),
                arguments(
                        "abstract void send(Mail mail);",
                        "send(Mail mail);",
                        "Method send is abstract: annotate the method that implements it."),
                arguments(
                        "<T> void send(Box<T> box) {}",
                        "send(Box<T> box) {}",
                        "Method send has type parameters, which no stored job can fill: name the type of its data."),
                arguments(
                        "void send(Mail mail) throws Throwable {}",
                        "send(Mail mail) throws Throwable {}",
                        "Method send throws java.lang.Throwable: let it throw Exception."),
                arguments(
                        "void send() {}",
                        "send() {}",
                        "Method send has no parameter for the data of its job: add one, such as a record."),
                arguments(
                        "void send(JobContext<Mail> job) {}",
                        "send(JobContext<Mail> job) {}",
                        "Method send has no parameter for the data of its job: add one, such as a record."),
                arguments(
                        "void send(Mail mail, String copyTo) {}",
                        "copyTo) {}",
                        "A job has one piece of data, which is mail: put copyTo into the same record, or take a"
                                + " JobContext."),
                arguments(
                        "void send(Mail mail, JobContext<String> job) {}",
                        "job) {}",
                        "The data of this job is app.Mails.Mail, and this is another context: write"
                                + " JobContext<app.Mails.Mail>."),
                arguments(
                        "void send(JobContext<Mail> a, Mail mail, JobContext<Mail> b) {}",
                        "b) {}",
                        "Method send has a JobContext already: remove this one."),
                arguments(
                        "void send(Void data) {}",
                        "data) {}",
                        "A job has data, and there is none of class Void: use a record, if need be an empty one."),
                arguments(
                        "void send(Runnable data) {}",
                        "data) {}",
                        "Jackson cannot read java.lang.Runnable, which is an interface: use a record, or name its"
                                + " classes by @JsonTypeInfo and @JsonSubTypes."),
                arguments(
                        "void send(List<Shape[]> data) {}",
                        "data) {}",
                        "Jackson cannot read app.Mails.Shape, which is an abstract class: use a record, or name its"
                                + " classes by @JsonTypeInfo and @JsonSubTypes."),
                arguments(
                        "@SuppressWarnings(\"rawtypes\") void send(Box data) {}",
                        "data) {}",
                        "Jackson cannot read the raw type app.Mails.Box: give it type arguments, such as Box<String>."),
                arguments(
                        "void send(Inner data) {}",
                        "data) {}",
                        "Jackson cannot make the inner class app.Mails.Inner: make it static, or a record."),
                arguments(
                        "void send(Secret data) {}",
                        "data) {}",
                        "The generated class cannot name app.Mails.Secret: make it and its enclosing classes visible in"
                                + " the package."),
                arguments(
                        "Shape send(Mail mail) { return null; }",
                        "send(Mail mail) { return null; }",
                        "Jackson cannot read app.Mails.Shape, which is an abstract class: use a record, or name its"
                                + " classes by @JsonTypeInfo and @JsonSubTypes."),
                arguments(
                        "CompletionStage<Runnable> send(Mail mail) { return null; }",
                        "send(Mail mail) { return null; }",
                        "Jackson cannot read java.lang.Runnable, which is an interface: use a record, or name its"
                                + " classes by @JsonTypeInfo and @JsonSubTypes."),
                arguments(
                        "CompletionStage<?> send(Mail mail) { return null; }",
                        "send(Mail mail) { return null; }",
                        "The type of the result is not known: return a CompletionStage of it, or of Void if there is"
                                + " none."));
    }

    @ParameterizedTest
    @MethodSource("methods")
    void aMethodThatCannotRunJobs(String method, String place, String message) {
        assertThat(problems("@Job(type = \"mail\") " + method)).containsExactly(place + ": " + message);
    }

    static Stream<Arguments> values() {
        return Stream.of(
                arguments("type = \"\"", "\"\"", "The name of this job type is blank: choose a short, stable name."),
                arguments("type = \" \"", "\" \"", "The name of this job type is blank: choose a short, stable name."),
                arguments("type = \"\\ud800\"", "\"\\ud800\"", "The name of a job type has"),
                arguments("type = \"a\", timeout = \"30s\"", "\"30s\"", "\"30s\" is no ISO-8601 duration: write PT30S"),
                arguments("type = \"a\", timeout = \"PT0S\"", "\"PT0S\"", "timeout is a whole number of"),
                arguments("type = \"a\", timeout = \"PT-1S\"", "\"PT-1S\"", "timeout is a whole number of"),
                arguments("type = \"a\", timeLimit = \"5\"", "\"5\"", "\"5\" is no ISO-8601 duration: write PT30S"),
                arguments("type = \"a\", timeLimit = \"PT0S\"", "\"PT0S\"", "A time limit is more than nothing"),
                arguments("type = \"a\", timeLimit = \"-PT1S\"", "\"-PT1S\"", "A time limit is more than nothing"),
                arguments(
                        "type = \"a\", concurrency = 0",
                        "0",
                        "A worker runs at least one job of a type at once; this is 0. Leave concurrency out if there is"
                                + " to be no limit."),
                arguments(
                        "type = \"a\", retry = @Retry(factor = 2, attempts = 0)",
                        "0)",
                        "In a retry policy, attempts is at least 1, for the first attempt; this is 0."),
                arguments(
                        "type = \"a\", retry = @Retry(firstPause = \"1 s\")",
                        "\"1 s\")",
                        "\"1 s\" is no ISO-8601 duration: write PT30S"),
                arguments(
                        "type = \"a\", retry = @Retry(firstPause = \"PT-1S\")",
                        "\"PT-1S\")",
                        "firstPause is from zero to 365 days; this is -1 s."),
                arguments(
                        "type = \"a\", retry = @Retry(longestPause = \"P366D\")",
                        "\"P366D\")",
                        "longestPause is from zero to 365 days"),
                arguments(
                        "type = \"a\", retry = @Retry(factor = 0.5)",
                        "0.5)",
                        "In a retry policy, factor is at least 1; this is 0.5."),
                arguments(
                        "type = \"a\", retry = @Retry(jitter = 2)",
                        "2)",
                        "In a retry policy, jitter is from 0 to 1; this is 2.0."),
                arguments(
                        "type = \"a\", retry = @Retry(doNotRetryOn = {Error.class, Lost.class})",
                        ".class})",
                        "The generated class cannot name app.Mails.Lost: make it and its enclosing classes visible in"
                                + " the package."));
    }

    @ParameterizedTest
    @MethodSource("values")
    void aValueThatTheLibraryWouldRefuse(String values, String place, String message) {
        assertThat(problems("@Job(" + values + ")\nvoid send(Mail mail) {}"))
                .singleElement()
                .asString()
                .startsWith(place)
                .contains(": " + message);
    }

    private static final Set<String> ATTRIBUTES = Stream.of(Job.class, Retry.class)
            .flatMap(annotation -> Stream.of(annotation.getDeclaredMethods()))
            .map(Method::getName)
            .collect(Collectors.toUnmodifiableSet());

    private static final Pattern OPTION = Pattern.compile("\\b(\\w+) is (?:at least|from|one of)|\\b([a-z]+[A-Z]\\w*)");

    /** A reader has written an attribute of an annotation, and no option of a builder. */
    @ParameterizedTest
    @MethodSource("values")
    void anErrorNamesNoOptionButAttributes(String values, String place, String message) {
        String error = problems("@Job(" + values + ")\nvoid send(Mail mail) {}").get(0);
        assertThat(OPTION.matcher(error.substring(place.length()).replaceAll("\\b[a-z]+\\.[A-Za-z.]+", ""))
                        .results()
                        .map(found -> found.group(1) == null ? found.group(2) : found.group(1)))
                .as(error)
                .isSubsetOf(ATTRIBUTES);
    }

    @Test
    void everyAttributeHasAValueThatIsRefused() {
        assertThat(ATTRIBUTES)
                .allSatisfy(attribute -> assertThat(
                                values().map(arguments -> (String) arguments.get()[0]))
                        .anyMatch(values -> values.contains(attribute + " = ")));
    }

    @Test
    void everyErrorIsReported() {
        assertThat(
                        problems(
                                "@Job(type = \"\", concurrency = -1)\nprivate static Shape send(Runnable data) { return null; }"))
                .hasSize(6);
    }

    @Test
    void twoMethodsOfOneType() {
        assertThat(problems("""
                        @Job(type = "mail") void send(Mail mail) {}
                        @Job(type = "mail"
                        ) void sendAgain(Mail mail) {}
                        """))
                .containsExactly("\"mail\": Method app.Mails.send has job type mail already, and two methods of one"
                        + " type would take each other's jobs: choose another name.");
    }

    @Test
    void overloadedMethods() {
        assertThat(problems("""
                        @Job(type = "mail") void send(Mail mail) {}
                        @Job(type = "text") void send(String text) {}
                        """))
                .containsExactly("send(String text) {}: Methods send(app.Mails.Mail) and send(java.lang.String) would"
                        + " both have the constant SEND: rename one of them.");
    }

    static Stream<Arguments> classes() {
        return Stream.of(
                arguments(
                        "final class Outer<T> { @Job(type = \"a\") void run(String data) {} }",
                        "class Outer<T> {",
                        "Class Outer has job methods and type parameters, which no stored job can fill: move the methods"
                                + " to a class without them."),
                arguments(
                        "final class Outer { class Inner { @Job(type = \"a\") void run(String data) {} } }",
                        "class Inner {",
                        "Class Inner has job methods and is an inner class: make it static."),
                arguments(
                        "final class Outer { private static class Inner { static class Inmost {"
                                + " @Job(type = \"a\") void run(String data) {} } } }",
                        "class Inner {",
                        "Class Inner is private, and the generated class cannot use the job methods in it: remove"
                                + " private."),
                arguments(
                        "final class Outer { @Job(type = \"a\") void run(String data) {} } class OuterJobs {}",
                        "class Outer {",
                        "There is a class app.OuterJobs already, and that for the job methods of Outer would have its"
                                + " name: rename one of the two."));
    }

    @ParameterizedTest
    @MethodSource("classes")
    void aClassThatCannotHaveJobs(String source, String place, String message) {
        assertThat(Compilation.of(output, "package app; import dev.couchjobs.annotations.Job;\n" + source)
                        .problems())
                .singleElement()
                .asString()
                .contains(place)
                .endsWith(": " + message);
    }

    /** Only the mistake itself is shown, not that the generated class is missing. */
    @Test
    void callersOfTheClassThatIsNotWrittenHaveNoErrorsOfTheirOwn() {
        assertThat(problems("@Job(type = \"\") void send(Mail mail) {} Object type = MailsJobs.SEND;"))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "@Job(type = \"mail\") void send(Missing data) {}",
                "@Job(type = MISSING) void send(Mail data) {}",
                "@Job(type = \"mail\", concurrency = MISSING) void send(Mail data) {}",
                "@Job(type = \"mail\", retry = MISSING) void send(Mail data) {}",
                "@Job(type = \"mail\", retry = @Retry(attempts = MISSING)) void send(Mail data) {}",
                "@Job(type = \"mail\", retry = @Retry(doNotRetryOn = Missing.class)) void send(Mail data) {}"
            })
    void aNameThatDoesNotExistIsLeftToTheCompiler(String method) {
        assertThat(problems(method))
                .isNotEmpty()
                .allSatisfy(problem -> assertThat(problem)
                        .containsAnyOf("cannot find symbol", "annotation value must be an annotation"));
    }
}
