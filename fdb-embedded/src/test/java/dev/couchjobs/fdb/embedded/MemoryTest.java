package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What happens to writers for whose changes the heap has no room, in heaps of a few megabytes and in virtual time. */
class MemoryTest {
    private static final int VALUE_BYTES = 99_000;
    private static final long MEGABYTE = 1 << 20;
    private static final long WINDOW_NANOS = Duration.ofSeconds(5).toNanos();

    private final VirtualScheduler scheduler = new VirtualScheduler();

    @Test
    void aWriterIsHeldBackToWhatTheHeapKeepsForFiveSeconds() {
        Database database = open(16 * MEGABYTE);
        int fit = (int) (4 * MEGABYTE / VALUE_BYTES) + 1;
        List<Long> committed = new ArrayList<>();
        for (int i = 0; i < 10 * fit; i++) {
            overwrite(database, "a");
            committed.add(scheduler.nanoTime());
        }
        for (int i = fit; i < committed.size(); i++) {
            assertThat(committed.get(i) - committed.get(i - fit))
                    .as("how long %d commits took, up to number %d", fit, i)
                    .isGreaterThan(WINDOW_NANOS);
            assertThat(committed.get(i) - committed.get(i - 1))
                    .as("how long number %d waited", i)
                    .isLessThan(WINDOW_NANOS);
        }
    }

    @Test
    void whatIsReadBeforeAHeldBackCommitIsNotTooOldByThen() {
        Database database = open(16 * MEGABYTE);
        int tries = 200;
        List<Integer> begun = new ArrayList<>();
        for (int i = 0; i < tries; i++) {
            scheduler.await(database.runAsync(tr -> {
                begun.add(1);
                return tr.get(key("a")).thenAccept(value -> tr.set(key("a"), new byte[VALUE_BYTES]));
            }));
        }
        assertThat(begun).hasSize(tries);
    }

    @Test
    void commitsThatOnlyConflictAreHeldBackAsWell() {
        Database database = open(MEGABYTE);
        for (int i = 0; i < 10_000; i++) {
            byte[] name = key("k" + i);
            scheduler.await(database.runAsync(tr -> {
                tr.addWriteConflictKey(name);
                return CompletableFuture.completedFuture(true);
            }));
        }
        assertThat(scheduler.nanoTime()).isGreaterThan(2 * WINDOW_NANOS);
    }

    @Test
    void whoeverDoesNotWaitForAnswersIsRefusedUntilOthersHaveBeenDecided() {
        Database database = open(16 * MEGABYTE);
        List<CompletableFuture<Void>> commits = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            Transaction tr = database.createTransaction();
            tr.set(key("k" + i), new byte[VALUE_BYTES]);
            commits.add(tr.commit());
        }
        scheduler.runUntilIdle();
        long refused = commits.stream().filter(commit -> codeOf(commit) == 1042).count();
        assertThat(refused).isBetween(85L, 95L);
        assertThat(catchThrowable(commits.get(99)::join).getCause())
                .isInstanceOfSatisfying(
                        FDBException.class,
                        error -> assertThat(error.isRetryableNotCommitted()).isTrue());
        overwrite(database, "later");
    }

    @Test
    void aTransactionLargerThanTheLimitPasses() {
        Database database = open(MEGABYTE);
        for (int i = 0; i < 3; i++) {
            scheduler.await(database.runAsync(tr -> {
                for (int row = 0; row < 10; row++) {
                    tr.set(key("k" + row), new byte[30_000]);
                }
                return CompletableFuture.completedFuture(true);
            }));
        }
        assertThat(scheduler.nanoTime()).isGreaterThan(WINDOW_NANOS);
    }

    @Test
    void aFullDatabaseInMemorySaysWhatToDoAndLetsRowsBeCleared() {
        Database database = open(4 * MEGABYTE);
        Throwable full = null;
        int rows = 0;
        while (full == null) {
            String name = "k" + rows;
            full = catchThrowable(() -> overwrite(database, name));
            rows += full == null ? 1 : 0;
        }
        assertThat(rows).isEqualTo(21);
        assertThat(full.getCause())
                .isInstanceOf(FDBException.class)
                .hasMessageContaining("-Xmx")
                .hasCauseInstanceOf(StorageFullException.class);
        assertThat(codeOf(CompletableFuture.failedFuture(full))).isEqualTo(1510);

        overwrite(database, "k0");
        scheduler.await(database.runAsync(tr -> {
            tr.clear(key("k1"));
            tr.set(key("k0"), key("small"));
            return CompletableFuture.completedFuture(true);
        }));
        overwrite(database, "new");
    }

    @Test
    void aCommitForWhichThereIsNoRoomLeavesNothingBehind() {
        Database database = open(4 * MEGABYTE);
        for (int i = 0; i < 20; i++) {
            overwrite(database, "k" + i);
        }
        Throwable full = catchThrowable(() -> scheduler.await(database.runAsync(tr -> {
            tr.clear(key("k0"));
            for (int i = 0; i < 5; i++) {
                tr.set(key("z" + i), new byte[VALUE_BYTES]);
            }
            return CompletableFuture.completedFuture(true);
        })));
        assertThat(full).isNotNull();
        try (Transaction tr = database.createTransaction()) {
            assertThat(tr.get(key("k0")).join()).hasSize(VALUE_BYTES);
            assertThat(tr.get(key("z0")).join()).isNull();
        }
    }

    private void overwrite(Database database, String name) {
        scheduler.await(database.runAsync(tr -> {
            tr.set(key(name), new byte[VALUE_BYTES]);
            return CompletableFuture.completedFuture(true);
        }));
    }

    private Database open(long heapBytes) {
        return EmbeddedDatabase.openInMemory(
                new EngineEnvironment(scheduler, scheduler, scheduler::nanoTime, new Random(1), heapBytes));
    }

    private static int codeOf(CompletableFuture<?> failed) {
        Throwable thrown = catchThrowable(() -> failed.getNow(null));
        while (thrown != null && !(thrown instanceof FDBException)) {
            thrown = thrown.getCause();
        }
        return thrown instanceof FDBException error ? error.getCode() : 0;
    }
}
