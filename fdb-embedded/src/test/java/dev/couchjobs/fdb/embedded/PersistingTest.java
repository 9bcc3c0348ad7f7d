package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.internal.client.EngineDatabase;
import dev.couchjobs.fdb.internal.commit.Engine;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What others see of a commit while the storage has not confirmed it, and when the storage fails. */
class PersistingTest {
    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final ManualStorage storage = new ManualStorage();
    private final EngineEnvironment environment =
            new EngineEnvironment(scheduler, scheduler, scheduler::nanoTime, new Random(1));
    private final Database database = new EngineDatabase(new Engine(environment, storage, () -> {}), false);

    @Test
    void aCommitIsNeitherAcknowledgedNorSeenBeforeItIsPersisted() {
        CompletableFuture<Void> commit = set("a", "1");
        assertThat(commit).isNotDone();
        assertThat(get("a")).isNull();
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(get("a")).isNull();
        storage.finishNext();
        scheduler.runUntilIdle();
        assertThat(commit).isCompleted();
        assertThat(get("a")).isEqualTo(key("1"));
    }

    @Test
    void whatIsDecidedMeanwhileSharesTheNextWrite() {
        CompletableFuture<Void> first = add();
        CompletableFuture<Void> second = add();
        CompletableFuture<Void> third = add();
        assertThat(storage.pending()).isOne();
        storage.finishNext();
        scheduler.runUntilIdle();
        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
        assertThat(storage.pending()).isOne();
        storage.finishNext();
        scheduler.runUntilIdle();
        assertThat(CompletableFuture.allOf(second, third)).isCompleted();
        assertThat(storage.pending()).isZero();
        assertThat(get("n")).isEqualTo(new byte[] {3});
    }

    @Test
    void aConflictWithACommitThatIsNotYetPersistedIsSeen() {
        Transaction reader = database.createTransaction();
        assertThat(reader.get(key("a")).join()).isNull();
        CompletableFuture<Void> writer = set("a", "1");
        reader.set(key("b"), key("1"));
        CompletableFuture<Void> commit = reader.commit();
        scheduler.runUntilIdle();
        storage.finishNext();
        scheduler.runUntilIdle();
        storage.finishNext();
        scheduler.runUntilIdle();
        assertThat(writer).isCompleted();
        assertThat(codeOf(commit)).isEqualTo(1020);
    }

    @Test
    void whatCannotBePersistedTakesAlongWhatWasDecidedOnTopOfIt() {
        CompletableFuture<Void> first = add();
        CompletableFuture<Void> second = add();
        storage.failNext(new StorageFullException("No room for the log", Path.of("db"), null));
        scheduler.runUntilIdle();
        assertThat(codeOf(first)).isEqualTo(1510);
        assertThat(codeOf(second)).isEqualTo(1510);
        assertThat(catchThrowable(first::join))
                .hasMessageContaining("No room for the log")
                .hasRootCauseInstanceOf(StorageFullException.class);
        assertThat(get("n")).isNull();
        assertThat(storage.pending()).isZero();
    }

    @Test
    void anErrorInTheStorageStopsTheEngine() {
        CompletableFuture<Void> first = add();
        CompletableFuture<Void> second = add();
        storage.throwNext(new OutOfMemoryError("planted"));
        storage.finishNext();
        scheduler.runUntilIdle();
        assertThat(first).isCompleted();
        assertThat(codeOf(second)).isEqualTo(1021);
        assertThat(codeOf(add())).isEqualTo(4100);
        assertThat(EmbeddedDatabase.failure(database).join()).hasRootCauseMessage("planted");
    }

    @Test
    void aStorageThatFailsForGoodStopsTheEngine() {
        Transaction waiting = database.createTransaction();
        CompletableFuture<Void> watch = waiting.watch(key("w"));
        scheduler.await(waiting.commit());
        CompletableFuture<FDBException> failure = EmbeddedDatabase.failure(database);
        CompletableFuture<Void> first = add();
        assertThat(failure).isNotDone();

        storage.failForGood(new StorageException("The log failed", Path.of("db"), null));
        scheduler.runUntilIdle();

        assertThat(codeOf(first)).isEqualTo(1510);
        assertThat(codeOf(add())).isEqualTo(1510);
        assertThat(codeOf(watch)).isEqualTo(1510);
        assertThat(failure.join()).hasMessageContaining("The log failed").hasCauseInstanceOf(StorageException.class);
        assertThat(failure.join().getCode()).isEqualTo(1510);
        try (Transaction tr = database.createTransaction()) {
            assertThat(codeOf(tr.get(key("n")))).isEqualTo(1510);
        }
    }

