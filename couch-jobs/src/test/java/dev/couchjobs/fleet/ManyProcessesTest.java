package dev.couchjobs.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.testing.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The table of {@code docs/costs.md} on many processes, measured in virtual time. When it is not right any more, the
 * failure shows the one that is.
 */
@Tag("long")
class ManyProcessesTest {
    private static final Path PAGE = Path.of("..", "docs", "costs.md");
    private static final String HEADING = "## Many processes";

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    /** Longer than the feed keeps what has happened. */
    private static final Duration UNUSED = Duration.ofMinutes(15);

    private static final Duration MOMENT = Duration.ofMillis(20);
    private static final int JOBS_OF_EACH = 10;
    private static final int JOBS_A_MINUTE = 6;

    /** A number takes ten times as long as the one before. */
    private static final List<Integer> PROCESSES = Seeds.isLongRun() ? List.of(1, 10, 100, 1_000) : List.of(1, 10);

    @Test
    void theTableOfThePageIsWhatIsMeasured() throws IOException {
        assertThat(tableOfThePage()).isEqualTo(measured());
    }

    private static String tableOfThePage() throws IOException {
        return Files.readString(PAGE, StandardCharsets.UTF_8)
                .lines()
                .dropWhile(line -> !line.equals(HEADING))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .filter(line -> line.startsWith("|"))
                .map(line -> firstCells(line, 1 + PROCESSES.size()))
                .collect(Collectors.joining("\n"));
    }

    private static String firstCells(String row, int count) {
        return Stream.of(row.split("(?<=\\|)")).limit(1 + count).collect(Collectors.joining());
    }

    private static String measured() {
        List<Map<String, String>> columns =
                PROCESSES.stream().map(ManyProcessesTest::measure).toList();
        String head = row("processes", PROCESSES.stream(), count -> String.format(Locale.ROOT, "%,d", count));
        String line = "|---|" + "---|".repeat(PROCESSES.size());
        String rows = columns.get(0).keySet().stream()
                .map(name -> row(name, columns.stream(), column -> column.getOrDefault(name, "")))
                .collect(Collectors.joining("\n"));
        return head + "\n" + line + "\n" + rows;
    }

    private static <T> String row(String name, Stream<T> cells, Function<T, String> text) {
        return cells.map(text).collect(Collectors.joining(" | ", "| " + name + " | ", " |"));
    }

    /** {@return the cells of a column by the names of the rows, in their order} */
    private static Map<String, String> measure(int processes) {
        Map<String, String> cells = new LinkedHashMap<>();
        try (Fleet fleet = new Fleet(1, TIMEOUT, 1, MOMENT).start(processes)) {
            fleet.pass(UNUSED);
            fleet.forget();
            fleet.pass(Duration.ofMinutes(10));
            Figures idle = fleet.figures();
            cells.put("unused type: transactions a minute", each(idle.tries(), 10));
            cells.put("unused type: watches of a process", String.valueOf(idle.watchesAtMost()));

            fleet.forget();
            fleet.add(0, 1);
            fleet.pass(Duration.ofSeconds(1));
            Figures sparse = fleet.figuresOfJobs();
            cells.put("one job: transactions", String.valueOf(sparse.tries()));
            cells.put("one job: reads", String.valueOf(sparse.reads()));

            fleet.pass(TIMEOUT);
            fleet.forget();
            int jobs = processes * JOBS_OF_EACH;
            IntStream.range(0, processes).forEach(i -> fleet.add(0, JOBS_OF_EACH));
            fleet.pass(TIMEOUT);
            assertThat(fleet.waited()).hasSize(jobs);
            Figures many = fleet.figuresOfJobs();
            cells.put("ten jobs for each process: transactions a job", each(many.tries(), jobs));
            cells.put("ten jobs for each process: reads a job", each(many.reads(), jobs));

            fleet.forget();
            for (int i = 0; i < JOBS_A_MINUTE; i++) {
                fleet.add(0, 1);
                fleet.pass(Duration.ofMinutes(1).dividedBy(JOBS_A_MINUTE));
            }
            int byTheClock = fleet.figures().tries() - fleet.figuresOfJobs().tries();
            cells.put("type in use: transactions a minute", each(byTheClock, 1));
        }
        measureRestart(processes, cells);
        measureWaiting(processes, cells);
        return cells;
    }

    private static void measureRestart(int processes, Map<String, String> cells) {
        try (Fleet fleet = new Fleet(1, TIMEOUT, 1, MOMENT).start(processes)) {
            fleet.pass(UNUSED);
            fleet.forget();
            fleet.restart();
            Figures restart = fleet.figures();
            cells.put("restart of all: transactions a process", each(restart.tries(), processes));
            cells.put("restart of all: reads a process", each(restart.reads(), processes));
        }
    }

    private static void measureWaiting(int processes, Map<String, String> cells) {
        try (Fleet fleet = new Fleet(1, TIMEOUT, 1, MOMENT).start(1)) {
            fleet.startWaiting(processes, UNUSED);
            addTenASecond(fleet, 1);
            fleet.forget();
            addTenASecond(fleet, 1);
            Figures waiting = fleet.figuresOfWaiting();
            cells.put("waiting for a job each: transactions a minute", each(waiting.tries(), 1));
            cells.put("waiting for a job each: watches of a process", String.valueOf(waiting.watchesAtMost()));

            fleet.pass(UNUSED.minusMinutes(3));
            fleet.forget();
            fleet.pass(Duration.ofMinutes(2));
            assertThat(fleet.heard()).isEqualTo(processes);
            cells.put(
                    "ends that are waited for: transactions each",
                    each(fleet.figuresOfWaiting().tries(), processes));
        }
    }

    private static void addTenASecond(Fleet fleet, int minutes) {
        for (int i = 0; i < minutes * 60 * 10; i++) {
            fleet.add(0, 1);
            fleet.pass(Duration.ofMillis(100));
        }
    }

    private static String each(int sum, int count) {
        return String.format(Locale.ROOT, "%,.1f", (double) sum / count);
    }
}
