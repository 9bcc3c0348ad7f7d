package dev.couchjobs.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.JobType;
import dev.couchjobs.JobsListener;
import dev.couchjobs.NewJob;
import dev.couchjobs.PermanentFailureException;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Worker;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.context.propagation.TextMapSetter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Additions, waits and attempts are spans, and the context of an addition is that of its attempts. */
@Timeout(60)
class JobTracingTest {
    private static final JobType<Integer, Integer> MAIL = JobType.of("mail", Integer.class, Integer.class)
            .retry(RetryPolicy.standard().attempts(2).backoff(Duration.ZERO, 1, Duration.ZERO));
    private static final NewJob<Integer> JOB = NewJob.of(MAIL, 1).id("m1");
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    private final InMemorySpanExporter spans = InMemorySpanExporter.create();
    private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build())
            .setPropagators(ContextPropagators.create(TextMapPropagator.composite(
                    W3CTraceContextPropagator.getInstance(), W3CBaggagePropagator.getInstance())))
            .build();
    private final JobTracing tracing = JobTracing.on(telemetry);
    private final Database database = EmbeddedDatabase.openInMemory();
    private final List<CouchJobs> opened = new ArrayList<>();

    @AfterEach
    void close() {
        opened.forEach(CouchJobs::close);
        database.close();
        telemetry.close();
    }

    private CouchJobs traced(JobTracing by) {
        CouchJobs jobs = CouchJobs.builder(database).middleware(by).build();
        opened.add(jobs);
        return jobs;
    }

    /** Runs a worker until a number of attempts have ended. */
    private void run(JobTracing by, int attempts, Consumer<WorkerBuilder> settings) {
        CountDownLatch ends = new CountDownLatch(attempts);
        JobsListener counting = new JobsListener() {
            @Override
            public void ended(Ended event) {
                ends.countDown();
            }
        };
        try (CouchJobs jobs =
                CouchJobs.builder(database).middleware(by).listener(counting).build()) {
            WorkerBuilder worker = jobs.worker();
            settings.accept(worker);
            try (Worker started = worker.start()) {
                assertThat(ends.await(30, TimeUnit.SECONDS)).as("%s", started).isTrue();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void within(Context context, Runnable action) {
        context.wrap(action).run();
    }

    private List<SpanData> named(String name) {
        return spans.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .toList();
    }

    private SpanData one(String name) {
        assertThat(named(name)).hasSize(1);
        return named(name).get(0);
    }

    private static Map<String, Object> attributes(SpanData span) {
        Map<String, Object> all = new TreeMap<>();
        span.getAttributes().forEach((key, value) -> all.put(key.getKey(), value));
        return all;
    }

    private Map<String, String> headers(String jobId) {
        return traced(tracing)
                .getJob(database, MAIL, jobId)
                .join()
                .orElseThrow()
                .headers();
    }

    @Test
    void anAdditionIsAProducersSpanBelowTheCallersAndTravelsWithTheJob() {
        Span caller = telemetry.getTracer("test").spanBuilder("caller").startSpan();

        within(
                Context.root().with(caller),
                () -> traced(tracing).add(database, JOB.header("own", "kept")).join());

        SpanData add = one("add mail");
        assertThat(add.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(add.getParentSpanId()).isEqualTo(caller.getSpanContext().getSpanId());
        assertThat(add.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(attributes(add))
                .isEqualTo(Map.of(
                        "messaging.system", "couch_jobs",
                        "messaging.operation.name", "add",
                        "messaging.operation.type", "send",
                        "messaging.destination.name", "mail",
                        "messaging.message.id", "m1"));
        assertThat(headers("m1"))
                .containsEntry("own", "kept")
                .containsOnlyKeys("couchjobs-added", "own", "traceparent");
        assertThat(headers("m1").get("traceparent")).startsWith("00-" + add.getTraceId() + "-" + add.getSpanId() + "-");
    }

    @Test
    void jobsThatAreAddedTogetherShareASpan() {
        JobType<Integer, Integer> other = JobType.of("other", Integer.class, Integer.class);

        traced(tracing).addAll(database, List.of(JOB, JOB.id("m2"))).join();
        traced(tracing)
                .addAll(database, List.of(JOB.id("m3"), NewJob.of(other, 1)))
                .join();

        SpanData ofOneType = one("add mail");
        assertThat(attributes(ofOneType)).containsEntry("messaging.batch.message_count", 2L);
        assertThat(attributes(ofOneType)).doesNotContainKey("messaging.message.id");
        assertThat(headers("m1").get("traceparent"))
                .contains(ofOneType.getSpanId())
                .isEqualTo(headers("m2").get("traceparent"));
        assertThat(attributes(one("add"))).doesNotContainKey("messaging.destination.name");
    }

    @Test
    void anAdditionThatFailsIsAnError() {
        assertThatThrownBy(() -> traced(tracing)
                        .add(database, JOB.after(Dependency.on(MAIL, "unknown")))
                        .join())
                .isNotNull();

        SpanData add = one("add mail");
        assertThat(add.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(attributes(add)).containsEntry("error.type", "dev.couchjobs.DependencyNotFoundException");
    }

    @Test
    void anAttemptIsAConsumersSpanOfItsOwnTraceLinkedToTheAddition() {
        traced(tracing).add(database, JOB).join();

        run(
                tracing,
                1,
                worker -> worker.handle(MAIL, job -> {
                    telemetry.getTracer("test").spanBuilder("below").startSpan().end();
                    return 7;
                }));

        SpanData add = one("add mail");
        SpanData attempt = one("run mail");
        assertThat(attempt.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(attempt.getTraceId()).isNotEqualTo(add.getTraceId());
        assertThat(attempt.getParentSpanContext().isValid()).isFalse();
        assertThat(attempt.getLinks())
                .extracting(link -> link.getSpanContext().getSpanId())
                .containsExactly(add.getSpanId());
        assertThat(attempt.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(attributes(attempt))
                .isEqualTo(Map.of(
                        "messaging.system", "couch_jobs",
                        "messaging.operation.name", "run",
                        "messaging.operation.type", "process",
                        "messaging.destination.name", "mail",
                        "messaging.message.id", "m1",
                        "couchjobs.attempt", 1L,
                        "couchjobs.claim", 1L));
        assertThat(one("below").getParentSpanId()).isEqualTo(attempt.getSpanId());
    }

    @Test
    void everyAttemptIsASpanAndAFailureIsAnError() {
        traced(tracing).add(database, JOB).join();

        run(
                tracing,
                2,
                worker -> worker.handle(MAIL, job -> {
                    if (job.attempt() == 1) {
                        throw new IllegalStateException("bad luck");
                    }
                    return 7;
                }));

        List<SpanData> attempts = named("run mail");
        assertThat(attempts)
                .extracting(span -> span.getAttributes().get(AttributeKey.longKey("couchjobs.attempt")))
                .containsExactly(1L, 2L);
        assertThat(attempts).allSatisfy(span -> assertThat(span.getLinks()).hasSize(1));
        SpanData failed = attempts.get(0);
        assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(attributes(failed)).containsEntry("error.type", "java.lang.IllegalStateException");
        assertThat(failed.getEvents())
                .singleElement()
                .satisfies(event -> assertThat(event.getName()).isEqualTo("exception"));
        assertThat(attempts.get(1).getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    }

    @Test
    void theSpanOfAnAsynchronousHandlerEndsWithItsStage() {
        traced(tracing).add(database, JOB).join();
        CompletableFuture<Integer> stage = new CompletableFuture<>();

        run(
                tracing,
                1,
                worker -> worker.handleAsync(MAIL, job -> {
                    Context ofJob = Context.current();
                    Thread other = new Thread(() -> within(ofJob, () -> {
                        telemetry
                                .getTracer("test")
                                .spanBuilder("below")
                                .startSpan()
                                .end();
                        stage.completeExceptionally(new PermanentFailureException("too late"));
                    }));
                    other.start();
                    return stage.thenApply(done -> done);
                }));

        SpanData attempt = one("run mail");
        assertThat(attributes(attempt)).containsEntry("error.type", "dev.couchjobs.PermanentFailureException");
        assertThat(one("below").getParentSpanId()).isEqualTo(attempt.getSpanId());
        assertThat(attempt.getEndEpochNanos())
                .isGreaterThanOrEqualTo(one("below").getEndEpochNanos());
    }

    @Test
    void attemptsAreChildrenOfTheAdditionWhenAskedFor() {
        traced(tracing).add(database, JOB).join();

        run(tracing.continuingTraces(), 1, worker -> worker.handle(MAIL, job -> 7));

        SpanData add = one("add mail");
        assertThat(one("run mail").getTraceId()).isEqualTo(add.getTraceId());
        assertThat(one("run mail").getParentSpanId()).isEqualTo(add.getSpanId());
        assertThat(one("run mail").getLinks()).isEmpty();
    }

    @Test
    void aJobThatAHandlerAddsIsBelowItsAttempt() {
        traced(tracing).add(database, JOB).join();
        CouchJobs inside = traced(tracing);

        run(
                tracing,
                2,
                worker -> worker.handle(MAIL, job -> {
                    if (job.id().equals("m1")) {
                        inside.add(database, JOB.id("m2")).join();
                    }
                    return 7;
                }));

        SpanData adding = named("run mail").stream()
                .filter(span -> "m1".equals(attributes(span).get("messaging.message.id")))
                .findAny()
                .orElseThrow();
        assertThat(named("add mail").get(1).getParentSpanId()).isEqualTo(adding.getSpanId());
    }

    @Test
    void theWaitIsInTheTraceOfTheAdditionAndLinkedToTheAttempt() {
        Instant added = Instant.now().minus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);
        traced(tracing.at(() -> added)).add(database, JOB).join();

        run(tracing.at(() -> added.plusSeconds(5)), 1, worker -> worker.handle(MAIL, job -> 7));

        SpanData wait = one("wait mail");
        assertThat(wait.getTraceId()).isEqualTo(one("add mail").getTraceId());
        assertThat(wait.getParentSpanId()).isEqualTo(one("add mail").getSpanId());
        assertThat(wait.getLinks())
                .extracting(LinkData::getSpanContext)
                .containsExactly(one("run mail").getSpanContext());
        assertThat(wait.getEndEpochNanos() - wait.getStartEpochNanos())
                .isEqualTo(Duration.ofSeconds(5).toNanos());
        assertThat(attributes(wait)).containsEntry("messaging.message.id", "m1");
    }

    @Test
    void theWaitOfAScheduledJobBeginsWhenItIsDue() {
        Instant due = Instant.ofEpochSecond(Instant.now().getEpochSecond() - 60);
        traced(tracing.at(() -> due.minusSeconds(1_000)))
                .add(database, JOB.at(due))
                .join();

        run(tracing.at(() -> due.plusSeconds(7)), 1, worker -> worker.handle(MAIL, job -> 7));

        assertThat(one("wait mail").getStartEpochNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(due.getEpochSecond()));
    }

    @Test
    void aWaitThatWouldEndBeforeItBeginsIsLeftOut() {
        Instant now = Instant.now();
        traced(tracing.at(() -> now.plusSeconds(100))).add(database, JOB).join();

        run(tracing.at(() -> now), 1, worker -> worker.handle(MAIL, job -> 7));

        assertThat(named("wait mail")).isEmpty();
        assertThat(one("run mail").getLinks()).hasSize(1);
    }

    private String baggageOfTheHandler(JobTracing adding, JobTracing running, String value) {
        Baggage baggage = Baggage.builder().put("tenant", value).build();
        within(
                Context.root().with(baggage),
                () -> traced(adding).add(database, JOB).join());
        CompletableFuture<String> seen = new CompletableFuture<>();
        run(
                running,
                1,
                worker -> worker.handle(MAIL, job -> {
                    String found = Baggage.current().getEntryValue("tenant");
                    seen.complete(found == null ? "none" : found);
                    return 7;
                }));
        assertThat(one("run mail").getLinks()).hasSize(1);
        return seen.join();
    }

    @Test
    void baggageTravels() {
        assertThat(baggageOfTheHandler(tracing, tracing, "größer & 42")).isEqualTo("größer & 42");
    }

    @Test
    void baggageBeyondTheBoundIsDroppedAndTheTraceStays() {
        assertThat(baggageOfTheHandler(tracing, tracing.baggageBytes(4_000), "x".repeat(1_100)))
                .isEqualTo("none");
        assertThat(headers("m1")).doesNotContainKey("baggage");
    }

    @Test
    void moreBaggageTravelsWhenAskedFor() {
        assertThat(baggageOfTheHandler(tracing.baggageBytes(2_000), tracing.baggageBytes(2_000), "x".repeat(1_100)))
                .hasSize(1_100);
    }

    @Test
    void noBaggageTravelsWhenAskedFor() {
        assertThat(baggageOfTheHandler(tracing.baggageBytes(0), tracing, "42")).isEqualTo("none");
    }

    @Test
    void theBoundIsAlsoThatOfTheWorker() {
        assertThat(baggageOfTheHandler(tracing, tracing.baggageBytes(0), "42")).isEqualTo("none");
    }

    @Test
    void aNegativeBoundIsRefused() {
        assertThatThrownBy(() -> tracing.baggageBytes(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 or more");
    }

    @Test
    void headersThatCannotBeReadDoNotKeepAJobFromRunning() {
        CouchJobs plain = CouchJobs.on(database);
        opened.add(plain);
        plain.add(
                        database,
                        JOB.header("traceparent", "00-zz")
                                .header("tracestate", ",,=")
                                .header("baggage", "%%%=;;,\u0000")
                                .header("couchjobs-added", "yesterday"))
                .join();

        run(tracing, 1, worker -> worker.handle(MAIL, job -> 7));

        assertThat(one("run mail").getLinks()).isEmpty();
        assertThat(named("wait mail")).isEmpty();
    }

    @Test
    void headersOfAnotherProgramAreFollowed() {
        CouchJobs plain = CouchJobs.on(database);
        opened.add(plain);
        plain.add(database, JOB.header("traceparent", "00-" + TRACE + "-00f067aa0ba902b7-01"))
                .join();

        run(tracing, 1, worker -> worker.handle(MAIL, job -> 7));

        assertThat(one("run mail").getLinks())
                .extracting(link -> link.getSpanContext().getTraceId())
                .containsExactly(TRACE);
    }

    @Test
    void aJobWithoutRoomForTheContextIsAddedWithoutIt() {
        NewJob<Integer> full = JOB.header("own", "x".repeat(4_050));

        traced(tracing).add(database, full).join();

        assertThat(headers("m1")).containsOnlyKeys("own");
        assertThat(named("add mail")).hasSize(1);
    }

    @Test
    void withoutAnSdkJobsHaveNoHeaders() {
        JobTracing none = JobTracing.on(OpenTelemetry.noop());

        traced(none).add(database, JOB).join();
        run(none, 1, worker -> worker.handle(MAIL, job -> 7));

        assertThat(headers("m1")).isEmpty();
    }

    @Test
    void aPropagatorThatThrowsKeepsNoJobFromRunning() {
        traced(tracing).add(database, JOB).join();
        TextMapPropagator throwing = new TextMapPropagator() {
            @Override
            public List<String> fields() {
                return List.of();
            }

            @Override
            public <C> void inject(Context context, C carrier, TextMapSetter<C> setter) {
                throw new IllegalStateException("inject");
            }

            @Override
            public <C> Context extract(Context context, C carrier, TextMapGetter<C> getter) {
                throw new IllegalStateException("extract");
            }
        };
        JobTracing by = JobTracing.on(OpenTelemetrySdk.builder()
                .setTracerProvider(telemetry.getSdkTracerProvider())
                .setPropagators(ContextPropagators.create(throwing))
                .build());

        traced(by).add(database, JOB.id("m2")).join();
        run(by, 2, worker -> worker.handle(MAIL, job -> 7));

        assertThat(named("run mail")).hasSize(2);
        assertThat(headers("m2")).isEmpty();
    }
}
