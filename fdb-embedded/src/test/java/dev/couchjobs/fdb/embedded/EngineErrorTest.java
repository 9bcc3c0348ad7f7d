package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.internal.client.EngineDatabase;
import dev.couchjobs.fdb.internal.commit.Engine;
import dev.couchjobs.fdb.internal.common.EngineFailure;
import dev.couchjobs.fdb.internal.storage.DurableStorage;
import dev.couchjobs.fdb.simulation.VirtualScheduler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** An {@link OutOfMemoryError} in any thread of the engine stops all of the engine, and all who wait are told. */
class EngineErrorTest {
    private static final int BROKEN = 4100;
    private static final int LARGE = 90_000;
    private static final long SMALL_HEAP = 1 << 22;

    private final VirtualScheduler scheduler = new VirtualScheduler();
    /** Looks at the clock, by tasks of the engine, until one meets the error; not positive: none does. */
    private final AtomicInteger untilError = new AtomicInteger();

    private boolean isInTask;
    private boolean hasNoThread;

    private final EngineEnvironment environment =
            new EngineEnvironment(this::execute, scheduler, this::nanoTime, new Random(1), SMALL_HEAP);

    private void execute(Runnable task) {
        if (hasNoThread) {
            throw new OutOfMemoryError("planted");
        }
        scheduler.execute(() -> {
            isInTask = true;
            try {
                task.run();
            } finally {
                isInTask = false;
            }
        });
    }

    private long nanoTime() {
        if (isInTask && untilError.decrementAndGet() == 0) {
            throw new OutOfMemoryError("planted");
        }
        return scheduler.nanoTime();
    }

    /** The parts of the engine that have a thread at times. */
    private enum Part {
        SEQUENCER {
            @Override
            void fail(Engine engine, ManualStorage storage, Database database) {
                storage.throwWhenAskedForContents(error(), 1);
                var unused = set(database, "a");
            }
        },
        STORAGE {
            @Override
            void fail(Engine engine, ManualStorage storage, Database database) {
                storage.throwNext(error());
                var unused = set(database, "a");
            }
        },
        PUBLISHER_AND_WATCHES {
            @Override
            void fail(Engine engine, ManualStorage storage, Database database) {
                storage.throwWhenAskedForContents(error(), 2);
                var unused = set(database, "a");
                var unusedEnd = engine.after(1).thenRun(storage::finishNext);
            }
        },
        BACKUP {
            @Override
            void fail(Engine engine, ManualStorage storage, Database database) {
                var unused = engine.backUp(Path.of("copy"));
            }
        },
        TIMER {
            @Override
            void fail(Engine engine, ManualStorage storage, Database database) {
                var unused = engine.alarm(1, () -> {
                    throw error();
                });
            }
        };

        abstract void fail(Engine engine, ManualStorage storage, Database database);
    }

    private static Error error() {
        return new OutOfMemoryError("planted");
    }

    @ParameterizedTest
    @EnumSource(Part.class)
    void anErrorInAPartStopsTheEngine(Part part) {
        ManualStorage storage = new ManualStorage();
        Engine engine = new Engine(environment, storage, () -> {});
        Database database = new EngineDatabase(engine, false);
        Transaction watching = database.createTransaction();
        CompletableFuture<Void> watch = watching.watch(key("w"));
        scheduler.await(watching.commit());

        part.fail(engine, storage, database);
        scheduler.advance(Duration.ofSeconds(5));

        assertStopped(database);
        assertThat(codeOf(watch)).isEqualTo(BROKEN);
    }

    @Test
    void anErrorWhileBatchesAreMovedToTheBaseStopsTheEngine(@TempDir Path directory) {
        EngineFailure failure = new EngineFailure();
        DurableStorage storage = DurableStorage.open(directory, Durability.SYNCED, environment, failure, 0);
        try (Database database = new EngineDatabase(new Engine(environment, storage, failure, () -> {}), false)) {
            for (int i = 0; i < 20; i++) {
                scheduler.await(set(database, "a" + i, LARGE));
            }
            scheduler.advance(Duration.ofSeconds(6));
            int looks = 1;
            while (!EmbeddedDatabase.failure(database).isDone() && looks < 20) {
                untilError.set(looks++);
                var unused = set(database, "b" + looks, LARGE);
                scheduler.runUntilIdle();
            }
            assertStopped(database);
            untilError.set(0);
        }
        scheduler.runUntilIdle();
    }

    @Test
    void aDelayedSyncWithoutAThreadStopsTheEngine(@TempDir Path directory) {
        EngineFailure failure = new EngineFailure();
        DurableStorage storage = DurableStorage.open(directory, Durability.RELAXED, environment, failure, 0);
        try (Database database = new EngineDatabase(new Engine(environment, storage, failure, () -> {}), false)) {
            scheduler.await(set(database, "a"));
            hasNoThread = true;
            scheduler.advance(Duration.ofSeconds(1));
            hasNoThread = false;
            assertStopped(database);
        }
        scheduler.runUntilIdle();
    }

    static IntStream looks() {
        return IntStream.rangeClosed(1, 40);
    }

    /** Wherever a task of the engine meets it: no commit, read or watch stays without an answer. */
    @ParameterizedTest
    @MethodSource("looks")
    void nobodyWaitsForEver(int look) {
        Database database = EmbeddedDatabase.openInMemory(environment);
        List<CompletableFuture<?>> answers = new ArrayList<>();
        Transaction watching = database.createTransaction();
        answers.add(watching.watch(key("a")));
        answers.add(watching.commit());
        untilError.set(look);
        for (int i = 0; i < 10; i++) {
            Transaction tr = database.createTransaction();
            answers.add(tr.get(key("a")));
            tr.set(key("a"), key("" + i));
            answers.add(tr.getVersionstamp());
            answers.add(tr.commit());
            if (i % 3 == 0) {
                scheduler.advance(Duration.ofSeconds(1));
            }
        }
        scheduler.advance(Duration.ofSeconds(10));

        assertThat(answers).allSatisfy(answer -> assertThat(answer).isDone());
        boolean met = untilError.get() <= 0;
        assertThat(EmbeddedDatabase.failure(database).isDone()).isEqualTo(met);
        untilError.set(0);
        database.close();
    }

    private void assertStopped(Database database) {
        FDBException failure = EmbeddedDatabase.failure(database).getNow(null);
        assertThat(failure)
                .isNotNull()
                .hasRootCauseInstanceOf(OutOfMemoryError.class)
                .hasMessageContaining("planted");
        assertThat(failure.getCode()).isEqualTo(BROKEN);
        CompletableFuture<Void> commit = set(database, "z");
        scheduler.runUntilIdle();
        assertThat(codeOf(commit)).isEqualTo(BROKEN);
        try (Transaction reader = database.createTransaction()) {
            assertThat(codeOf(reader.get(key("z")))).isEqualTo(BROKEN);
        }
    }

    private static CompletableFuture<Void> set(Database database, String name) {
        return set(database, name, 1);
    }

    private static CompletableFuture<Void> set(Database database, String name, int bytes) {
        Transaction tr = database.createTransaction();
        tr.set(key(name), new byte[bytes]);
        return tr.commit();
    }

    private static int codeOf(CompletableFuture<?> failed) {
        assertThat(failed).isCompletedExceptionally();
        return catchThrowable(() -> failed.getNow(null)).getCause() instanceof FDBException error ? error.getCode() : 0;
    }
}
