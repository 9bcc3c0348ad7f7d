package dev.couchjobs.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.internal.job.JobTable;
import dev.couchjobs.internal.job.RowChange;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QueueClearingTest {
    private static final Subspace SUBSPACE = new Subspace(Tuple.from("clearing"));
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final int ROWS = QueueClearing.ROWS_MIN;

    private final VirtualStage stage = new VirtualStage(7);
    private final Keyspace keyspace = new Keyspace(SUBSPACE);
    private final TypeKeys keys = keyspace.type(MAIL.name());
    private final QueueClearing clearing = new QueueClearing();
    private final CouchJobs jobs = CouchJobs.builder(stage.database())
            .subspace(SUBSPACE)
            .environment(stage.environment())
            .build();

    @BeforeEach
    void addJobs() {
        stage.await(jobs.types().setTypeTimeout(stage.database(), MAIL, Duration.ofSeconds(30)));
        stage.await(jobs.addAll(
                stage.database(),
                IntStream.range(0, 2 * ROWS + 1)
                        .mapToObj(number -> NewJob.of(MAIL, "hi").id(id(number)))
                        .toList()));
        clearing.beginClaim();
    }

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    private static String id(int number) {
        return "%03d".formatted(number);
    }

    private List<String> queued() {
        return stage.await(stage.database()
                .readAsync(tx -> PendingQueue.keyValues(tx, PendingQueue.unscheduled(keys), 1_000))
                .thenApply(rows -> PendingQueue.rows(stage.database().createTransaction(), keys, rows).stream()
                        .map(QueueEntry::jobId)
                        .toList()));
    }

    /** Reads the queue, and clears the rows of the jobs with these numbers as far as they make up ranges. */
    private List<String> clear(Transaction tx, int... numbers) {
        List<QueueEntry> rows = PendingQueue.rows(
                tx, keys, stage.await(PendingQueue.keyValues(tx, PendingQueue.unscheduled(keys), 1_000)));
        Map<String, QueueEntry> claimed = new LinkedHashMap<>();
        IntStream.of(numbers).forEach(number -> claimed.put(id(number), rows.get(number)));
        List<RowChange> claims = claimed.keySet().stream()
                .map(id -> new RowChange(
                        keyspace.job(MAIL.name(), id),
                        stage.await(JobTable.read(tx, keyspace.job(MAIL.name(), id)))
                                .orElseThrow(),
                        null))
                .toList();
        return clearing.clearRanges(tx, claimed, claims).stream()
                .filter(RowChange::isDequeued)
                .map(claim -> claim.ref().id())
                .toList();
    }

    private static int[] numbers(int from, int to) {
        return IntStream.range(from, to).toArray();
    }

    private static List<String> ids(int from, int to) {
        return IntStream.range(from, to).mapToObj(QueueClearingTest::id).toList();
    }

    private boolean commits(Transaction tx) {
        return stage.await(tx.commit().handle((done, error) -> error == null));
    }

    private CompletableFuture<?> addBetween(int number) {
        return jobs.add(stage.database(), NewJob.of(MAIL, "hi").id(id(number) + "-between"));
    }

    @Test
    void consecutiveRowsAreCleared_andNoOthers() {
        try (Transaction tx = stage.database().createTransaction()) {
            assertThat(clear(tx, numbers(1, ROWS + 1))).isEqualTo(ids(1, ROWS + 1));
            assertThat(commits(tx)).isTrue();
        }
        assertThat(queued())
                .contains(id(0))
                .containsAll(ids(ROWS + 1, 2 * ROWS + 1))
                .hasSize(ROWS + 1);
    }

    @Test
    void aRowBetweenThatIsNotClaimedStays() {
        int[] all = numbers(0, 2 * ROWS + 1);
        int[] withoutOne = IntStream.of(all).filter(number -> number != ROWS).toArray();
        try (Transaction tx = stage.database().createTransaction()) {
            assertThat(clear(tx, withoutOne)).hasSize(2 * ROWS);
            assertThat(commits(tx)).isTrue();
        }
        assertThat(queued()).containsExactly(id(ROWS));
    }

    @Test
    void fewRowsAreLeftToTheirJobs() {
        try (Transaction tx = stage.database().createTransaction()) {
            assertThat(clear(tx, numbers(0, ROWS - 1))).isEmpty();
        }
    }

    @Test
    void aJobAddedBetweenIsNotLost_andTheNextTriesClearNoRange() {
        try (Transaction tx = stage.database().createTransaction()) {
            assertThat(clear(tx, numbers(0, ROWS))).hasSize(ROWS);
            stage.await(addBetween(3));
            assertThat(commits(tx)).isFalse();
        }
        assertThat(queued()).hasSize(2 * ROWS + 2).contains(id(3) + "-between");

        assertThat(clearing.retry()).isTrue();
        try (Transaction tx = stage.database().createTransaction()) {
            assertThat(clear(tx, numbers(0, ROWS))).isEmpty();
        }
        assertThat(clearing.retry()).isFalse();
    }

    @Test
    void aJobAddedBehindDoesNotConflict() {
        try (Transaction tx = stage.database().createTransaction()) {
            clear(tx, numbers(0, ROWS));
            stage.await(addBetween(ROWS - 1));
            assertThat(commits(tx)).isTrue();
        }
    }

    @Test
    void afterSomeClaimsRangesAreClearedAgain() {
        try (Transaction tx = stage.database().createTransaction()) {
            clear(tx, numbers(0, ROWS));
        }
        clearing.retry();
        try (Transaction tx = stage.database().createTransaction()) {
            int claims = 0;
            while (clear(tx, numbers(0, ROWS)).isEmpty()) {
                clearing.beginClaim();
                claims++;
            }
            assertThat(claims).isBetween(8, 64);
        }
    }
}
