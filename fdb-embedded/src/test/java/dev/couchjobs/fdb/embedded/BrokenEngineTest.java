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
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of commits when the engine itself meets an {@link Error} at any point of their way. */
class BrokenEngineTest {
    private static final int UNKNOWN = 1021;
    private static final int BROKEN = 4100;

    private final VirtualScheduler scheduler = new VirtualScheduler();
    private final ManualStorage storage = new ManualStorage();
    private final EngineEnvironment environment =
            new EngineEnvironment(scheduler, scheduler, scheduler::nanoTime, new Random(1));
    private final Database database = new EngineDatabase(new Engine(environment, storage, () -> {}), false);

    @Test
    void anErrorWhileABatchIsDecidedIsToldToAllOfIt() {
        storage.throwWhenAskedForContents(new OutOfMemoryError("planted"), 1);

        CompletableFuture<Void> one = set("a");
        CompletableFuture<Void> other = set("b");
        run();

        assertThat(codeOf(one)).isEqualTo(UNKNOWN);
        assertThat(codeOf(other)).isEqualTo(UNKNOWN);
        assertNothingGoesOn();
    }

    @Test
    void anErrorWhileABatchIsPublishedIsToldToAllOfIt() {
        storage.throwWhenAskedForContents(new StackOverflowError("planted"), 2);
        CompletableFuture<Void> one = set("a");
        CompletableFuture<Void> other = set("b");
        run();

        storage.finishNext();
        run();

        assertThat(codeOf(one)).isEqualTo(UNKNOWN);
        assertThat(codeOf(other)).isEqualTo(UNKNOWN);
        assertNothingGoesOn();
    }

    @Test
    void whatWaitsBehindABatchThatBreaksIsAnsweredAsWell() {
        storage.throwWhenAskedForContents(new StackOverflowError("planted"), 2);
        CompletableFuture<Void> first = set("a");
        scheduler.runUntilIdle();
        CompletableFuture<Void> second = set("b");
        scheduler.runUntilIdle();

        storage.finishNext();
        run();

        assertThat(codeOf(first)).isEqualTo(UNKNOWN);
        assertThat(codeOf(second)).isEqualTo(BROKEN);
        assertNothingGoesOn();
    }

    @Test
    void watchesEndWithTheEngine() {
        Transaction tr = database.createTransaction();
        CompletableFuture<Void> watch = tr.watch(key("w"));
        scheduler.await(tr.commit());
        storage.throwWhenAskedForContents(new StackOverflowError("planted"), 2);
        CompletableFuture<Void> commit = set("a");
        scheduler.runUntilIdle();
        storage.finishNext();
        run();

        assertThat(codeOf(commit)).isEqualTo(UNKNOWN);
        assertThat(codeOf(watch)).isEqualTo(BROKEN);
    }

    @Test
    void aBrokenEngineIsClosedLikeAnyOther() {
        storage.throwWhenAskedForContents(new StackOverflowError("planted"), 1);
        CompletableFuture<Void> commit = set("a");
        Transaction later = database.createTransaction();
        run();

        database.close();
        run();

        assertThat(codeOf(commit)).isEqualTo(UNKNOWN);
        later.set(key("b"), key("1"));
        assertThat(codeOf(later.commit())).isEqualTo(1101);
    }

    /** One thread commits at every depth of a stack that is about to overflow; the other one shares its batches. */
    @Test
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aThreadWithoutStackTakesNobodysAnswerAlong() throws InterruptedException {
        int commits = 2_000;
        try (Database shared = EmbeddedDatabase.openInMemory()) {
            commit(shared); // so that all classes are there
            Thread overflowing = new Thread(null, () -> overflow(shared), "overflowing", 256 << 10);
            overflowing.start();
            for (int i = 0; i < commits || overflowing.isAlive(); i++) {
                shared.run(tr -> {
                    tr.mutate(MutationType.ADD, key("n"), new byte[] {1, 0, 0, 0});
                    return true;
                });
            }
            overflowing.join();
            byte[] counted = shared.run(tr -> tr.get(key("n")).join());
            assertThat(counted).isNotNull();
        }
    }

    /** Goes down to the end of the stack, and commits on the way back. */
    @SuppressWarnings("InfiniteRecursion") // down to where the stack ends
    private static void overflow(Database database) {
        try {
            overflow(database);
        } catch (StackOverflowError deeper) {
            // The frames above have a little more room each.
        }
        try {
            commit(database);
        } catch (StackOverflowError noRoom) {
            // Told to the thread that caused it.
        }
    }

    private static void commit(Database database) {
        database.run(tr -> {
            tr.set(key("s"), key("v"));
            return true;
        });
    }

    private void assertNothingGoesOn() {
        List<CompletableFuture<Void>> later =
                IntStream.range(0, 3).mapToObj(i -> set("z" + i)).toList();
        run();
        assertThat(later).allSatisfy(commit -> assertThat(codeOf(commit)).isEqualTo(BROKEN));
        try (Transaction reader = database.createTransaction()) {
            CompletableFuture<byte[]> read = reader.get(key("a"));
            assertThat(codeOf(read)).isEqualTo(BROKEN);
            assertThat(catchThrowable(read::join))
                    .hasMessageContaining("planted")
                    .hasMessageContaining("close the database and open it again");
        }
    }

    /** An executor's thread would go on after a task that throws. */
    private void run() {
        Throwable thrown;
        do {
            thrown = catchThrowable(scheduler::runUntilIdle);
        } while (thrown != null);
    }

    private CompletableFuture<Void> set(String name) {
        Transaction tr = database.createTransaction();
        tr.set(key(name), key("1"));
        return tr.commit();
    }

    private static int codeOf(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return catchThrowable(() -> failed.getNow(null)).getCause() instanceof FDBException error ? error.getCode() : 0;
    }
}
