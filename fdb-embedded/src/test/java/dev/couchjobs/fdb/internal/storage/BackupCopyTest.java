package dev.couchjobs.fdb.internal.storage;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.Durability;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.embedded.StorageFullException;
import dev.couchjobs.fdb.internal.client.EngineDatabase;
import dev.couchjobs.fdb.internal.commit.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup on another file system, whose files are copied. */
class BackupCopyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** So little that the base takes over what is older than five seconds while the test commits. */
    private static final long HEAP_BYTES = 1 << 22;

    private static final int LARGE = 90_000;

    private final AtomicLong nanos = new AtomicLong();
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

    @TempDir
    private Path temporary;

    private DurableStorage storage;
    private Database database;

    @BeforeEach
    void open() {
        EngineEnvironment environment =
                new EngineEnvironment(Runnable::run, scheduler, nanos::get, new Random(1), HEAP_BYTES);
        storage = DurableStorage.open(directory(), Durability.SYNCED, environment);
        database = new EngineDatabase(new Engine(environment, storage, () -> {}), true);
    }

    @AfterEach
    void close() {
        database.close();
        scheduler.shutdownNow();
    }

    private Path directory() {
        return temporary.resolve("db");
    }

    private Path place() {
        return temporary.resolve("copy");
    }

    private void set(String name, byte[] value) {
        database.run(tx -> {
            tx.set(key(name), value);
            return name;
        });
    }

    private static int rows(Database database) {
        return database.read(tx -> tx.getRange(key(""), key("~")).asList().join())
                .size();
    }

    @Test
    void commitsContinueWhileFilesAreCopied() {
        set("before", key("1"));
        CompletableFuture<Void> isCopying = new CompletableFuture<>();
        CompletableFuture<Void> mayEnd = new CompletableFuture<>();
        CompletableFuture<Void> backup = CompletableFuture.runAsync(() -> storage.backUp(place(), (from, to) -> {
            isCopying.complete(null);
            mayEnd.join();
            FileTrees.copy(from, to);
        }));
        isCopying.join();

        CompletableFuture<Void> commits = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 100; i++) {
                set("after" + i, new byte[LARGE]);
                nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            }
        });

        try {
            assertThat(commits).succeedsWithin(PATIENCE);
        } finally {
            mayEnd.complete(null);
        }
        assertThat(backup).succeedsWithin(PATIENCE);
        assertThat(rows(database)).isEqualTo(101);
        try (Database copied = EmbeddedDatabase.open(place())) {
            assertThat(rows(copied)).isEqualTo(1);
        }
        assertThat(directory().resolve("copies")).isEmptyDirectory();
    }

    @Test
    void aCopyThatFailsLeavesNothing() {
        set("before", key("1"));

        assertThatThrownBy(() -> storage.backUp(place(), (from, to) -> {
                    FileTrees.copy(from, to);
                    throw new IOException("the disk is gone");
                }))
                .hasMessage("The backup in " + place() + " could not be written: java.io.IOException: the disk is gone."
                        + " The database is unharmed, and goes on.");

        assertThat(temporary).isDirectoryNotContaining("glob:**copy*");
        assertThat(directory().resolve("copies")).isEmptyDirectory();
        set("after", key("2"));
        assertThat(rows(database)).isEqualTo(2);
    }

    @Test
    void aFullDiskIsThatOfTheBackup() {
        set("before", key("1"));

        assertThatThrownBy(() -> storage.backUp(place(), (from, to) -> {
                    FileTrees.copy(from, to);
                    throw new IOException("No space left on device");
                }))
                .isInstanceOfSatisfying(
                        StorageFullException.class,
                        full -> assertThat(full.path()).isEqualTo(place()))
                .hasMessage("No space is left for the backup in " + place() + ". The database is unharmed, and goes on."
                        + " Free some space there, or name another directory, and make the backup again.");

        assertThat(temporary).isDirectoryNotContaining("glob:**copy*");
        storage.backUp(place());
        assertThat(place()).isNotEmptyDirectory();
    }

    @Test
    void whatAKilledBackupHasLeftIsRemovedWhenTheDatabaseIsOpened() throws IOException {
        database.close();
        Path left = Files.createDirectories(directory().resolve("copies/1/base"));
        Files.writeString(left.resolve("CURRENT"), "left");

        open();

        assertThat(directory().resolve("copies")).doesNotExist();
        storage.backUp(place());
        assertThat(place()).isNotEmptyDirectory();
    }
}
