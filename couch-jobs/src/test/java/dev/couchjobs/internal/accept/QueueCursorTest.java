package dev.couchjobs.internal.accept;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.faults.VirtualStage;
import dev.couchjobs.internal.data.Keyspace;
import dev.couchjobs.internal.data.PendingQueue;
import dev.couchjobs.internal.data.QueueEntry;
import dev.couchjobs.internal.data.TypeKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where claims go on in a queue from which nothing ever vanishes, as all that is taken is left in it here. */
class QueueCursorTest {
    private static final Subspace SUBSPACE = new Subspace(Tuple.from("trail"));
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final int WAITING = 3_000;
    private static final int WANTED = 10;
    /** A claim begins at the last job of the one before, which is gone by then if it is not here. */
    private static final int BEHIND = WANTED - 1;

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
        for (int first = 0; first < WAITING; first += 500) {
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

    /** {@return the first of the jobs that a try takes} */
    private int takes(int wanted) {
        List<QueueEntry> rows =
                stage.await(stage.database().runAsync(tx -> cursor.rows(tx, PendingQueue.unscheduled(keys), wanted)));
        assertThat(rows).hasSize(wanted);
        cursor.took(rows);
        return Integer.parseInt(rows.get(0).jobId());
    }

    private int takes() {
        return takes(WANTED);
    }

    private int claims(Duration later) {
        now = now.plus(later);
        cursor.goOn(now);
        return takes();
    }

    private int takesAfterConflict() {
        cursor.conflicted();
        return takes();
    }

    @Test
    void aloneItTakesTheHead() {
        assertThat(claims(Duration.ZERO)).isZero();
        assertThat(claims(Duration.ZERO)).isZero();
    }

    @Test
    void afterAConflictItGoesOnFurtherAhead_andEachClaimBehindTheOneBefore() {
        assertThat(claims(Duration.ZERO)).isZero();
        int leapt = takesAfterConflict();
        assertThat(leapt).isBetween(WANTED, 4 * WANTED);
        assertThat(claims(Duration.ZERO)).isEqualTo(leapt + BEHIND);
    }

    @Test
    void aTryThatMetNobodyBeginsWhereTheOneBeforeDid() {
        claims(Duration.ZERO);
        int leapt = takesAfterConflict();
        cursor.again();
        assertThat(takes()).isEqualTo(leapt);
    }

    @Test
    void aTryThatFailsBeforeItHasTakenAnythingLosesNoPlace() {
        claims(Duration.ZERO);
        int leapt = takesAfterConflict();
        cursor.goOn(now);
        cursor.again();
        assertThat(takes()).isEqualTo(leapt + BEHIND);
    }

    @Test
    void everySecondItComesBackToTheHead() {
        claims(Duration.ZERO);
        takesAfterConflict();
        takesAfterConflict();
        int leapt = takesAfterConflict();
        assertThat(claims(Duration.ofMillis(999))).isEqualTo(leapt + BEHIND);
        assertThat(claims(Duration.ofMillis(1))).isZero();
    }

    @Test
    void soItDoesWhenItHasTakenFourTimesWhatItLeapsOver() {
        claims(Duration.ZERO);
        takesAfterConflict();
        int claims = 0;
        while (claims(Duration.ZERO) > 0) {
            claims++;
        }
        assertThat(claims).isBetween(4, 4 * 4);
    }

    @Test
    void itLeapsNoFurtherThanFourHundredTimesWhatItTakes() {
        int furthest = 0;
        for (int i = 0; i < 200; i++) {
            now = now.plusSeconds(1);
            cursor.goOn(now);
            assertThat(takes(1)).isZero();
            cursor.conflicted();
            furthest = Math.max(furthest, takes(1));
        }
        assertThat(furthest).isBetween(300, 400);
    }
}
