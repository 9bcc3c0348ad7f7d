package dev.couchjobs.opentelemetry;

import dev.couchjobs.AddResult;
import dev.couchjobs.Environment;
import dev.couchjobs.Job;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobMiddleware;
import dev.couchjobs.NewJob;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Traces additions and attempts. The context of the addition travels with the job, in its headers:
 *
 * <pre>{@code
 * CouchJobs jobs = CouchJobs.builder(database).middleware(JobTracing.on(openTelemetry)).build();
 * }</pre>
 *
 * <table>
 *   <caption>Spans, with the attributes of OpenTelemetry's conventions for messaging</caption>
 *   <tr><th>span</th><th>kind</th><th>when</th><th>parent, links</th></tr>
 *   <tr><td>{@code add <type>}</td><td>PRODUCER</td><td>each {@code add} or {@code addAll}</td><td>the current
 *     span</td></tr>
 *   <tr><td>{@code wait <type>}</td><td>INTERNAL</td><td>from when a job is due until an attempt begins, if that is
 *     known</td><td>child of {@code add}, linked to {@code run}</td></tr>
 *   <tr><td>{@code run <type>}</td><td>CONSUMER</td><td>each attempt of a worker</td><td>a trace of its own, linked to
 *     {@code add}</td></tr>
 * </table>
 *
 * <p>The span of an attempt and the baggage of the addition are current on the thread that calls the handler, until a
 * blocking handler ends or an asynchronous one has returned its stage. Immutable, and safe for use by several threads.
 */
public final class JobTracing implements JobMiddleware {
    private static final int BAGGAGE_BYTES = 1_024;

    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.name");
    private static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    private static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
    private static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");
    private static final AttributeKey<Long> MESSAGES = AttributeKey.longKey("messaging.batch.message_count");
    private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("couchjobs.attempt");
    private static final AttributeKey<Long> CLAIM = AttributeKey.longKey("couchjobs.claim");

    private final Tracer tracer;
    private final TraceHeaders headers;
    private final boolean continuesTraces;
    private final InstantSource clock;

    private JobTracing(Tracer tracer, TraceHeaders headers, boolean continuesTraces, InstantSource clock) {
        this.tracer = tracer;
        this.headers = headers;
        this.continuesTraces = continuesTraces;
        this.clock = clock;
    }

    /**
     * {@return middleware that traces by an OpenTelemetry, whose propagators write and read the headers}
     *
     * @param openTelemetry an SDK, or that of the agent
     */
    public static JobTracing on(OpenTelemetry openTelemetry) {
        return new JobTracing(
                openTelemetry.getTracer("dev.couchjobs"),
                new TraceHeaders(openTelemetry.getPropagators().getTextMapPropagator(), BAGGAGE_BYTES),
                false,
                Environment.system().clock());
    }

    /**
     * This tracing with another bound for baggage: how many bytes of headers it may take. Baggage that takes more does
     * not travel; the trace does.
     *
     * @param bytes from 0 for none; by default 1,024
     * @return the tracing
     * @throws IllegalArgumentException if it is negative
     */
    public JobTracing baggageBytes(int bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("baggageBytes is 0 or more; this is " + bytes + ".");
        }
        return new JobTracing(tracer, new TraceHeaders(headers.propagator(), bytes), continuesTraces, clock);
    }

    /** {@return this tracing with attempts as children of the addition, in its trace, in place of links} */
    public JobTracing continuingTraces() {
        return new JobTracing(tracer, headers, true, clock);
    }

    JobTracing at(InstantSource otherClock) {
        return new JobTracing(tracer, headers, continuesTraces, otherClock);
    }

    @Override
    public CompletionStage<List<AddResult>> add(List<? extends NewJob<?>> jobs, Addition next) {
        List<String> types =
                jobs.stream().map(job -> job.type().name()).distinct().toList();
        SpanBuilder builder =
                builder("add", "send", types.size() == 1 ? types.get(0) : null).setSpanKind(SpanKind.PRODUCER);
        if (jobs.size() > 1) {
            builder.setAttribute(MESSAGES, (long) jobs.size());
        }
        Span span = builder.startSpan();
        Context context = Context.current().with(span);
        Map<String, String> written = headers.of(context, clock.millis());
        List<NewJob<?>> carrying = jobs.stream()
                .<NewJob<?>>map(job -> TraceHeaders.with(job, written))
                .toList();
        return context.wrapSupplier(() -> next.add(carrying)).get().whenComplete((results, error) -> {
            if (error == null && results.size() == 1) {
                span.setAttribute(MESSAGE_ID, results.get(0).jobId());
            }
            end(span, error);
        });
    }

    @Override
    public CompletionStage<? extends @Nullable Object> run(JobContext<?> context, Attempt next) {
        Job<?> job = context.job();
        Context origin = headers.context(job.headers());
        SpanContext addition = Span.fromContext(origin).getSpanContext();
        SpanBuilder builder = builder("run", "process", job.type().name())
                .setSpanKind(SpanKind.CONSUMER)
                .setAttribute(MESSAGE_ID, job.id())
                .setAttribute(ATTEMPT, (long) context.attempt())
                .setAttribute(CLAIM, context.claim());
        if (continuesTraces) {
            builder.setParent(origin);
        } else {
            builder.setNoParent();
            if (addition.isValid()) {
                builder.addLink(addition);
            }
        }
        Span span = builder.startSpan();
        if (addition.isValid()) {
            traceWait(context, origin, span.getSpanContext());
        }
        return origin.with(span).wrapSupplier(next::run).get().whenComplete((result, error) -> end(span, error));
    }

    /** Traces the time since a job is due. The scheduled time of a job that has failed is that of its next attempt. */
    private void traceWait(JobContext<?> context, Context origin, SpanContext attempt) {
        Job<?> job = context.job();
        OptionalLong added = TraceHeaders.added(job.headers());
        long scheduled = job.scheduledTime().map(Instant::toEpochMilli).orElse(0L);
        boolean isFirst = context.claim() == 1;
        if (added.isEmpty() || (!isFirst && scheduled == 0)) {
            return;
        }
        Instant due = Instant.ofEpochMilli(Math.max(added.getAsLong(), scheduled));
        Instant now = clock.instant();
        if (due.isAfter(now)) { // the clocks of two machines
            return;
        }
        builder("wait", null, job.type().name())
                .setParent(origin)
                .addLink(attempt)
                .setAttribute(MESSAGE_ID, job.id())
                .setAttribute(ATTEMPT, (long) context.attempt())
                .setStartTimestamp(due)
                .startSpan()
                .end(now);
    }

    private SpanBuilder builder(String operation, @Nullable String operationType, @Nullable String jobType) {
        SpanBuilder builder = tracer.spanBuilder(jobType == null ? operation : operation + " " + jobType)
                .setAttribute(SYSTEM, "couch_jobs")
                .setAttribute(OPERATION, operation);
        if (operationType != null) {
            builder.setAttribute(OPERATION_TYPE, operationType);
        }
        if (jobType != null) {
            builder.setAttribute(DESTINATION, jobType);
        }
        return builder;
    }

    private static void end(Span span, @Nullable Throwable error) {
        if (error != null) {
            Throwable cause = cause(error);
            span.recordException(cause);
            span.setStatus(StatusCode.ERROR);
            span.setAttribute(ERROR_TYPE, cause.getClass().getName());
        }
        span.end();
    }

    private static Throwable cause(Throwable error) {
        Throwable cause = error;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
