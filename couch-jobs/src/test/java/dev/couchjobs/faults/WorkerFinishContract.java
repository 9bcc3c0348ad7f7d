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
    private Scene scene;

    @BeforeEach
    void enterTheScene() {
        scene = new Scene(stage);
        scene.added("a", "data");
    }

    @AfterEach
    void leaveTheScene() {
        assertThat(scene.rows().contradictions()).isEmpty();
        scene.close();
    }

    /** What the handler is told by the finish that something happens to. */
    private String finished(JobType<String, String> type, Fault fault) {
        CompletableFuture<String> told = new CompletableFuture<>();
        AtomicBoolean struck = new AtomicBoolean();
        Worker worker = scene.jobs
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
        String result = scene.await(told);
        scene.await(worker.closeAsync());
        return result;
    }

    private CompletableFuture<String> finish(JobContext<String> job, AtomicBoolean struck, Fault fault) {
        return job.finishAsync(tx -> {
            if (!struck.getAndSet(true)) {
                scene.script.next(fault);
            }
            return effect(tx);
        });
    }

    private CompletableFuture<String> effect(Transaction tx) {
        tx.mutate(MutationType.ADD, scene.effectKey(), new byte[] {1});
        return CompletableFuture.completedFuture("done");
    }

    @ParameterizedTest(name = "after {0}")
    @EnumSource(
            value = Fault.class,
            names = {"CONFLICT", "UNKNOWN_BUT_COMMITTED", "UNKNOWN_AND_NOT_COMMITTED", "TOO_OLD_AT_COMMIT"})
    void aJobThatIsKept(Fault fault) {
        assertThat(finished(KEPT, fault)).isEqualTo("done");

        assertThat(scene.effects()).isEqualTo(1);
        assertThat(scene.await(scene.others.resultAsync(KEPT, "a", Duration.ZERO)))
                .isEqualTo("done");
    }

    @ParameterizedTest(name = "after {0}")
    @EnumSource(
            value = Fault.class,
            names = {"CONFLICT", "UNKNOWN_BUT_COMMITTED", "UNKNOWN_AND_NOT_COMMITTED", "TOO_OLD_AT_COMMIT"})
    void aJobOfWhichNothingIsKept(Fault fault) {
        assertThat(finished(NOT_KEPT, fault)).isEqualTo("done");

        assertThat(scene.effects()).isEqualTo(1);
    }
}
