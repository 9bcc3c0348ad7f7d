package dev.couchjobs.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.ByteArrayUtil;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.AddResult;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.CouchJobsBuilder;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.fdb.testing.TestCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster that is locked for a while, as for a restore: see the profile fdb. Nobody else can use it meanwhile. */
@Timeout(value = 5, unit = TimeUnit.MINUTES) // ends what hangs, and measures nothing
class LockedClusterTest {
    private static final JobType<String, String> MAIL = JobType.of("mail", String.class, String.class);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    /** Where FoundationDB keeps who has locked it, behind a stamp. */
    private static final byte[] LOCK =
            ByteArrayUtil.join(new byte[] {(byte) 0xFF}, "/dbLocked".getBytes(StandardCharsets.US_ASCII));

    private static final int STAMP_BYTES = 10;
    private static final int ID_BYTES = 16;

    private final Database database = TestCluster.open();
    private final Subspace subspace =
            new Subspace(Tuple.from("locked", UUID.randomUUID().toString()));
    private final CouchJobs jobs = instance().build();

    private CouchJobsBuilder instance() {
        return CouchJobs.builder(database).subspace(subspace);
    }

    @BeforeEach
    void setTimeout() {
        jobs.types().setTypeTimeout(database, MAIL, Duration.ofSeconds(10)).join();
    }

    @AfterEach
    void close() {
        unlock();
        jobs.close();
        database.run(tx -> {
            tx.clear(subspace.range());
            return true;
        });
        database.close();
    }

    private void lock() {
        byte[] noOffset = new byte[Integer.BYTES];
        byte[] who = ByteArrayUtil.join(new byte[STAMP_BYTES], new byte[ID_BYTES], noOffset);
        who[STAMP_BYTES] = 1; // an id of zero is nobody's
        asOperator(tx -> tx.mutate(MutationType.SET_VERSIONSTAMPED_VALUE, LOCK, who));
    }

    private void unlock() {
        asOperator(tx -> tx.clear(LOCK));
    }

    private void asOperator(Consumer<Transaction> body) {
        database.run(tx -> {
            tx.options().setAccessSystemKeys();
            tx.options().setLockAware();
            body.accept(tx);
            return true;
        });
    }

    @Test
    void aVerbGivesUpWhenItsTimeIsUp_andSaysWhy() {
        lock();
        try (CouchJobs hasty =
                instance().transactionTimeout(Duration.ofSeconds(1)).build()) {
            CompletableFuture<AddResult> added = hasty.add(database, MAIL, "a", "data");

            assertThatThrownBy(added::join).cause().isInstanceOfSatisfying(FDBException.class, error -> {
                assertThat(error.getCode()).isEqualTo(1031);
                assertThat(error.getSuppressed())
                        .singleElement()
                        .isInstanceOfSatisfying(
                                FDBException.class,
                                reason -> assertThat(reason.getCode()).isEqualTo(1038));
            });
        }
    }

    @Test
    void aVerbWaitsForTheEndOfTheLock() {
        lock();
        CompletableFuture<AddResult> added = jobs.add(database, MAIL, "a", "data");
        unlock();
        added.join();

        assertThat(jobs.getJobState(database, MAIL, "a").join()).isEqualTo(JobState.PENDING);
    }

    @Test
    void aWorkerGoesOnAfterwards() {
        CompletableFuture<String> begun = new CompletableFuture<>();
        CompletableFuture<String> end = new CompletableFuture<>();
        jobs.worker()
                .handleAsync(MAIL, job -> {
                    begun.complete(job.id());
                    return end;
                })
                .start();
        jobs.add(database, MAIL, "a", "data").join();
        begun.join();

        lock();
        end.complete("done");
        try (CouchJobs hasty =
                instance().transactionTimeout(Duration.ofSeconds(2)).build()) {
            assertThatThrownBy(() -> hasty.getJobState(database, MAIL, "a").join())
                    .hasCauseInstanceOf(FDBException.class);
        }
        unlock();

        assertThat(jobs.result(MAIL, "a", MINUTE)).isEqualTo("done");
        jobs.add(database, MAIL, "b", "data").join();
        assertThat(jobs.result(MAIL, "b", MINUTE)).isEqualTo("done");
    }
}
