package dev.couchjobs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.OtherDatabaseException;
import dev.couchjobs.PageRequest;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Verbs in the caller's transaction: they join it and see each other in it. How they fence its
 * writes is in {@link FencingContract}.
 */
class TransactionsContract extends JobsContract {
    private static final Instant LATER = NOON.plusSeconds(6);

    @Test
    void aJobIsAddedTogetherWithWhatItIsAbout() {
        commit(tx -> {
            tx.set(key("document"), new byte[0]);
            await(jobs.add(tx, INDEX, "j1", new WorkData(42)));
            assertThat(await(jobs.getJobState(tx, INDEX, "j1"))).isEqualTo(JobState.PENDING);
            assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
        });

        assertThat(isWritten("document")).isTrue();
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(stepOf("j1")).isEqualTo(42);
    }

    /** A transaction as a tracing library shows it. */
    private static Transaction wrapped(Transaction tx) {
        return DatabaseProxies.to(
                Transaction.class, (self, method, arguments) -> DatabaseProxies.invoke(tx, method, arguments));
    }

    @Test
    void aTransactionOfAnotherDatabaseIsRefusedAndCannotCommit() {
        Job<WorkData> job = accepted("j1", 1);
        try (Database other = EmbeddedDatabase.openInMemory()) {
            for (Function<Transaction, CompletableFuture<?>> verb :
                    List.<Function<Transaction, CompletableFuture<?>>>of(
                            tx -> jobs.add(tx, INDEX, "j2", new WorkData(2)),
                            tx -> jobs.types().setTypeTimeout(tx, INDEX, Duration.ofMinutes(1)),
                            tx -> jobs.processor().finish(tx, job))) {
                try (Transaction tx = other.createTransaction()) {
                    assertThat(failureOf(verb.apply(tx)))
                            .isInstanceOf(OtherDatabaseException.class)
                            .hasMessageContaining("Database that it was made with");
                    tx.set(key("document"), new byte[0]);
                    assertThat(failureOf(tx.commit())).isNotNull();
                }
            }
            try (Transaction tx = other.createTransaction()) {
                assertThat(failureOf(jobs.getJobState(tx, INDEX, "j1"))).isInstanceOf(OtherDatabaseException.class);
                assertThat(failureOf(jobs.subscribe(tx, INDEX, "j1"))).isInstanceOf(OtherDatabaseException.class);
            }
        }
    }

    @Test
    void anotherDatabaseIsRefusedAndStaysAsItIs() {
        try (Database other = EmbeddedDatabase.openInMemory()) {
            assertThat(failureOf(jobs.types().setTypeTimeout(other, INDEX, Duration.ofMinutes(1))))
                    .isInstanceOf(OtherDatabaseException.class);
            assertThat(failureOf(jobs.add(other, INDEX, "j1", new WorkData(1))))
                    .isInstanceOf(OtherDatabaseException.class);
            assertThat(failureOf(jobs.list(other, INDEX, PageRequest.of(1))))
                    .isInstanceOf(OtherDatabaseException.class);
            List<KeyValue> rows = await(other.readAsync(
                    tx -> tx.getRange(new byte[0], new byte[] {-1}).asList()));
            assertThat(rows).isEmpty();
        }
    }

    @Test
    void severalWrappersOfATransactionAreOneTransaction() {
        Job<WorkData> j1 = accepted("j1", 1);
        Job<WorkData> j2 = accepted("j2", 1);

        commit(tx -> {
            await(jobs.processor().update(wrapped(tx), j1));
            await(jobs.processor().update(wrapped(tx), j2));
            await(jobs.add(wrapped(tx), INDEX, "j3", new WorkData(3)));
            assertThat(await(jobs.getJobState(wrapped(tx), INDEX, "j3"))).isEqualTo(JobState.PENDING);
            assertThat(await(jobs.getJobState(wrapped(tx).snapshot(), INDEX, "j1")))
                    .isEqualTo(JobState.RUNNING);
        });

        awaitSilence(INDEX, List.of(subscribe("j1"), subscribe("j2")));
    }

