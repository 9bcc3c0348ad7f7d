package dev.couchjobs.fdb.embedded;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.testing.Polling;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A copy of a database that is open. */
class BackupTest {
    @TempDir
    private Path temporary;

    private Path directory() {
        return temporary.resolve("db");
    }

    private Path copy() {
        return temporary.resolve("copy");
    }

    private static void set(Database database, String name, String value) {
        database.run(tx -> {
            tx.set(key(name), key(value));
            return value;
        });
    }

    private static List<String> rows(Path directory) {
        try (Database database = EmbeddedDatabase.open(directory)) {
            return database.read(tx -> tx.getRange(key(""), key("~")).asList().join()).stream()
                    .map(row -> new String(row.getKey(), UTF_8) + "=" + new String(row.getValue(), UTF_8))
                    .toList();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCopyHasWhatWasCommittedBefore(Durability durability) {
        try (Database database = EmbeddedDatabase.open(directory())) {
            set(database, "closed", "1");
            set(database, "changed", "1");
        }
        try (Database database = EmbeddedDatabase.open(directory(), durability)) {
            set(database, "recent", "2");
            set(database, "changed", "2");
            EmbeddedDatabase.backUp(database, copy()).join();
            set(database, "later", "3");
            database.run(tx -> {
                tx.clear(key("closed"));
                return tx;
            });
        }

        assertThat(rows(copy())).containsExactly("changed=2", "closed=1", "recent=2");
        assertThat(rows(directory())).containsExactly("changed=2", "later=3", "recent=2");
        assertThat(temporary).isDirectoryNotContaining("glob:**unfinished");
    }

    @Test
    void anEmptyDatabaseHasACopy() {
        try (Database database = EmbeddedDatabase.open(directory())) {
            EmbeddedDatabase.backUp(database, copy()).join();
        }
        assertThat(rows(copy())).isEmpty();
    }

    @Test
    void aCopyNeedsNothingOfTheOriginal() throws IOException {
        try (Database database = EmbeddedDatabase.open(directory())) {
            set(database, "a", "1");
        }
        try (Database database = EmbeddedDatabase.open(directory())) {
            EmbeddedDatabase.backUp(database, copy()).join();
        }
        remove(directory());
        assertThat(rows(copy())).containsExactly("a=1");

        try (Database database = EmbeddedDatabase.open(copy())) {
            set(database, "b", "2");
            EmbeddedDatabase.backUp(database, temporary.resolve("copy of the copy"))
                    .join();
        }
        assertThat(rows(temporary.resolve("copy of the copy"))).containsExactly("a=1", "b=2");
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void noCommitIsCopiedInPartAndNoAcknowledgedOneIsMissing() {
        AtomicBoolean isEnough = new AtomicBoolean();
        AtomicLong acknowledged = new AtomicLong();
        List<Long> before = new ArrayList<>();
        try (Database database = EmbeddedDatabase.open(directory())) {
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                while (!isEnough.get()) {
                    acknowledged.set(database.run(tx -> {
                        byte[] count = tx.get(key("count")).join();
                        long next = count == null ? 1 : Tuple.fromBytes(count).getLong(0) + 1;
                        tx.set(key("count"), Tuple.from(next).pack());
                        tx.set(Tuple.from("row", next).pack(), new byte[20_000]);
                        return next;
                    }));
                }
            });
            for (int i = 0; i < 3; i++) {
                long reached = acknowledged.get();
                while (acknowledged.get() < reached + 100) {
                    Polling.pause();
                }
                before.add(acknowledged.get());
                EmbeddedDatabase.backUp(database, temporary.resolve("copy" + i)).join();
            }
            isEnough.set(true);
            writer.join();
        }
        for (int i = 0; i < 3; i++) {
            try (Database database = EmbeddedDatabase.open(temporary.resolve("copy" + i))) {
                long count = Tuple.fromBytes(
                                database.run(tx -> tx.get(key("count")).join()))
                        .getLong(0);
                assertThat(count).isBetween(before.get(i), acknowledged.get());
                List<KeyValue> rows = database.read(
                        tx -> tx.getRange(Tuple.from("row").range()).asList().join());
                assertThat(rows).hasSize((int) count);
            }
        }
    }

    @Test
    void versionsOfTheCopyFollowThoseOfTheOriginal() {
        long version;
        try (Database database = EmbeddedDatabase.open(directory())) {
            set(database, "a", "1");
            EmbeddedDatabase.backUp(database, copy()).join();
            version = database.read(tx -> tx.getReadVersion().join());
        }
        try (Database database = EmbeddedDatabase.open(copy())) {
            long later = database.read(tx -> tx.getReadVersion().join());
            assertThat(later).isGreaterThan(version);
        }
    }

    @Test
    void whatIsThereIsNotTouched() throws IOException {
        Files.createDirectory(copy());
        Files.writeString(copy().resolve("file"), "mine");
        try (Database database = EmbeddedDatabase.open(directory())) {
            CompletableFuture<Void> refused = EmbeddedDatabase.backUp(database, copy());
            assertThatThrownBy(refused::join)
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(StorageException.class)
                    .hasMessageContaining(copy() + " is there already. Name a directory that is not there yet.");
        }
        assertThat(copy()).isDirectoryContaining("glob:**/file");
    }

    @Test
    void aCopyThatCannotBeWrittenLeavesNothing() throws IOException {
        Files.writeString(temporary.resolve("file"), "no directory");
        try (Database database = EmbeddedDatabase.open(directory())) {
            CompletableFuture<Void> refused =
                    EmbeddedDatabase.backUp(database, temporary.resolve("file").resolve("copy"));
            assertThatThrownBy(refused::join).hasCauseInstanceOf(StorageException.class);
            set(database, "a", "1");
        }
        assertThat(rows(directory())).containsExactly("a=1");
    }

    @Test
    void ofBackupsWithOneNameAtOnceOneIsWhole() {
        try (Database database = EmbeddedDatabase.open(directory())) {
            set(database, "a", "1");
            for (int i = 0; i < 30; i++) {
                Path place = temporary.resolve("copy" + i);
                List<CompletableFuture<Void>> all = List.of(
                        EmbeddedDatabase.backUp(database, place),
                        EmbeddedDatabase.backUp(database, place),
                        EmbeddedDatabase.backUp(database, place));
                CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                        .handle((done, error) -> true)
                        .join();

                assertThat(all.stream().filter(one -> !one.isCompletedExceptionally()))
                        .hasSize(1);
                assertThat(rows(place)).containsExactly("a=1");
            }
        }
    }

    @Test
    void dotsBehindALinkLeadToWhereItsTargetLies() throws IOException {
        Path target = Files.createDirectories(temporary.resolve("far/target"));
        Path link = Files.createSymbolicLink(temporary.resolve("link"), target);
        try (Database database = EmbeddedDatabase.open(directory())) {
            set(database, "a", "1");
            EmbeddedDatabase.backUp(database, link.resolve("../copy")).join();
        }
        assertThat(rows(temporary.resolve("far/copy"))).containsExactly("a=1");
        assertThat(copy()).doesNotExist();
    }

    @Test
    void aDatabaseInMemoryHasNone() {
        try (Database database = EmbeddedDatabase.openInMemory()) {
            assertThatThrownBy(() -> EmbeddedDatabase.backUp(database, copy()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(copy()).doesNotExist();
    }
}
