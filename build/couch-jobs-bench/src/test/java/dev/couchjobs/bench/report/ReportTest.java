package dev.couchjobs.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.SAXException;

class ReportTest {
    private static final Chart DRAIN = new Chart("drain", "Running < & >", "workers", "jobs a second", true);

    @TempDir
    Path directory;

    @Test
    void aMeasurementIsTheMedianOfItsRounds() {
        assertThat(measured("ours", 1, 30, 10, 20).median()).isEqualTo(20);
        assertThat(measured("ours", 1, 30, 10).median()).isEqualTo(20);
    }

    @Test
    void aWrittenReportIsReadAgain() throws IOException {
        Report report = report(measured("ours", 1, 30), measured("peer", 4, 12.5));
        report.write(directory);
        assertThat(Report.read(directory)).isEqualTo(report);
        assertThat(Report.read(directory.resolve("figures.json"))).isEqualTo(report);
    }

    @Test
    void thePublishedReportIsReadable() {
        Report report = Report.read(Path.of("..", "..", "docs", "benchmarks"));
        assertThat(report.charts()).isNotEmpty();
        assertThat(report.measurements())
                .isNotEmpty()
                .allSatisfy(measurement ->
                        assertThat(report.charts()).extracting(Chart::name).contains(measurement.chart()));
    }

    @Test
    void thePublishedTablesAreThoseOfThePublishedReport() {
        Path published = Path.of("..", "..", "docs", "benchmarks");
        assertThat(published.resolve("figures.md"))
                .hasContent(Report.read(published).toString());
    }

    @Test
    void aLongSettingTakesSeveralLines() {
        String words = "of many words ".repeat(20).strip();
        Report report = new Report(Map.of(), Map.of("Setting", words), Map.of(), List.of(), List.of());
        assertThat(report.toString().lines()).allMatch(line -> line.length() <= 120);
        assertThat(report.toString().replaceAll("\\s+", " ")).contains("- Setting: " + words);
    }

    @Test
    void aTableHasALineForEachPointAndAColumnForEachSystem() {
        assertThat(report(measured("ours", 1_000, 12_345.6), measured("peer", 1, 0.123))
                        .toString())
                .contains("- CPU: fast", "- ours: as it is")
                .contains("""
                        | workers |   ours | peer |
                        |---------|-------:|-----:|
                        | 1       |      - | 0.12 |
                        | 1,000   | 12,346 |    - |
                        """);
    }

    @Test
    void aTableOfASystemHasARowForEachChartAndAColumnForEachPoint() {
        assertThat(report(measured("ours", 1_000, 12_345.6), measured("ours", 1, 2), measured("peer", 1, 0.123))
                        .bySystem())
                .contains("- CPU: fast")
                .contains("""
                        | ours          |               |    1 |  1,000 |
                        |---------------|--------------:|-----:|-------:|
                        | Running < & > | jobs a second | 2.00 | 12,346 |
                        """);
    }

    @Test
    void twoRunsAreComparedFigureByFigure() {
        Report before = report(measured("ours", 1, 100), measured("peer", 1, 50));
        Report now = report(measured("ours", 1, 150), measured("peer", 1, 50), measured("peer", 2, 50));
        assertThat(now.comparedWith(before)).contains("""
                        | 1       | 1.50 | 1.00 |
                        | 2       |    - |    - |
                        """);
    }

    @Test
    void jobsThatWereLostOrDoubledAreFaults() {
        assertThat(report(measured("ours", 1, 100)).faults()).isEmpty();
        assertThat(report(Measurement.of("drain", "ours", 4, List.of(1.0), 100, 1, 2))
                        .faults())
                .containsExactly("drain at 4, ours: of 100 jobs 1 were lost and 2 runs were too many");
    }

    @Test
    void thePlotHasALineForEachSystemAndADotForEachMeasurement()
            throws IOException, ParserConfigurationException, SAXException {
        report(measured("ours", 1, 100), measured("ours", 64, 6_400), measured("peer", 1, 0))
                .write(directory);
        Document svg = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(directory.resolve("charts.svg").toFile());
        assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(2);
        assertThat(svg.getElementsByTagName("g").item(0).getTextContent())
                .contains("Running < & >", "ours at 64: 6,400", "1k", "jobs a second");
        assertThat(Files.readString(directory.resolve("charts.svg"))).doesNotContain("NaN", "Infinity");
    }

    private static Report report(Measurement... measurements) {
        Map<String, String> systems = new LinkedHashMap<>();
        systems.put("ours", "as it is");
        systems.put("peer", "as it is");
        return new Report(
                Map.of("CPU", "fast"), Map.of("Rounds", "some"), systems, List.of(DRAIN), List.of(measurements));
    }

    private static Measurement measured(String system, int x, double... rounds) {
        return Measurement.of("drain", system, x, Arrays.stream(rounds).boxed().toList(), 100, 0, 0);
    }
}
