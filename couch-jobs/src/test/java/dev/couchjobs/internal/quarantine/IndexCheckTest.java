package dev.couchjobs.internal.quarantine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobLine;
import dev.couchjobs.JobStatus;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.internal.features.Features;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.QuarantineKeys;
import dev.couchjobs.internal.rows.TypeKeys;
import dev.couchjobs.internal.status.StatusIndex;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Several processes check the indexes of a type together. */
class IndexCheckTest {
    private static final Subspace SUBSPACE = new Subspace(Tuple.from("check"));
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final int LIMIT = 2;

    private final VirtualStage stage = new VirtualStage(7);
    private final TypeKeys keys = new Keyspace(SUBSPACE).type(MAIL.name());
    private final CouchJobs jobs = CouchJobs.builder(stage.database())
            .subspace(SUBSPACE)
            .environment(stage.environment())
            .build();

    @BeforeEach
    void addJobs() {
        stage.await(jobs.types().setTypeTimeout(stage.database(), MAIL, Duration.ofSeconds(30)));
        stage.await(jobs.statuses().index(MAIL));
        stage.await(jobs.addAll(
                stage.database(),
                IntStream.range(0, 5)
                        .mapToObj(number -> NewJob.of(MAIL, "hi").id("j" + number))
                        .toList()));
    }

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    private <T> T commit(Function<Transaction, CompletableFuture<T>> body) {
        return stage.await(stage.database().runAsync(body));
    }

    /** Removes the row of a job, but none that follows from it. */
    private void lose(String jobId) {
        commit(tx -> {
            tx.clear(keys.data(jobId));
            tx.set(QuarantineKeys.of(keys).indexCheckRequest(), new byte[0]);
            return CompletableFuture.completedFuture(tx);
        });
    }

    private IndexCheck.Step step(IndexCheck.Step last) {
        return commit(tx -> IndexCheck.step(tx, keys, Features.CHECKS, last, LIMIT));
    }

    private List<String> indexed() {
        return stage
                .await(jobs.statuses().list(stage.database(), MAIL, JobStatus.WAITING, PageRequest.of(9)))
                .items()
                .stream()
                .map(JobLine::jobId)
                .toList();
    }

    private long counted() {
        return stage.await(jobs.statuses().counts(stage.database(), MAIL)).getOrDefault(JobStatus.WAITING, -1L);
    }

    private boolean isNeeded() {
        return stage.await(stage.database().readAsync(tx -> IndexCheck.isNeeded(tx, keys)));
    }

    private int stepsToTheEnd(IndexCheck.Step begun) {
        IndexCheck.Step step = begun;
        int steps = 0;
        while (step.place().isPresent()) {
            step = step(step);
            assertThat(step.isDone()).isTrue();
            steps++;
        }
        return steps;
    }

    @Test
    void withoutARequestThereIsNothingToDo() {
        assertThat(isNeeded()).isFalse();
        assertThat(step(IndexCheck.Step.NONE)).isEqualTo(IndexCheck.Step.NONE);
    }

    @Test
    void aPassRemovesStaleRowsAFewAtATime() {
        lose("j1");
        lose("j4");

        int steps = stepsToTheEnd(step(IndexCheck.Step.NONE));

        assertThat(steps).isBetween(8, 13); // three pages of the statuses, the other indexes, and the end
        assertThat(isNeeded()).isFalse();
        assertThat(indexed()).containsExactly("j0", "j2", "j3");
        assertThat(counted()).isEqualTo(3);
    }

    @Test
    void whileAProcessIsAtWorkOthersWait() {
        lose("j1");
        IndexCheck.Step working = step(IndexCheck.Step.NONE);

        IndexCheck.Step looking = step(IndexCheck.Step.NONE);
        assertThat(looking.isDone()).isFalse();
        working = step(working);
        assertThat(working.isDone()).isTrue();
        looking = step(looking);
        assertThat(looking.isDone()).isFalse();
        stepsToTheEnd(working);

        assertThat(step(looking)).isEqualTo(IndexCheck.Step.NONE);
    }

    @Test
    void aProcessTakesOverFromOneThatHasDied() {
        lose("j4");
        step(IndexCheck.Step.NONE); // by a process that does no more

        IndexCheck.Step looked = step(IndexCheck.Step.NONE);
        stepsToTheEnd(looked);

        assertThat(counted()).isEqualTo(4);
        assertThat(isNeeded()).isFalse();
    }

    @Test
    void aRequestDuringAPassLeadsToAnother() {
        lose("j1");
        IndexCheck.Step begun = step(IndexCheck.Step.NONE);
        IndexCheck.Step behindSome = step(step(step(begun)));
        lose("j0");

        stepsToTheEnd(behindSome);
        assertThat(isNeeded()).isTrue();
        stepsToTheEnd(step(IndexCheck.Step.NONE));

        assertThat(counted()).isEqualTo(3);
        assertThat(isNeeded()).isFalse();
    }

    @Test
    void aPassWhosePlaceIsDamagedBeginsAnew() {
        lose("j1");
        step(IndexCheck.Step.NONE);
        commit(tx -> {
            tx.set(QuarantineKeys.of(keys).indexCheckPlace(), new byte[] {0x7F, 0x13});
            return CompletableFuture.completedFuture(tx);
        });

        stepsToTheEnd(step(IndexCheck.Step.NONE));

        assertThat(counted()).isEqualTo(4);
    }

    /** Otherwise its job would be counted twice as gone. */
    @Test
    void ofTwoTransactionsOneRemovesARow() {
        lose("j1");
        List<byte[]> key = statusKeys("j1");
        try (Transaction one = stage.database().createTransaction();
                Transaction other = stage.database().createTransaction()) {
            stage.await(StaleRows.remove(one, keys, StatusIndex.ROWS, key));
            stage.await(StaleRows.remove(other, keys, StatusIndex.ROWS, key));
            stage.await(one.commit());

            assertThatThrownBy(() -> stage.await(other.commit())).hasMessageContaining("conflict");
        }
        assertThat(counted()).isEqualTo(4);
    }

    @Test
    void aRowThatHasBecomeRightIsNotRemoved() {
        lose("j1");
        List<byte[]> key = statusKeys("j1");
        try (Transaction tx = stage.database().createTransaction()) {
            stage.await(StaleRows.remove(tx, keys, StatusIndex.ROWS, key));
            stage.await(jobs.add(stage.database(), NewJob.of(MAIL, "hi").id("j1")));

            assertThatThrownBy(() -> stage.await(tx.commit())).hasMessageContaining("conflict");
        }
    }

    private List<byte[]> statusKeys(String jobId) {
        List<byte[]> found = new ArrayList<>();
        stage
                .await(stage.database()
                        .readAsync(
                                tx -> tx.getRange(StatusIndex.ROWS.range(keys)).asList()))
                .stream()
                .filter(row -> StatusIndex.ROWS.decode(keys, row).job().id().equals(jobId))
                .forEach(row -> found.add(row.getKey()));
        assertThat(found).hasSize(1);
        return found;
    }
}
