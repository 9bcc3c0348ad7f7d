package dev.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.internal.quarantine.QuarantinedKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of keys in the pages of rfc/ and the classes that make the keys. */
class KeyTableTest {
    private static final Path RFC = Path.of("../rfc");
    private static final Path SOURCES = Path.of("src/main/java/dev/couchjobs/internal");

    /** A row of the table of RFC 007: the first element of a key, and its class. */
    private static final Pattern ROW =
            Pattern.compile("^\\| `\\(\"(\\w+)\"[^`]*` \\| `(\\w+)` \\| ", Pattern.MULTILINE);

    private static final Pattern MADE = Pattern.compile("\\b(?:table|row)\\(\"(\\w+)\"");

    @Test
    void theTableOfRfc007NamesTheClassThatMakesEachKey() throws IOException {
        Matcher row = ROW.matcher(Files.readString(RFC.resolve("007-background-jobs.md")));
        List<String> wrong = new ArrayList<>();
        int rows = 0;
        for (; row.find(); rows++) {
            String made = String.join("", keysOf(row.group(2)));
            if (!made.contains("\"" + row.group(1) + "\"")) {
                wrong.add(row.group());
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(rows).isEqualTo(12);
    }

    /** {@return the calls of a class that make keys} */
    private static List<String> keysOf(String className) throws IOException {
        try (Stream<Path> sources = Files.walk(SOURCES)) {
            Path source = sources.filter(path -> path.endsWith(className + ".java"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("There is no class " + className));
            return MADE.matcher(Files.readString(source))
                    .results()
                    .map(call -> call.group())
                    .toList();
        }
    }

    @Test
    void eachKeyThatACallMakesIsInAPage() throws IOException {
        Set<String> unknown = made();
        try (Stream<Path> pages = Files.list(RFC)) {
            for (Path page : pages.toList()) {
                String text = Files.readString(page);
                unknown.removeIf(key -> text.contains("(\"" + key + "\""));
            }
        }
        assertThat(unknown).as("keys that no page of rfc/ describes").isEmpty();
    }

    /** {@return the first elements of all keys} */
    private static Set<String> made() throws IOException {
        Set<String> made = new TreeSet<>();
        try (Stream<Path> sources = Files.walk(SOURCES)) {
            for (Path source :
                    sources.filter(path -> path.toString().endsWith(".java")).toList()) {
                MADE.matcher(Files.readString(source)).results().forEach(call -> made.add(call.group(1)));
            }
        }
        return made;
    }

    /** The tables of the rows that are never moved: counters, chunks, keys that are watched, rows of no type. */
    private static final List<String> NEVER_IN_QUARANTINE = List.of(
            "batch_counts",
            "batch_members",
            "batches",
            "clocks",
            "descents",
            "graph",
            "health",
            "heartbeats",
            "index_check",
            "layout",
            "payload",
            "quarantine",
            "result",
            "schedule_data",
            "status_counts",
            "watches_activity",
            "watches_ends",
            "watches_in_use",
            "watches_lost",
            "watches_pending",
            "watches_releasing",
            "watches_settings",
            "worker_orders",
            "workers");

    @Test
    void healthKnowsWhatToDoAboutRowsOfEachTable() throws IOException {
        TreeSet<String> known = new TreeSet<>(NEVER_IN_QUARANTINE);
        for (QuarantinedKind kind : QuarantinedKind.values()) {
            kind.tables()
                    .forEach(table -> assertThat(known.add(table)).as(table).isTrue());
        }
        assertThat(known).isEqualTo(made());
    }
}