    @Test
    void aStorageThatFailsOnceDoesNotStopTheEngine() {
        CompletableFuture<Void> first = add();
        storage.failNext(new StorageFullException("No room for the log", Path.of("db"), null));
        scheduler.runUntilIdle();
        assertThat(codeOf(first)).isEqualTo(1510);
        assertThat(EmbeddedDatabase.failure(database)).isNotDone();
    }

    @Test
    void whatCannotBeDecidedLetsNobodyPastACommitUnderWay() {
        CompletableFuture<Void> first = set("a", "1");
        storage.failNextEdit(new StorageException("The disk failed", Path.of("db"), null));
        CompletableFuture<Void> second = set("b", "1");
        assertThat(codeOf(second)).isEqualTo(1510);
        scheduler.advance(Duration.ofSeconds(1));
        Transaction reader = database.createTransaction();
        long seen = reader.getReadVersion().join();
        assertThat(reader.get(key("a")).join()).isNull();
        storage.finishNext();
        scheduler.runUntilIdle();
        assertThat(first).isCompleted();
        try (Transaction later = database.createTransaction()) {
            assertThat(later.getReadVersion().join()).isGreaterThan(seen);
        }
        reader.set(key("a"), key("2"));
        CompletableFuture<Void> refused = commit(reader);
        storage.finishNext();
        scheduler.runUntilIdle();
        assertThat(codeOf(refused)).isEqualTo(1020);
    }

    @Test
    void anExecutorThatRefusesCostsNobodyElseTheAnswer() {
        Transaction one = database.createTransaction(task -> {
            throw new IllegalStateException("the pool is closed");
        });
        Transaction other = database.createTransaction();
        one.set(key("a"), key("1"));
        other.set(key("b"), key("1"));
        CompletableFuture<Void> both = CompletableFuture.allOf(one.commit(), other.commit());
        scheduler.runUntilIdle();
        storage.finishNext();
        scheduler.runUntilIdle();
        assertThat(both).isCompleted();
    }

    @Test
    void commitsGoOnFromWhatIsPersistedOnceTheStorageDoes() {
        CompletableFuture<Void> first = add();
        storage.finishNext();
        scheduler.runUntilIdle();
        CompletableFuture<Void> second = add();
        storage.failNext(new StorageException("The disk failed", Path.of("db"), null));
        scheduler.runUntilIdle();
        CompletableFuture<Void> third = add();
        storage.finishNext();
        scheduler.runUntilIdle();
        assertThat(first).isCompleted();
        assertThat(second).isCompletedExceptionally();
        assertThat(third).isCompleted();
        assertThat(get("n")).isEqualTo(new byte[] {2});
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(get("n")).isEqualTo(new byte[] {2});
    }

    @Test
    void aWatchFiresOnceTheChangeIsPersisted() {
        Transaction tr = database.createTransaction();
        CompletableFuture<Void> watch = tr.watch(key("a"));
        scheduler.await(tr.commit());
        CompletableFuture<Void> commit = set("a", "1");
        assertThat(watch).isNotDone();
        storage.finishNext();
        scheduler.runUntilIdle();
        assertThat(commit).isCompleted();
        assertThat(watch).isCompleted();
    }

    @Test
    void closingLetsWhatWasDecidedFinish() {
        CompletableFuture<Void> first = add();
        CompletableFuture<Void> second = add();
        database.close();
        storage.finishNext();
        scheduler.runUntilIdle();
        storage.finishNext();
        scheduler.runUntilIdle();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
    }

    private CompletableFuture<Void> set(String name, String value) {
        Transaction tr = database.createTransaction();
        tr.set(key(name), key(value));
        return commit(tr);
    }

    private CompletableFuture<Void> add() {
        Transaction tr = database.createTransaction();
        tr.mutate(MutationType.ADD, key("n"), new byte[] {1});
        return commit(tr);
    }

    private CompletableFuture<Void> commit(Transaction tr) {
        CompletableFuture<Void> commit = tr.commit();
        scheduler.runUntilIdle();
        return commit;
    }

    private byte[] get(String name) {
        try (Transaction tr = database.createTransaction()) {
            return tr.get(key(name)).join();
        }
    }

    private static int codeOf(CompletableFuture<?> failed) {
        return catchThrowable(() -> failed.getNow(null)).getCause() instanceof FDBException error ? error.getCode() : 0;
    }
}
