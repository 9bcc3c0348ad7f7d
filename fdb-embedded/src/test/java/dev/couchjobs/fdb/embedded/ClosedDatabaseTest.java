package dev.couchjobs.fdb.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.testing.Application;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a database is closed, neither a thread nor a class of it is left. */
class ClosedDatabaseTest {
    @ParameterizedTest
    @ValueSource(classes = {InMemory.class, InDirectory.class, Relaxed.class, ClosedByContinuation.class})
    void aClosedDatabaseLeavesNothing(Class<?> application, @TempDir Path directory) {
        for (int i = 0; i < 2; i++) {
            Application.withAllClasses(application).assertLeavesNothing(directory);
        }
    }

    public static class InMemory implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            use(EmbeddedDatabase.openInMemory());
        }
    }

    public static class InDirectory implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            use(EmbeddedDatabase.open(directory.resolve("synced")));
        }
    }

    public static class Relaxed implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            use(EmbeddedDatabase.open(directory.resolve("relaxed"), Durability.RELAXED));
        }
    }

    /** A thread of the engine closes it. */
    public static class ClosedByContinuation implements Consumer<Path> {
        @Override
        public void accept(Path directory) {
            Database database = EmbeddedDatabase.openInMemory();
            CompletableFuture<byte[]> read = database.runAsync(tr -> tr.get(key("a")));
            read.thenRunAsync(database::close, database.getExecutor()).join();
            database.close();
        }
    }

    private static byte[] key(String name) {
        return name.getBytes(UTF_8);
    }

    /** Commits, watches, lets a transaction wait for its timeout, and closes while commits are on their way. */
    private static void use(Database database) {
        try (database) {
            database.run(tr -> {
                tr.set(key("a"), key("1"));
                return null;
            });
            CompletableFuture<Void> watch = database.run(tr -> tr.watch(key("a")));
            Transaction waiting = database.createTransaction();
            waiting.options().setTimeout(60_000);
            waiting.get(key("a")).join();
            for (int i = 0; i < 20; i++) {
                Transaction tr = database.createTransaction();
                tr.set(key("b" + i), key("1"));
                CompletableFuture<Void> unused = tr.commit();
            }
            watch.cancel(true);
        }
    }
}
