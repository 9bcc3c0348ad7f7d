package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A worker of many types that starts looks for jobs of as many types at once as it has slots. */
class WorkerStartTest {
    private static final Duration READ = Duration.ofMillis(25);
    private static final int TYPES = 1_000;

    @Test
    void jobsOfManyTypesBeginSoonAfterTheStart() {
        try (Simulation simulation =
                Simulation.builder(3).calm().latency(READ, READ.dividedBy(5)).build()) {
            SimulatedProcess home = simulation.process("home");
            CouchJobs jobs = CouchJobs.builder(home.database())
                    .environment(new Environment(home.clock(), home.scheduler(), home.random()))
                    .build();
            List<JobType<String, Void>> types = IntStream.range(0, TYPES)
                    .<JobType<String, Void>>mapToObj(i -> JobType.of("type-" + i, String.class))
                    .toList();
            Instant later = home.clock().instant().plus(Duration.ofDays(30));
            simulation.await(jobs.addAll(
                    home.database(),
                    types.stream()
                            .map(type -> NewJob.of(type, "for later").at(later))
                            .toList()));
            List<String> begun = new ArrayList<>();
            WorkerBuilder worker = jobs.worker().concurrency(16).executor(home.scheduler());
            types.forEach(type -> worker.handleAsync(type, job -> {
                begun.add(job.job().type().name());
                return CompletableFuture.completedFuture(null);
            }));
            var unused = worker.start();
            simulation.advance(Duration.ofSeconds(15));

            List<JobType<String, Void>> some = IntStream.range(0, 10)
                    .mapToObj(i -> types.get(i * TYPES / 10))
                    .toList();
            some.forEach(type -> simulation.await(jobs.add(home.database(), NewJob.of(type, "now"))));
            simulation.advance(Duration.ofSeconds(5));

            assertThat(begun)
                    .containsExactlyInAnyOrderElementsOf(
                            some.stream().map(JobType::name).toList());
        }
    }
}
