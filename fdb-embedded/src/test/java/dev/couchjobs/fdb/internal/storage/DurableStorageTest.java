package dev.couchjobs.fdb.internal.storage;

import static dev.couchjobs.fdb.embedded.TestKeys.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.embedded.Durability;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.embedded.FillableStorage;
import dev.couchjobs.fdb.embedded.TestKeys;
import dev.couchjobs.fdb.internal.client.EngineDatabase;
import dev.couchjobs.fdb.internal.commit.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The engine on a directory, on one thread and with a clock of its own. */
class DurableStorageTest {
    /** So that the base takes over a few batches at a time. */
    private static final int LARGE = 90_000;

    private static final int FILLERS = 14;
    private static final int KEYS = 40;

    private final AtomicLong nanos = new AtomicLong();
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

    @TempDir
    private Path temporary;

    @AfterEach
    void stopScheduler() {
        scheduler.shutdownNow();
    }

    @Test
    void whatWasCommittedIsThereWhenItIsOpenedAgain() {
        try (Database database = open("db")) {
            set(database, "a", "1");
            set(database, "b", "2");
            database.run(tr -> {
                tr.clear(key("a"));
                return true;
            });
        }
        try (Database database = open("db")) {
            assertThat(contents(database)).containsOnlyKeys("b");
        }
    }

    @Test
    void anInterruptedThreadCommitsAndStaysInterrupted() {
        try (Database database = open("db")) {
            Thread.currentThread().interrupt();
            set(database, "a", "1");
            // Takes more than one file of the log.
            fill(database);
            assertThat(Thread.interrupted()).isTrue();
            set(database, "b", "2");
        }
        try (Database database = open("db")) {
            assertThat(contents(database)).containsKeys("a", "b");
        }
    }

    @Test
    void versionsGrowOverARestartEvenIfTheClockDoesNot() {
        long handedOut;
        try (Database database = open("db")) {
            set(database, "a", "1");
            pass(Duration.ofMinutes(5));
            handedOut = readVersion(database);
        }
        nanos.set(0);
        try (Database database = open("db");
                Transaction tr = database.createTransaction()) {
            assertThat(readVersion(database)).isGreaterThan(handedOut);
            tr.set(key("b"), key("2"));
            tr.commit().join();
            assertThat(tr.getCommittedVersion()).isGreaterThan(handedOut);
        }
    }

    @Test
    void versionsGrowOverACrashAsWell() throws IOException {
        try (Database database = open("db")) {
            set(database, "a", "1");
            pass(Duration.ofMinutes(5));
            long handedOut = readVersion(database);
            copy("db", "crashed");
            try (Database crashed = open("crashed")) {
                assertThat(readVersion(crashed)).isGreaterThan(handedOut);
                assertThat(contents(crashed)).containsOnlyKeys("a");
            }
        }
    }

    @Test
    void aVersionOfTheLifeBeforeIsTooOld() {
        long handedOut;
        try (Database database = open("db")) {
            set(database, "a", "1");
            handedOut = readVersion(database);
        }
        try (Database database = open("db");
                Transaction tr = database.createTransaction()) {
            tr.setReadVersion(handedOut);
            assertThatThrownBy(() -> tr.get(key("a")).join()).hasMessageContaining("too old");
        }
    }

    @Test
    void aReaderAmidTheMoveToTheBaseSeesItsOwnVersionOrNothing() {
        try (Database database = open("db");
                Transaction reader = database.createTransaction()) {
            set(database, "a", "before".repeat(LARGE / 6));
            assertThat(reader.get(key("a")).join()).isNotNull();
            for (int i = 0; i < 20; i++) {
                set(database, "a", "after".repeat(LARGE / 5));
                pass(Duration.ofMillis(200));
                assertThat(reader.get(key("a")).join()).startsWith(key("before"));
            }
            pass(Duration.ofSeconds(2));
            set(database, "b", "1");
            assertThatThrownBy(() -> reader.get(key("a")).join()).hasMessageContaining("too old");
        }
    }

    /** What a failed batch had learnt of the base must be learnt again, or a key cleared long ago hides a new one. */
    @Test
    void aFullDiskCostsNothingThatIsAcknowledgedAfterwards() {
        AtomicBoolean full = new AtomicBoolean();
        try (Database database = open("db", full)) {
            setAll(database, "old");
            database.run(tr -> {
                tr.clear(key("k"), key("l"));
                return true;
            });
            fill(database);
            pass(Duration.ofSeconds(6));
            set(database, "x", "1");
            full.set(true);
            assertThatThrownBy(() -> set(database, "x", "2")).hasMessageContaining("no room");
            full.set(false);
            setAll(database, "new");
            fill(database);
            pass(Duration.ofSeconds(6));
            set(database, "x", "3");
            set(database, "x", "4");
            assertThat(contents(database)).hasSize(KEYS + FILLERS + 1);
        }
        try (Database database = open("db")) {
            assertThat(contents(database)).hasSize(KEYS + FILLERS + 1);
        }
    }