    @Test
    void whatIsGivenUpHasNotHappened() {
        Job<WorkData> job = accepted("j1", 1);
        try (Transaction tx = database.createTransaction()) {
            await(jobs.add(tx, INDEX, "new", new WorkData(1)));
            await(jobs.processor().resubmit(tx, job, LATER));
            await(jobs.processor().finish(tx, job, new WorkData(2)));
        }

        assertThat(stateOf("new")).isEqualTo(JobState.NOT_FOUND);
        assertThat(stateOf("j1")).isEqualTo(JobState.RUNNING);
        assertThat(stepOf("j1")).isEqualTo(1);
        assertThat(jobs.processor().isResubmitted(await(jobs.processor().update(database, job))))
                .isFalse();
    }

    @Test
    void severalJobsAreAddedInOneTransaction() {
        addMany(20);

        assertThat(IntStream.range(0, 20).mapToObj(i -> accept().data().step()))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 20).boxed().toList());
    }

    @Test
    void severalRunningJobsAreUpdatedAndFinishedInOneTransaction() {
        Job<WorkData> j1 = accepted("j1", 1);
        Job<WorkData> j2 = accepted("j2", 1);

        commit(tx -> {
            await(jobs.processor().update(tx, j1, new WorkData(2)));
            await(jobs.processor().update(tx, j2, new WorkData(3)));
        });
        assertThat(stepOf("j1")).isEqualTo(2);
        assertThat(stepOf("j2")).isEqualTo(3);

        commit(tx -> {
            await(jobs.processor().finish(tx, j1));
            await(jobs.processor().finish(tx, j2));
        });
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stateOf("j2")).isEqualTo(JobState.FINISHED);
    }

    @Test
    void aJobIsUpdatedTwiceReadAndFinishedInOneTransaction() {
        Job<WorkData> job = accepted("j1", 1);

        commit(tx -> {
            await(jobs.processor().update(tx, job, new WorkData(2)));
            assertThat(await(jobs.getJobData(tx, INDEX, "j1"))).contains(new WorkData(2));
            assertThat(await(jobs.processor().update(tx, job)).data()).isEqualTo(new WorkData(2));
            assertThat(await(jobs.getJobState(tx, INDEX, "j1"))).isEqualTo(JobState.RUNNING);
            await(jobs.processor().finish(tx, job, new WorkData(3)));
            assertThat(await(jobs.getJobState(tx, INDEX, "j1"))).isEqualTo(JobState.FINISHED);
        });

        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j1")).isEqualTo(3);
    }

    @Test
    void aSnapshotViewOfATransactionSeesWhatItDidToo() {
        Job<WorkData> job = accepted("j1", 1);

        commit(tx -> {
            await(jobs.processor().update(tx, job, new WorkData(2)));
            assertThat(await(jobs.getJobState(tx.snapshot(), INDEX, "j1"))).isEqualTo(JobState.RUNNING);
            assertThat(await(jobs.getJobData(tx.snapshot(), INDEX, "j1"))).contains(new WorkData(2));
        });
    }

    @Test
    void aJobIsUpdatedResubmittedAndFinishedInOneTransaction() {
        Job<WorkData> job = accepted("j1", 1);

        commit(tx -> {
            await(jobs.processor().update(tx, job, new WorkData(2)));
            Job<WorkData> resubmitted = await(jobs.processor().resubmit(tx, job, LATER));
            assertThat(resubmitted.data()).isEqualTo(new WorkData(2));
            assertThat(jobs.processor().isResubmitted(await(jobs.processor().update(tx, job))))
                    .isTrue();
            await(jobs.processor().finish(tx, job));
        });

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(accept().data()).isEqualTo(new WorkData(2));
    }

    @Test
    void verbsThatNobodyWaitsForInBetweenHappenInTheirOrder() {
        Job<WorkData> job = accepted("j1", 0);

        await(database.runAsync(tx -> CompletableFuture.allOf(
                jobs.processor().update(tx, job, new WorkData(1)),
                jobs.processor().update(tx, job, new WorkData(2)),
                jobs.processor().finish(tx, job, new WorkData(3)),
                jobs.add(tx, INDEX, "j1", new WorkData(4)))));

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(accept().data()).isEqualTo(new WorkData(4));
    }

    @Test
    void aRunningJobIsReplacedByRemovingAndAddingIt() {
        Job<WorkData> old = accepted("j1", 1);

        commit(tx -> {
            assertThat(await(jobs.remove(tx, INDEX, "j1"))).isTrue();
            assertThat(await(jobs.getJobState(tx, INDEX, "j1"))).isEqualTo(JobState.NOT_FOUND);
            await(jobs.add(tx, INDEX, "j1", new WorkData(2)));
        });

        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
        assertThat(failureOf(jobs.processor().finish(database, old))).isInstanceOf(JobHaltedException.class);
        assertThat(accept().data()).isEqualTo(new WorkData(2));
    }

    @Test
    void aJobAddedAndRemovedInOneTransactionLeavesNothing() {
        commit(tx -> {
            await(jobs.add(tx, INDEX, "j1", new WorkData(1)));
            assertThat(await(jobs.remove(tx, INDEX, "j1"))).isTrue();
        });

        assertThat(stateOf("j1")).isEqualTo(JobState.NOT_FOUND);
        assertThat(tryAccept()).isEmpty();
    }

    @Test
    void theNextJobIsAddedTogetherWithTheFinishOfTheLast() {
        Job<WorkData> job = accepted("j1", 1);

        commit(tx -> {
            await(jobs.processor().finish(tx, job));
            await(jobs.add(tx, INDEX, "j2", new WorkData(2)));
        });

        assertThat(all(database, INDEX))
                .extracting(JobSummary::state)
                .containsExactly(JobState.FINISHED, JobState.PENDING);
    }

    @Test
    void aProcessorWritesItsResultAndFinishesInOneTransaction() {
        Job<WorkData> job = accepted("j1", 1);

        commit(tx -> {
            int step = await(jobs.getJobData(tx, INDEX, "j1")).orElseThrow().step();
            tx.set(key("document 1"), new byte[0]);
            tx.set(key("document 2"), new byte[0]);
            await(jobs.processor().finish(tx, job, new WorkData(step + 1)));
        });

        assertThat(isWritten("document 1")).isTrue();
        assertThat(isWritten("document 2")).isTrue();
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j1")).isEqualTo(2);
    }

    @Test
    void twoInstancesCanJoinOneTransaction() {
        CouchJobs other = node();
        Job<WorkData> job = accepted("j1", 1);

        commit(tx -> {
            await(jobs.processor().update(tx, job, new WorkData(2)));
            await(other.processor().finish(tx, job));
            await(other.add(tx, INDEX, "j2", new WorkData(3)));
            await(jobs.add(tx, INDEX, "j2", new WorkData(4)));
        });

        assertThat(stepOf("j1")).isEqualTo(2);
        assertThat(stateOf("j1")).isEqualTo(JobState.FINISHED);
        assertThat(stepOf("j2")).isEqualTo(4);
    }

    @Test
    void theCallersOwnVersionstampsDoNotGetInTheWay() {
        byte[] operand = new byte[14];

        commit(tx -> {
            tx.mutate(MutationType.SET_VERSIONSTAMPED_VALUE, key("version"), operand);
            await(jobs.add(tx, INDEX, "j1", new WorkData(1)));
        });

        assertThat(isWritten("version")).isTrue();
        assertThat(stateOf("j1")).isEqualTo(JobState.PENDING);
    }

    @Test
    void thousandsOfVerbsOnOneJobThatNobodyWaitsForInBetweenAllHappen() {
        int count = 3_000;
        add("j1", 0);

        await(database.runAsync(tx -> CompletableFuture.allOf(IntStream.rangeClosed(1, count)
                .mapToObj(i -> jobs.add(tx, INDEX, "j1", new WorkData(i)))
                .toArray(CompletableFuture<?>[]::new))));

        assertThat(stepOf("j1")).isEqualTo(count);
    }
}
