package dev.couchjobs.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.Worker;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Application;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When an application that traced its jobs has closed what it opened, nothing of it is left. */
class ClosedTracingTest {
    @Test
    void anApplicationWithTheTracingLeavesNothing(@TempDir Path directory) {
        Application.withAllClasses(Traced.class).assertLeavesNothing(directory);
    }

    @Test
    void anApplicationBesideTheTracingLeavesNothing(@TempDir Path directory) {
        for (int i = 0; i < 2; i++) {
            Application.withOwnClasses(Traced.class).assertLeavesNothing(directory);
        }
    }

    public record Letter(String to) {}

    private static final JobType<Letter, String> MAIL = JobType.of("mail", Letter.class, String.class);

    public static class Traced implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            InMemorySpanExporter spans = InMemorySpanExporter.create();
            SdkTracerProvider tracers = SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(spans))
                    .build();
            try (OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
                            .setTracerProvider(tracers)
                            .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
                            .build();
                    Database database = EmbeddedDatabase.openInMemory();
                    CouchJobs jobs = CouchJobs.builder(database)
                            .middleware(JobTracing.on(telemetry))
                            .build()) {
                try (Worker worker = jobs.worker()
                        .handle(MAIL, job -> "for " + job.data().to())
                        .start()) {
                    jobs.add(database, MAIL, "a", new Letter("ann")).join();
                    assertThat(jobs.result(MAIL, "a", Duration.ofMinutes(1))).isEqualTo("for ann");
                    assertThat(worker.stuckSlots()).isZero();
                }
                assertThat(spans.getFinishedSpanItems()).hasSize(3);
            }
        }
    }
}