    /** The heap of the process that opens it may be smaller than that of the one that wrote it. */
    @Test
    void whatDoesNotFitIntoTheHeapIsMovedToTheBaseWhileItIsOpened() throws IOException {
        try (Database database = open("db")) {
            setAll(database, "old");
            for (int i = 0; i < 4; i++) {
                fill(database);
            }
            set(database, "x", "1");
            copy("db", "crashed");
        }
        EngineEnvironment small = new EngineEnvironment(Runnable::run, scheduler, nanos::get, new Random(1), 1 << 22);
        DurableStorage storage = DurableStorage.open(temporary.resolve("crashed"), Durability.SYNCED, small);
        LayeredContents recovered = (LayeredContents) storage.recovered().contents();
        assertThat(recovered.overlay().sets().size()).isZero();
        try (Database database = new EngineDatabase(new Engine(small, storage, () -> {}), true)) {
            assertThat(contents(database)).hasSize(KEYS + FILLERS + 1);
            set(database, "x", "2");
            copy("crashed", "again");
        }
        try (Database database = open("again")) {
            assertThat(contents(database)).hasSize(KEYS + FILLERS + 1);
            byte[] last = database.run(tr -> tr.get(key("x")).join());
            assertThat(last).isEqualTo(key("2"));
        }
    }

    /** {@code seed} decides on writes, on how time passes, and on when it is closed or crashes. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void whateverHappensItHoldsWhatASortedMapHolds(long seed) throws IOException {
        Random random = new Random(seed);
        NavigableMap<String, Integer> model = new TreeMap<>();
        String name = "db";
        Database database = open(name);
        for (int step = 0; step < 150; step++) {
            write(database, model, random);
            pass(Duration.ofMillis(random.nextInt(1_500)));
            if (random.nextInt(25) == 0) {
                String next = "db-" + step;
                if (random.nextBoolean()) {
                    copy(name, next);
                    database.close();
                    name = next;
                } else {
                    database.close();
                }
                database = open(name);
            }
            assertThat(contents(database)).isEqualTo(model);
        }
        database.close();
    }

    private static void write(Database database, NavigableMap<String, Integer> model, Random random) {
        String name = "k" + random.nextInt(40);
        String other = "k" + random.nextInt(40);
        int size = random.nextInt(3) == 0 ? LARGE - random.nextInt(100) : random.nextInt(100);
        switch (random.nextInt(5)) {
            case 0 -> {
                database.run(tr -> {
                    tr.clear(key(name));
                    return true;
                });
                model.remove(name);
            }
            case 1 -> {
                if (name.compareTo(other) < 0) {
                    database.run(tr -> {
                        tr.clear(key(name), key(other));
                        return true;
                    });
                    model.subMap(name, true, other, false).clear();
                }
            }
            default -> {
                byte[] value = new byte[size];
                Arrays.fill(value, (byte) size);
                database.run(tr -> {
                    tr.set(key(name), value);
                    return true;
                });
                model.put(name, size);
            }
        }
    }

    /** The names, with the sizes of their values. */
    private static NavigableMap<String, Integer> contents(Database database) {
        NavigableMap<String, Integer> contents = new TreeMap<>();
        for (KeyValue row : database.run(
                tr -> tr.getRange(key(""), new byte[] {(byte) 0xff}).asList().join())) {
            contents.put(TestKeys.text(row.getKey()), row.getValue().length);
        }
        return contents;
    }

    private static void setAll(Database database, String value) {
        for (int i = 0; i < KEYS; i++) {
            set(database, "k" + i, value);
        }
    }

    /** Enough for the base to take over what it may. */
    private static void fill(Database database) {
        database.run(tr -> {
            for (int i = 0; i < FILLERS; i++) {
                tr.set(key("z" + i), new byte[LARGE]);
            }
            return true;
        });
    }

    private static long readVersion(Database database) {
        return database.run(tr -> tr.getReadVersion().join());
    }

    private static void set(Database database, String name, String value) {
        database.run(tr -> {
            tr.set(key(name), key(value));
            return true;
        });
    }

    private Database open(String name) {
        return open(name, new AtomicBoolean());
    }

    private Database open(String name, AtomicBoolean full) {
        EngineEnvironment environment = environment();
        Storage storage = DurableStorage.open(temporary.resolve(name), Durability.SYNCED, environment);
        return new EngineDatabase(new Engine(environment, new FillableStorage(storage, full), () -> {}), true);
    }

    private EngineEnvironment environment() {
        return new EngineEnvironment(Runnable::run, scheduler, nanos::get, new Random(1));
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /** What a kill of the process would leave. */
    private void copy(String name, String to) throws IOException {
        Path from = temporary.resolve(name);
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Files.copy(path, temporary.resolve(to).resolve(from.relativize(path)));
            }
        }
    }
}
