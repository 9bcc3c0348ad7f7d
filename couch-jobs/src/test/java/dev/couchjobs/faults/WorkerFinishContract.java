package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobType;
import dev.couchjobs.Retention;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A handler that finishes its job together with its effects is told so once it has happened, and it happens once. */
abstract class WorkerFinishContract extends FaultsContract {
    private static final JobType<String, String> KEPT = JobType.of("mail", String.class, String.class);
    private static final JobType<String, String> NOT_KEPT = KEPT.retention(Retention.of(Duration.ZERO));

    @SuppressWarnings("NullAway.Init")
    private FaultFixture fixture;

    @BeforeEach
    void enterTheScene() {
        fixture = new FaultFixture(stage);
        fixture.added("a", "data");
    }

    @AfterEach
    void leaveTheScene() {
        assertThat(fixture.rows().contradictions()).isEmpty();
        fixture.close();
    }

    /** What the handler is told by the finish that something happens to. */
    private String finished(JobType<String, String> type, StepFault fault) {
        CompletableFuture<String> told = new CompletableFuture<>();
        AtomicBoolean struck = new AtomicBoolean();
        Worker worker = fixture.jobs
                .worker()
                .handleAsync(
                        type,
                        job -> finish(job, struck, fault).whenComplete((result, error) -> {
                            if (error == null) {
                                told.complete(result);
                            } else {
                                told.completeExceptionally(error);
                            }
                        }))
                .concurrency(1)
                .executor(stage.environment().scheduler())
                .start();
        String result = fixture.await(told);
        fixture.await(worker.closeAsync());
        return result;
    }

    private CompletableFuture<String> finish(JobContext<String> job, AtomicBoolean struck, StepFault fault) {
        return job.finishAsync(tx -> {
            if (!struck.getAndSet(true)) {
                fixture.script.next(fault);
            }
            return effect(tx);
        });
    }

    private CompletableFuture<String> effect(Transaction tx) {
        tx.mutate(MutationType.ADD, fixture.effectKey(), new byte[] {1});
        return CompletableFuture.completedFuture("done");
    }

    @ParameterizedTest(name = "after {0}")
    @EnumSource(
            value = StepFault.class,
            names = {"CONFLICT", "UNKNOWN_BUT_COMMITTED", "UNKNOWN_AND_NOT_COMMITTED", "TOO_OLD_AT_COMMIT"})
    void aJobThatIsKept(StepFault fault) {
        assertThat(finished(KEPT, fault)).isEqualTo("done");

        assertThat(fixture.effects()).isEqualTo(1);
        assertThat(fixture.await(fixture.others.resultAsync(KEPT, "a", Duration.ZERO)))
                .isEqualTo("done");
    }

    @ParameterizedTest(name = "after {0}")
    @EnumSource(
            value = StepFault.class,
            names = {"CONFLICT", "UNKNOWN_BUT_COMMITTED", "UNKNOWN_AND_NOT_COMMITTED", "TOO_OLD_AT_COMMIT"})
    void aJobOfWhichNothingIsKept(StepFault fault) {
        assertThat(finished(NOT_KEPT, fault)).isEqualTo("done");

        assertThat(fixture.effects()).isEqualTo(1);
    }
}
