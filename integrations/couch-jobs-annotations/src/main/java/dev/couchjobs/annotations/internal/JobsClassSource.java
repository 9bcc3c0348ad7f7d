package dev.couchjobs.annotations.internal;

import dev.couchjobs.RetryPolicy;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/**
 * The text of a generated class. It names all types in full, so that no class of the user's can be meant in place of
 * another.
 */
final class JobsClassSource {
    private final Elements elements;
    private final Types types;
    private final Handlers handlers;
    private final String visibility;
    private final String handlersName;

    JobsClassSource(Elements elements, Types types, Handlers handlers) {
        this.elements = elements;
        this.types = types;
        this.handlers = handlers;
        this.visibility = handlers.isPublic() ? "public " : "";
        this.handlersName = handlers.type().getQualifiedName().toString();
    }

    String text() {
        return packageLine()
                + """
                /** The job types of {@code %1$s}, and stubs that add jobs. Safe for use by several threads. */
                %2$s@SuppressWarnings({"deprecation", "exports", "removal"})
                %3$sfinal class %4$s {
                %5$s    private final dev.couchjobs.CouchJobs jobs;

                    /**
                     * Enqueues jobs by an instance.
                     *
                     * @param jobs the instance
                     */
                    public %4$s(dev.couchjobs.CouchJobs jobs) {
                        this.jobs = java.util.Objects.requireNonNull(jobs, "jobs");
                    }

                %6$s    /**
                     * Binds the job methods of an object to a worker, with the limits that they declare.
                     *
                     * @param worker the worker
                     * @param handlers the object, whose methods several threads call at once
                     * @return the worker
                     * @throws IllegalArgumentException if it has a handler of one of the types already
                     */
                    public static dev.couchjobs.WorkerBuilder handle(
                            dev.couchjobs.WorkerBuilder worker, %1$s handlers) {
                        java.util.Objects.requireNonNull(handlers, "handlers");
                %7$s        return worker;
                    }

                    /** Binds the methods for {@link java.util.ServiceLoader}. */
                    public static final class Binding implements dev.couchjobs.annotations.JobBinding {
                        /** For {@link java.util.ServiceLoader}. */
                        public Binding() {}

                        @Override
                        public java.lang.Class<?> handlers() {
                            return %1$s.class;
                        }

                        @Override
                        public java.util.List<dev.couchjobs.JobType<?, ?>> types() {
                            return java.util.List.of(%8$s);
                        }

                        @Override
                        public void bind(dev.couchjobs.WorkerBuilder worker, java.lang.Object handlers) {
                            handle(worker, (%1$s) handlers);
                        }
                    }
                }
                """.formatted(
                        handlersName,
                        generatedAnnotation(),
                        visibility,
                        handlers.generatedName(),
                        each(this::constant),
                        each(this::stubs),
                        each(this::binding),
                        handlers.methods().stream().map(JobMethod::constant).collect(Collectors.joining(", ")));
    }

    private String packageLine() {
        return handlers.packageName().isEmpty() ? "" : "package " + handlers.packageName() + ";\n\n";
    }

    /** A module that does not read {@code java.compiler} has no such annotation. */
    private String generatedAnnotation() {
        String annotation = "javax.annotation.processing.Generated";
        return elements.getTypeElement(elements.getModuleOf(handlers.type()), annotation) == null
                ? ""
                : "@" + annotation + "(\"" + JobsAnnotationProcessor.class.getName() + "\")\n";
    }

    private String each(Function<JobMethod, String> part) {
        return handlers.methods().stream().map(part).collect(Collectors.joining());
    }

    private String constant(JobMethod method) {
        String result = method.result().map(TypeNames::of).orElse("java.lang.Void");
        return """
                    /** The jobs of {@code %s}. */
                    public static final dev.couchjobs.JobType<%s, %s> %s =
                            dev.couchjobs.JobType.of(%s)%s;

                """.formatted(
                        method.name(),
                        TypeNames.of(method.data()),
                        result,
                        method.constant(),
                        typeArguments(method),
                        settings(method.settings()));
    }

