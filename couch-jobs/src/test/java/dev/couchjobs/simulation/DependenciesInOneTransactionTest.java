package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.faults.SlowStage;
import dev.couchjobs.faults.Stage;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A transaction links jobs and changes them, without waiting in between. Each read takes a while. */
class DependenciesInOneTransactionTest {
    private static final JobType<String, Void> PRINT = JobType.of("print", String.class);

    private final Stage stage = new SlowStage();
    private final Database database = stage.database();
    private final CouchJobs jobs =
            CouchJobs.builder(database).environment(stage.environment()).build();

    @AfterEach
    void end() {
        stage.close();
    }

    private static NewJob<String> waiting(String id) {
        return NewJob.of(PRINT, "a page")
                .id(id)
                .after(Dependency.on(PRINT, "late").ifUnsuccessful(DependencyPolicy.EXPECT));
    }

    private boolean isBlocked(String id) {
        return stage.await(jobs.getJob(database, PRINT, id)).orElseThrow().isBlocked();
    }

    private void runLate() {
        stage.await(jobs.add(database, NewJob.of(PRINT, "a page").id("late")));
        stage.await(jobs.processor().accept(PRINT).thenCompose(claimed -> {
            assertThat(claimed.orElseThrow().id()).isEqualTo("late");
            return jobs.processor().finish(database, claimed.orElseThrow());
        }));
    }

    @Test
    void aJobThatWasCancelledAndAddedAgainIsReleased() {
        stage.await(database.runAsync(tx -> CompletableFuture.allOf(
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
        stage.await(jobs.add(database, waiting("early")));
        stage.await(database.runAsync(tx -> CompletableFuture.allOf(
                jobs.control().cancel(tx, PRINT, "early", "a mistake"), jobs.add(tx, waiting("other")))));
        assertThat(isBlocked("other")).isTrue();

        runLate();

        assertThat(isBlocked("other")).isFalse();
    }
}
