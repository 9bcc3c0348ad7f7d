package dev.couchjobs.costs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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

        assertThat(CostsPage.row(row.name())).isEqualTo("| " + row.name() + " |" + cost.columns());
        assertThat(cost.readFrom()).contains(Cost.EVERYWHERE);
        assertThat(cost.writtenTo().contains(Cost.EVERYWHERE)).isEqualTo(CHANGES_OF_THE_LAYOUT.contains(row.name()));
    }

    @Test
    void thePageHasNoOtherRows() throws IOException {
        assertThat(CostsPage.names(section -> !section.equals(CostsPage.TOPICS)))
                .containsExactlyElementsOf(rows().stream().map(CostRow::name).toList());
    }

    @Test
    void thePageExplainsWhatWaitsForMoreThanTwoAnswers() throws IOException {
        List<String> slow = CostsPage.rows(section -> true)
                .filter(line -> Integer.parseInt(CostsPage.column(line, 3)) > TRIPS)
                .map(line -> CostsPage.column(line, 1))
                .toList();

        assertThat(CostsPage.lines().filter(line -> line.startsWith("- ") && slow.contains(line.substring(2))))
                .hasSameSizeAs(slow);
    }

    private static Cost costOf(CostRow row) {
        try (CostFixture fixture = new CostFixture()) {
            return row.cost().apply(fixture);
        }
    }
}
