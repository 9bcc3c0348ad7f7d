package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A transaction links jobs and changes them, without waiting in between. Each read takes a while. */
class DependenciesInOneTransactionTest {
    private static final JobType<String, Void> PRINT = JobType.of("print", String.class);

    private final Simulation simulation = Simulation.builder(7)
            .calm()
            .latency(Duration.ofMillis(25), Duration.ofMillis(5))
            .build();
    private final SimulatedProcess process = simulation.process("creator");
    private final Database database = process.database();
    private final CouchJobs jobs = CouchJobs.builder(database)
            .environment(new Environment(process.clock(), process.scheduler(), process.random()))
            .build();

    @AfterEach
    void end() {
        simulation.close();
    }

    private static NewJob<String> waiting(String id) {
        return NewJob.of(PRINT, "a page")
                .id(id)
                .after(Dependency.on(PRINT, "late").ifUnsuccessful(DependencyPolicy.EXPECT));
    }

    private boolean isBlocked(String id) {
        return simulation.await(jobs.getJob(database, PRINT, id)).orElseThrow().isBlocked();
    }

    private void runLate() {
        simulation.await(jobs.add(database, NewJob.of(PRINT, "a page").id("late")));
        simulation.await(jobs.processor().accept(PRINT).thenCompose(claimed -> {
            assertThat(claimed.orElseThrow().id()).isEqualTo("late");
            return jobs.processor().finish(database, claimed.orElseThrow());
        }));
    }

    @Test
    void aJobThatWasCancelledAndAddedAgainIsReleased() {
        simulation.await(database.runAsync(tx -> CompletableFuture.allOf(
                jobs.add(tx, waiting("early")),
                jobs.control().cancel(tx, PRINT, "early", "a mistake"),
                jobs.add(tx, NewJob.of(PRINT, "a page").id("other").after(PRINT, "early")),
                jobs.add(tx, waiting("early")))));
        assertThat(isBlocked("early")).isTrue();

        runLate();

        assertThat(isBlocked("early")).isFalse();
    }

    @Test
    void aJobThatJoinsAsAnotherIsCancelledIsReleased() {
        simulation.await(jobs.add(database, waiting("early")));
        simulation.await(database.runAsync(tx -> CompletableFuture.allOf(
                jobs.control().cancel(tx, PRINT, "early", "a mistake"), jobs.add(tx, waiting("other")))));
        assertThat(isBlocked("other")).isTrue();

        runLate();

        assertThat(isBlocked("other")).isFalse();
    }
}
