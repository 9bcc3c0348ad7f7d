package dev.couchjobs.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.internal.rows.Keyspace;
import dev.couchjobs.internal.rows.TypeKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The positions of claims in a queue from which no row is removed: this test leaves the claimed rows in it. */
class QueueCursorTest {
    private static final Subspace SUBSPACE = new Subspace(Tuple.from("cursor"));
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final int PENDING = 3_000;
    private static final int DEMAND = 10;
    /** A claim begins at the last row of the previous claim, which only this test leaves in the queue. */
    private static final int BEHIND = DEMAND - 1;

    private final VirtualStage stage = new VirtualStage(7);
    private final TypeKeys keys = new Keyspace(SUBSPACE).type(MAIL.name());
    private final QueueCursor cursor = new QueueCursor(keys, new Random(7));
    private Instant now = Instant.ofEpochSecond(100);

    @BeforeEach
    void addJobs() {
        CouchJobs jobs = CouchJobs.builder(stage.database())
                .subspace(SUBSPACE)
                .environment(stage.environment())
                .build();
        stage.await(jobs.types().setTypeTimeout(stage.database(), MAIL, Duration.ofSeconds(30)));
        for (int first = 0; first < PENDING; first += 500) {
            stage.await(jobs.addAll(
                    stage.database(),
                    IntStream.range(first, first + 500)
                            .mapToObj(number -> NewJob.of(MAIL, "hi").id("%06d".formatted(number)))
                            .toList()));
        }
        jobs.close();
    }

    @AfterEach
    void close() {
        stage.close();
    }

    /** {@return the number of the first job that a try claims} */
    private int firstOfTry(int demand) {
        List<QueueEntry> rows =
                stage.await(stage.database().runAsync(tx -> cursor.read(tx, PendingQueue.unscheduled(keys), demand)));
        assertThat(rows).hasSize(demand);
        cursor.recordClaimed(rows);
        return Integer.parseInt(rows.get(0).jobId());
    }

    private int firstOfTry() {
        return firstOfTry(DEMAND);
    }

    private int firstOfClaim(Duration later) {
        now = now.plus(later);
        cursor.beginClaim(now);
        return firstOfTry();
    }

    private int firstAfterConflict() {
        cursor.retryAfterConflict();
        return firstOfTry();
    }

    @Test
    void withoutCompetitionAClaimBeginsAtTheHead() {
        assertThat(firstOfClaim(Duration.ZERO)).isZero();
        assertThat(firstOfClaim(Duration.ZERO)).isZero();
    }

    @Test
    void afterAConflictATrySkipsRows_andEachClaimBeginsBehindThePrevious() {
        assertThat(firstOfClaim(Duration.ZERO)).isZero();
        int skippedTo = firstAfterConflict();
        assertThat(skippedTo).isBetween(DEMAND, 4 * DEMAND);
        assertThat(firstOfClaim(Duration.ZERO)).isEqualTo(skippedTo + BEHIND);
    }

    @Test
    void aRetryWithoutConflictBeginsWhereThePreviousTryDid() {
        firstOfClaim(Duration.ZERO);
        int skippedTo = firstAfterConflict();
        cursor.retry();
        assertThat(firstOfTry()).isEqualTo(skippedTo);
    }

    @Test
    void aTryThatFailsBeforeItPicksRowsKeepsThePosition() {
        firstOfClaim(Duration.ZERO);
        int skippedTo = firstAfterConflict();
        cursor.beginClaim(now);
        cursor.retry();
        assertThat(firstOfTry()).isEqualTo(skippedTo + BEHIND);
    }

    @Test
    void everySecondItReturnsToTheHead() {
        firstOfClaim(Duration.ZERO);
        firstAfterConflict();
        firstAfterConflict();
        int skippedTo = firstAfterConflict();
        assertThat(firstOfClaim(Duration.ofMillis(999))).isEqualTo(skippedTo + BEHIND);
        assertThat(firstOfClaim(Duration.ofMillis(1))).isZero();
    }

    @Test
    void itReturnsWhenItHasClaimedFourTimesTheSkipDistance() {
        firstOfClaim(Duration.ZERO);
        firstAfterConflict();
        int claims = 0;
        while (firstOfClaim(Duration.ZERO) > 0) {
            claims++;
        }
        assertThat(claims).isBetween(4, 4 * 4);
    }

    @Test
    void itSkipsAtMostFourHundredTimesTheDemand() {
        int furthest = 0;
        for (int i = 0; i < 200; i++) {
            now = now.plusSeconds(1);
            cursor.beginClaim(now);
            assertThat(firstOfTry(1)).isZero();
            cursor.retryAfterConflict();
            furthest = Math.max(furthest, firstOfTry(1));
        }
        assertThat(furthest).isBetween(300, 400);
    }
}
