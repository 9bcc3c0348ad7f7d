package dev.couchjobs.costs;

import static dev.couchjobs.costs.CostFixture.MAIL;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.NewJob;
import dev.couchjobs.faults.Script;
import dev.couchjobs.faults.StepFault;
import dev.couchjobs.fdb.simulation.FaultyDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever fails of the transactions that end jobs and claim others: each job runs once, and none waits for a lease. */
class FailedExchangesTest {
    private static final int JOBS = 12;
    private static final int FAULTS = 6;

    private final MeasuredStage stage = new MeasuredStage(23, MAIL);
    private final Script script = new Script();
    private final Database database = new FaultyDatabase(stage.database(), script);
    private final CouchJobs jobs = stage.builder(database).build();
    private final List<String> ran = new ArrayList<>();

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    private CompletableFuture<String> handle(String jobId) {
        ran.add(jobId);
        CompletableFuture<String> done = new CompletableFuture<>();
        var unused = stage.time().schedule(() -> done.complete("done"), 100, TimeUnit.MILLISECONDS);
        return done;
    }

    @ParameterizedTest
    @EnumSource(StepFault.class)
    void eachJobOfAKeyRunsOnce(StepFault fault) {
        stage.await(stage.others().limits().set(stage.database(), MAIL, "one", 1));
        List<NewJob<?>> all = new ArrayList<>();
        for (int i = 0; i < JOBS; i++) {
            all.add(NewJob.of(MAIL, "data").id("job-%02d".formatted(i)).limitKey("one"));
        }
        stage.await(stage.others().addAll(stage.database(), all));
        for (int i = 0; i < FAULTS; i++) {
            script.nth(4 + 3 * i, fault);
        }

        jobs.worker()
                .handleAsync(MAIL, job -> handle(job.id()))
                .executor(stage.time())
                .concurrency(4)
                .start();
        stage.time().advance(MeasuredStage.TIMEOUT.minus(Duration.ofSeconds(1)));

        assertThat(script.struck()).isEqualTo(FAULTS);
        assertThat(ran).hasSize(JOBS).doesNotHaveDuplicates();
        assertThat(stage.await(stage.others().counts(stage.database(), MAIL)).succeeded())
                .isEqualTo(JOBS);
    }
}
