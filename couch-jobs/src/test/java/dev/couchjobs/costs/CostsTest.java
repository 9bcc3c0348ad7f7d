package dev.couchjobs.costs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table in {@code docs/costs.md}, measured. When a row is not right any more, its failure shows the one that is.
 */
class CostsTest {
    private static final Path PAGE = Path.of("..", "docs", "costs.md");

    /** So many answers may come one after the other before a commit. */
    private static final int TRIPS = 2;

    static List<CostRow> rows() {
        return Stream.of(
                        CreationRows.all(),
                        ScheduleRows.all(),
                        LimitRows.all(),
                        ControlRows.all(),
                        ProcessingRows.all(),
                        DependencyRows.all(),
                        QueryRows.all(),
                        LoopRows.all())
                .flatMap(List::stream)
                .toList();
    }

    /** All other verbs write the layout at most once in the life of an instance. */
    private static final Set<String> CHANGES_OF_THE_LAYOUT =
            Set.of("`statuses().index` of 100 jobs", "`statuses().drop`", "`setTypeRetention`", "`clearTypeRetention`");

    @ParameterizedTest
    @MethodSource("rows")
    void theRowOfThePageIsWhatIsMeasured(CostRow row) throws IOException {
        Cost cost = costOf(row);

        assertThat(rowOfThePage(row.name())).isEqualTo("| " + row.name() + " |" + cost.columns());
        assertThat(cost.readFrom()).contains(Cost.EVERYWHERE);
        assertThat(cost.writtenTo().contains(Cost.EVERYWHERE)).isEqualTo(CHANGES_OF_THE_LAYOUT.contains(row.name()));
    }

    @Test
    void thePageHasNoOtherRows() throws IOException {
        assertThat(table().stream().map(line -> column(line, 1)))
                .containsExactlyElementsOf(rows().stream().map(CostRow::name).toList());
    }

    @Test
    void thePageExplainsWhatWaitsForMoreThanTwoAnswers() throws IOException {
        List<String> slow = table().stream()
                .filter(line -> Integer.parseInt(column(line, 3)) > TRIPS)
                .map(line -> column(line, 1))
                .toList();

        assertThat(lines().filter(line -> line.startsWith("- ") && slow.contains(line.substring(2))))
                .hasSameSizeAs(slow);
    }

    private static String column(String line, int number) {
        return line.split("\\|", -1)[number].trim();
    }

    private static String rowOfThePage(String name) throws IOException {
        return table().stream()
                .filter(line -> line.startsWith("| " + name + " |"))
                .findFirst()
                .orElse("");
    }

    private static Cost costOf(CostRow row) {
        try (CostFixture fixture = new CostFixture()) {
            return row.cost().apply(fixture);
        }
    }

    /** The lines that say what something costs: those of nine columns, without the headings. */
    private static List<String> table() throws IOException {
        return lines().filter(line -> line.matches("\\| [^|]+ \\| \\d+ \\|([^|]*\\|){8}"))
                .toList();
    }

    private static Stream<String> lines() throws IOException {
        return Files.readString(PAGE, StandardCharsets.UTF_8).lines();
    }
}
