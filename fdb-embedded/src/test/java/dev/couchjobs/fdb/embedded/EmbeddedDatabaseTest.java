package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine on real threads. */
class EmbeddedDatabaseTest {
    @Test
    void itsThreadsAreDaemonsWithTheEnginesName() {
        try (Database database = EmbeddedDatabase.openInMemory()) {
            CompletableFuture<Thread> thread = new CompletableFuture<>();
            database.getExecutor().execute(() -> thread.complete(Thread.currentThread()));
            assertThat(thread.join().getName()).startsWith("fdb-embedded-");
            assertThat(thread.join().isDaemon()).isTrue();
        }
    }

    @Test
    void itsThreadsEndWhenItIsClosed() throws InterruptedException {
        Database database = EmbeddedDatabase.openInMemory();
        database.run(tr -> {
            tr.set(key("a"), key("1"));
            return true;
        });
        database.runAsync(tr -> tr.get(key("a"))).join();
        ExecutorService executor = (ExecutorService) database.getExecutor();
        database.close();
        assertThat(executor.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void anEnvironmentOutlivesTheDatabasesOpenedInIt() {
        EngineEnvironment environment = EngineEnvironment.system();
        for (int i = 0; i < 2; i++) {
            try (Database database = EmbeddedDatabase.openInMemory(environment)) {
                assertThat(database.runAsync(tr -> tr.get(key("a"))).join()).isNull();
                assertThat(database.<Boolean>run(tr -> {
                            tr.set(key("a"), key("1"));
                            return true;
                        }))
                        .isTrue();
            }
        }
        environment.scheduler().shutdown();
        ((ExecutorService) environment.executor()).shutdown();
    }

    @Test
    void anEnvironmentOutlivesTheDirectoriesOpenedInIt(@TempDir Path directory) {
        EngineEnvironment environment = EngineEnvironment.system();
        for (int i = 0; i < 2; i++) {
            try (Database database = EmbeddedDatabase.open(directory, Durability.SYNCED, environment)) {
                assertThat(database.getExecutor()).isSameAs(environment.executor());
                assertThat(database.<Boolean>run(tr -> {
                            tr.set(key("a"), key("1"));
                            return true;
                        }))
                        .isTrue();
            }
        }
        environment.scheduler().shutdown();
        ((ExecutorService) environment.executor()).shutdown();
    }

    @Test
    void aContinuationThatBlocksHoldsUpNoCommit() {
        try (Database database = EmbeddedDatabase.openInMemory()) {
            CompletableFuture<Boolean> released = new CompletableFuture<>();
            BlockingQueue<Runnable> completions = new LinkedBlockingQueue<>();
            Transaction first = database.createTransaction(completions::add);
            first.set(key("a"), key("1"));
            CompletableFuture<Boolean> blocked = first.commit().thenApply(done -> released.join());
            database.getExecutor().execute(() -> runNext(completions));
            for (int i = 0; i < 10; i++) {
                database.runAsync(tr -> {
                            tr.set(key("b"), key("1"));
                            return CompletableFuture.completedFuture(true);
                        })
                        .join();
            }
            released.complete(true);
            assertThat(blocked.join()).isTrue();
        }
    }

    private static void runNext(BlockingQueue<Runnable> tasks) {
        try {
            tasks.take().run();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
