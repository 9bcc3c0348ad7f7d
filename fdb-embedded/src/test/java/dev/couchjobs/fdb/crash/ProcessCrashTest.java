package dev.couchjobs.fdb.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.embedded.Durability;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.testing.Seeds;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Processes that write are killed at any moment, one after the other on the same directory: whatever was acknowledged
 * is there, and everything that is there is there as a whole. {@code -Dcrash.rounds=200} kills more of them, and
 * {@code -Dcrash.seed=7} in another way.
 */
@Tag("long")
@Tag("processes")
class ProcessCrashTest {
    private static final int ROUNDS = Integer.getInteger("crash.rounds", Seeds.isLongRun() ? 20 : 3);
    private static final long SEED = Long.getLong("crash.seed", 1);
    private static final int MOST_LINES = 1_500;
    private static final int WRITERS = 8;

    private final SortedMap<Integer, Long> acknowledged = new TreeMap<>();
    private long newestVersion;

    @ParameterizedTest
    @EnumSource
    void whatWasAcknowledgedOutlivesAKill(Durability durability, @TempDir Path directory) throws Exception {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            try {
                runAndKill(directory.resolve("db"), durability, random);
                check(directory.resolve("db"), directory.resolve("copy"));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "In round " + round + " of -Dcrash.rounds=" + ROUNDS + " -Dcrash.seed=" + SEED, e);
            }
        }
        assertThat(acknowledged).hasSize(WRITERS);
    }

    private void runAndKill(Path directory, Durability durability, Random random) throws Exception {
        Process writers = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1", // for a process that lives for seconds
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writers.class.getName(),
                        directory.toString(),
                        durability.name(),
                        Integer.toString(WRITERS),
                        Long.toString(random.nextLong()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        // Sometimes it has hardly begun to open.
        int lines = random.nextInt(5) == 0 ? 1 : 1 + random.nextInt(MOST_LINES);
        try (BufferedReader output = writers.inputReader()) {
            for (int i = 0; i < lines; i++) {
                note(output.readLine());
            }
            // Unlike Process.destroyForcibly it leaves what the process has said to be read.
            assertThat(writers.toHandle().destroyForcibly()).isTrue();
            output.lines().forEach(this::note);
        }
        assertThat(writers.waitFor())
                .as("how it ended: by a kill, or by itself")
                .isNotIn(0, 1);
    }

    private void note(@Nullable String line) {
        if (line == null) {
            throw new AssertionError("It has ended before it was killed");
        }
        String[] words = line.split(" ", -1);
        // The last line may have been cut off.
        if (words.length == 5 && words[0].equals("committed")) {
            acknowledged.put(Integer.valueOf(words[1]), Long.valueOf(words[2]));
            newestVersion = Math.max(newestVersion, Long.parseLong(words[4]));
        }
    }

    /** Looks at a copy, so that the next process finds what this one has left, and not what looking has made of it. */
    private void check(Path directory, Path copy) throws IOException {
        delete(copy);
        if (!Files.exists(directory)) {
            return;
        }
        copy(directory, copy);
        try (Database database = EmbeddedDatabase.open(copy)) {
            Map<Integer, Long> found = NumberedTransactions.check(database);
            acknowledged.forEach((writer, number) -> assertThat(found.getOrDefault(writer, 0L))
                    .as("writer " + writer)
                    .isGreaterThanOrEqualTo(number));
            try (Transaction tr = database.createTransaction()) {
                assertThat(tr.getReadVersion().join()).isGreaterThanOrEqualTo(newestVersion);
            }
        }
        delete(copy);
    }

    private static void copy(Path from, Path to) throws IOException {
        for (Path path : walk(from)) {
            Files.copy(path, to.resolve(from.relativize(path)));
        }
    }

    private static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            List<Path> paths = walk(directory);
            for (int i = paths.size() - 1; i >= 0; i--) {
                Files.delete(paths.get(i));
            }
        }
    }

    private static List<Path> walk(Path directory) {
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