    private String typeArguments(JobMethod method) {
        Stream<TypeMirror> payloads = Stream.concat(Stream.of(method.data()), method.result().stream());
        boolean isGeneric = Stream.concat(Stream.of(method.data()), method.result().stream())
                .anyMatch(type -> TypeNames.of(type).contains("<"));
        return Stream.concat(
                        Stream.of(literal(method.settings().type())),
                        payloads.map(TypeNames::of)
                                .map(name -> isGeneric
                                        ? "new tools.jackson.core.type.TypeReference<" + name + ">() {}"
                                        : name + ".class"))
                .collect(Collectors.joining(", "));
    }

    private String settings(JobSettings settings) {
        StringBuilder calls = new StringBuilder();
        settings.timeout().ifPresent(timeout -> calls.append(call("activityTimeout", duration(timeout))));
        if (!settings.retry().equals(RetryPolicy.standard())) {
            calls.append(call("retry", retry(settings.retry())));
        }
        if (!settings.doNotRetryOn().isEmpty()) {
            calls.append(call(
                    "doNotRetryOn",
                    settings.doNotRetryOn().stream()
                            .map(error -> TypeNames.of(types.erasure(error)) + ".class")
                            .collect(Collectors.joining(", "))));
        }
        return calls.toString();
    }

    private static String call(String method, String argument) {
        return "\n                    .%s(%s)".formatted(method, argument);
    }

    private String retry(RetryPolicy policy) {
        return "new dev.couchjobs.RetryPolicy(%s)"
                .formatted(Stream.of(
                                policy.maxAttempts(),
                                duration(policy.initialDelay()),
                                policy.factor(),
                                duration(policy.maxDelay()),
                                policy.jitter())
                        .map(Object::toString)
                        .collect(Collectors.joining(", ")));
    }

    private String duration(Duration duration) {
        return "java.time.Duration.parse(" + literal(duration.toString()) + ")";
    }

    private String literal(String text) {
        return elements.getConstantExpression(text);
    }

    private String stubs(JobMethod method) {
        return """
                    /**
                     * Adds a job that may run at once, as {@code CouchJobs.add} does.
                     *
                     * @param context a database, or a transaction to join
                     * @param id the id of the job, unique within its type
                     * @param data the data of the job
                     * @return the result
                     * @throws dev.couchjobs.PayloadException if the data cannot be stored
                     */
                    public java.util.concurrent.CompletableFuture<dev.couchjobs.AddResult> %1$s(
                            com.apple.foundationdb.TransactionContext context, java.lang.String id, %3$s data) {
                        return jobs.add(context, %2$s, id, data);
                    }

                    /**
                     * Adds a job with options, such as a scheduled time. A job without an id gets a new one.
                     *
                     * @param context a database, or a transaction to join
                     * @param data the data of the job
                     * @param options sets the options
                     * @return the result
                     * @throws dev.couchjobs.PayloadException if the data cannot be stored
                     */
                    public java.util.concurrent.CompletableFuture<dev.couchjobs.AddResult> %1$s(
                            com.apple.foundationdb.TransactionContext context,
                            %3$s data,
                            java.util.function.UnaryOperator<dev.couchjobs.NewJob<%3$s>> options) {
                        return jobs.add(context, options.apply(dev.couchjobs.NewJob.of(%2$s, data)));
                    }

                """.formatted(method.name(), method.constant(), TypeNames.of(method.data()));
    }

    private String binding(JobMethod method) {
        StringBuilder calls = new StringBuilder();
        String constant = method.constant();
        calls.append("        worker.%s(%s, job -> handlers.%s(%s));\n"
                .formatted(method.verb(), constant, method.name(), method.arguments()));
        method.settings()
                .concurrency()
                .ifPresent(jobs -> calls.append("        worker.concurrency(%s, %d);\n".formatted(constant, jobs)));
        method.settings()
                .timeLimit()
                .ifPresent(limit ->
                        calls.append("        worker.timeLimit(%s, %s);\n".formatted(constant, duration(limit))));
        return calls.toString();
    }
}
