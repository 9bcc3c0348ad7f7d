package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.Batch;
import dev.couchjobs.BatchNotFoundException;
import dev.couchjobs.BatchRoleException;
import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyCycleException;
import dev.couchjobs.DependencyNotFoundException;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.Job;
import dev.couchjobs.JobFailedException;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.ThreadTransaction;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A verb is refused in a transaction of the caller's, who forgets to wait for it. */
class ForgottenFuturesContract extends JobsContract {
    private static final JobType<String, String> CALLER =
            JobType.of("caller", String.class, String.class).retry(RetryPolicy.never());

    private static final JobType<String, String> ASYNC =
            JobType.of("async", String.class, String.class).retry(RetryPolicy.never());

    private interface Verb {
        CompletableFuture<?> begin(Transaction tx);
    }

    private final Map<Class<?>, Verb> refused = new LinkedHashMap<>();

    private void prepare() {
        Job<WorkData> lost = accepted("lost", 1);
        await(jobs.control().cancel(database, INDEX, "lost", "any"));
        await(jobs.batches()
                .open(
                        database,
                        Batch.of("open")
                                .closing(NewJob.of(INDEX, new WorkData(1)).id("closes"))));
        await(jobs.add(database, job("expects a").after(new Dependency("index", "a", DependencyPolicy.EXPECT))));
        refused.put(
                DependencyNotFoundException.class, tx -> jobs.add(tx, job("a").after(Dependency.on(INDEX, "none"))));
        refused.put(
                DependencyCycleException.class, tx -> jobs.add(tx, job("a").after(Dependency.on(INDEX, "expects a"))));
        refused.put(BatchNotFoundException.class, tx -> jobs.add(tx, job("a").batch("none")));
        refused.put(
                BatchRoleException.class,
                tx -> jobs.add(tx, job("a").batch("open").after(Dependency.on(INDEX, "closes"))));
        refused.put(JobHaltedException.class, tx -> jobs.processor().finish(tx, lost));
    }

    private static NewJob<WorkData> job(String id) {
        return NewJob.of(INDEX, new WorkData(1)).id(id);
    }

    private static Verb verb(Map<String, Verb> byName, String name) {
        return Objects.requireNonNull(byName.get(name));
    }

    @Test
    void nothingOfTheTransactionCommitsAndItsRunnerCanTellWhy() {
        prepare();
        refused.forEach((refusal, verb) -> {
            try (Transaction tx = database.createTransaction()) {
                assertThat(await(ThreadTransaction.settled(tx))).isNotNull();
                var unused = verb.begin(tx);
                tx.set(key("document"), new byte[0]);

                assertThat(failureOf(ThreadTransaction.settled(tx))).isInstanceOf(refusal);
                assertThat(failureOf(tx.commit())).isNotNull();
            }
            assertThat(isWritten("document")).as(refusal.getSimpleName()).isFalse();
            assertThat(stateOf("a")).as(refusal.getSimpleName()).isEqualTo(JobState.NOT_FOUND);
        });
    }

    @Test
    void whatVerbsWriteIsThereWhenAllHaveEnded() {
        try (Transaction tx = database.createTransaction()) {
            for (int i = 0; i < 100; i++) {
                var unused = jobs.add(tx, job("a" + i)).thenCompose(added -> jobs.add(tx, job("b" + added.jobId())));
            }
            await(ThreadTransaction.settled(tx));
            await(tx.commit());
        }
        for (int i = 0; i < 100; i++) {
            assertThat(stateOf("ba" + i)).isEqualTo(JobState.PENDING);
        }
    }

    @Test
    void aHandlersTransactionFailsByTheRefusal() {
        prepare();
        Map<String, Verb> byName = new LinkedHashMap<>();
        refused.forEach((refusal, verb) -> byName.put(refusal.getName(), verb));
        try (Worker worker = jobs.worker()
                .handle(
                        CALLER,
                        job -> job.run(tx -> {
                            var unused = verb(byName, job.data()).begin(tx);
                            return "done";
                        }))
                .handleAsync(
                        ASYNC,
                        job -> job.runAsync(tx -> {
                            var unused = verb(byName, job.data()).begin(tx);
                            return CompletableFuture.completedFuture("done");
                        }))
                .start()) {
            for (String refusal : Set.copyOf(byName.keySet())) {
                for (JobType<String, String> type : Set.of(CALLER, ASYNC)) {
                    await(jobs.add(database, type, refusal, refusal));
                    assertThatThrownBy(() -> jobs.result(type, refusal, Duration.ofSeconds(30)))
                            .as(type.name())
                            .isInstanceOf(JobFailedException.class)
                            .hasMessageContaining(refusal.substring(refusal.lastIndexOf('.') + 1))
                            .hasMessageNotContaining("1025");
                }
            }
            assertThat(worker.name()).isNotEmpty();
        }
    }
}
