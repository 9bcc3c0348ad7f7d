package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.faults.VirtualStage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When the rows are gone that the law of needed rows asks for. */
class NeededRowsLawTest {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);

    private final VirtualStage stage = new VirtualStage(11);
    private final CouchJobs jobs = CouchJobs.builder(stage.database())
            .subspace(JobsSimulation.PREFIX)
            .environment(stage.environment())
            .build();

    @BeforeEach
    void createType() {
        stage.await(jobs.types().setTypeTimeout(stage.database(), MAIL, Duration.ofSeconds(30)));
    }

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    private List<String> violations() {
        return stage.await(
                stage.database().readAsync(tx -> CompletableFuture.completedFuture(NeededRowsLaw.violations(tx))));
    }

    private Optional<Job<String>> claim() {
        return stage.await(jobs.processor().accept(MAIL, AcceptOptions.nonBlocking()));
    }

    /** A claim has given the key of the job its turn; a cancellation reads no turns. */
    @Test
    void theTurnOfACancelledJobEndsWithTheNextClaimAfterTheLastEnd() {
        stage.await(jobs.addAll(
                stage.database(),
                List.of(
                        NewJob.of(MAIL, "hi").id("first").turnKey("one"),
                        NewJob.of(MAIL, "hi").id("second").turnKey("other"))));
        Job<String> first = claim().orElseThrow();
        String other = first.id().equals("first") ? "second" : "first";
        stage.await(jobs.control().cancel(stage.database(), MAIL, other, "no longer wanted"));
        assertThat(violations()).isEmpty();

        stage.await(jobs.processor().finish(stage.database(), first));
        assertThat(violations()).anyMatch(row -> row.contains("in_turn"));

        assertThat(claim()).isEmpty();
        assertThat(violations()).isEmpty();
    }
}
