package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.costs.MeasuredDatabase;
import dev.couchjobs.faults.VirtualStage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The row of a type's timeout, which jobs write too when their type comes into use, and what depends on that row. */
class TypeTimeoutTest {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final JobType<String, String> OTHER = JobType.of("another", String.class, String.class);
    private static final Duration BEFORE = Duration.ofSeconds(10);
    private static final Duration AFTER = Duration.ofMinutes(5);

    private final VirtualStage stage = new VirtualStage(5);
    private final Database database = stage.database();
    private final CouchJobs jobs = instance();

    @AfterEach
    void close() {
        jobs.close();
        stage.close();
    }

    private CouchJobs instance() {
        return CouchJobs.builder(database).environment(stage.environment()).build();
    }

    private void write(String subspace, JobType<?, ?> type, Tuple value) {
        stage.await(database.runAsync(tx -> {
            tx.set(Tuple.from("couch_jobs", subspace, type.name()).pack(), value.pack());
            return CompletableFuture.completedFuture(null);
        }));
    }

    private boolean commits(Transaction tx) {
        return stage.await(tx.commit().handle((done, error) -> error == null));
    }

    @Test
    void aTimeoutThatIsSetWhileAJobIsAddedStays() {
        stage.await(jobs.types().setTypeTimeout(database, MAIL, BEFORE));
        try (Transaction tx = database.createTransaction()) {
            stage.await(jobs.add(tx, MAIL, "a", "data"));
            stage.await(jobs.types().setTypeTimeout(database, MAIL, AFTER));
            commits(tx);
        }

        assertThat(stage.await(jobs.types().getTypeTimeout(database, MAIL))).hasValue(AFTER);
    }

    @Test
    void aTimeoutThatIsClearedWhileAJobIsAddedStaysCleared() {
        stage.await(jobs.types().setTypeTimeout(database, MAIL, BEFORE));
        try (Transaction tx = database.createTransaction()) {
            stage.await(jobs.add(tx, MAIL, "a", "data"));
            stage.await(jobs.types().clearTypeTimeout(database, MAIL));
            commits(tx);
        }

        assertThat(stage.await(jobs.types().getTypeTimeout(database, MAIL))).isEmpty();
    }

    @Test
    void jobsAddedAtTheSameTimeDoNotDisturbEachOther() {
        stage.await(jobs.types().setTypeTimeout(database, MAIL, BEFORE));
        try (Transaction one = database.createTransaction();
                Transaction another = database.createTransaction()) {
            stage.await(jobs.add(one, MAIL, "a", "data"));
            stage.await(jobs.add(another, MAIL, "b", "data"));

            assertThat(commits(one)).isTrue();
            assertThat(commits(another)).isTrue();
        }
    }

    /** A job of another type runs in a process that dies; another process handles both types. */
    private void anotherTypeIsMonitored() {
        stage.await(jobs.types().setTypeTimeout(database, MAIL, BEFORE));
        stage.await(jobs.add(database, MAIL, "a", "data"));
        try (CouchJobs monitor = instance()) {
            try (CouchJobs dying = instance()) {
                assertThat(stage.await(dying.processor().accept(MAIL))).isPresent();
                monitor.maintenance().monitor(OTHER);
                monitor.maintenance().monitor(MAIL);
                stage.time().advance(Duration.ofSeconds(1));
            }
            stage.time().advance(BEFORE.multipliedBy(2));
        }
        assertThat(stage.await(jobs.getJobState(database, MAIL, "a"))).isEqualTo(JobState.PENDING);
    }

    @Test
    void aTimeoutOfNothingOfOneTypeDoesNotKeepAnotherFromBeingMonitored() {
        write("activity_timeout", OTHER, Tuple.from(0, true));
        write("in_use", OTHER, Tuple.from(null, 0, 0));
        anotherTypeIsMonitored();
    }

    @Test
    void aTimeoutBelowNothingOfOneTypeDoesNotKeepAnotherFromBeingMonitored() {
        write("activity_timeout", OTHER, Tuple.from(-5, true));
        write("in_use", OTHER, Tuple.from(null, 0, 0));
        anotherTypeIsMonitored();
    }

    @Test
    void aTimeoutWithoutEndOfOneTypeDoesNotKeepAnotherFromBeingMonitored() {
        write("activity_timeout", OTHER, Tuple.from(Long.MAX_VALUE, true));
        write("in_use", OTHER, Tuple.from(17, Long.MAX_VALUE, 1));
        anotherTypeIsMonitored();
    }

    @Test
    void aTimeoutOfNothingDoesNotKeepItsMonitorBusy() {
        MeasuredDatabase way = new MeasuredDatabase(database, stage.time());
        stage.await(jobs.types().setTypeTimeout(database, OTHER, BEFORE));
        stage.await(jobs.add(database, OTHER, "a", "data"));
        write("activity_timeout", OTHER, Tuple.from(0, true));
        write("in_use", OTHER, Tuple.from(null, 0, 0));
        try (CouchJobs monitor = CouchJobs.builder(way.asDatabase())
                .environment(stage.environment())
                .build()) {
            monitor.maintenance().monitor(OTHER);
            stage.time().advance(Duration.ofMinutes(1));
        }
        assertThat(way.tries()).hasSizeLessThan(100);
    }

    @Test
    void aJobEndsWhoseDependentIsOfATypeWithADamagedTimeout() {
        stage.await(jobs.types().setTypeTimeout(database, MAIL, AFTER));
        stage.await(jobs.types().setTypeTimeout(database, OTHER, AFTER));
        stage.await(jobs.add(database, MAIL, "a", "data"));
        stage.await(jobs.add(database, NewJob.of(OTHER, "data").id("b").after(MAIL, "a")));
        write("activity_timeout", OTHER, Tuple.from("damaged"));
        jobs.worker()
                .handleAsync(MAIL, job -> CompletableFuture.completedFuture("done"))
                .executor(stage.time())
                .start();
        stage.time().advance(AFTER);

        assertThat(stage.await(jobs.getJobState(database, MAIL, "a"))).isEqualTo(JobState.FINISHED);
    }

    /** The scheduled time has come; claims of these see to it that the type is in use. */
    @Test
    void aScheduledJobRunsAlthoughTheTimeoutOfItsTypeIsDamaged() {
        stage.await(jobs.types().setTypeTimeout(database, MAIL, AFTER));
        stage.await(jobs.add(
                database,
                NewJob.of(MAIL, "data")
                        .id("a")
                        .at(stage.environment().clock().instant().plusSeconds(60))));
        stage.await(jobs.add(database, NewJob.of(MAIL, "data").id("b")));
        write("activity_timeout", MAIL, Tuple.from("damaged"));
        jobs.worker()
                .handleAsync(MAIL, job -> CompletableFuture.completedFuture("done"))
                .executor(stage.time())
                .start();
        stage.time().advance(AFTER);

        assertThat(stage.await(jobs.getJobState(database, MAIL, "b"))).isEqualTo(JobState.FINISHED);
        assertThat(stage.await(jobs.getJobState(database, MAIL, "a"))).isEqualTo(JobState.FINISHED);
    }
}
