package dev.couchjobs.bench.report;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The results of one run.
 *
 * @param machine the machine: see {@link Machine}
 * @param settings the settings of the run
 * @param systems the label of each measured system, and its settings
 * @param charts the charts; {@code curves} in JSON
 * @param measurements the figures of the charts
 */
public record Report(
        Map<String, String> machine,
        Map<String, String> settings,
        Map<String, String> systems,
        @JsonProperty("curves") List<Chart> charts,
        List<Measurement> measurements) {
    private static final String JSON = "figures.json";
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /**
     * {@return an earlier report}
     *
     * @param path its {@value #JSON}, or the directory of that file
     */
    public static Report read(Path path) {
        return MAPPER.readValue(Files.isDirectory(path) ? path.resolve(JSON) : path, Report.class);
    }

    /**
     * Writes the report as {@code figures.md}, {@code charts.svg} and {@value #JSON}.
     *
     * @param directory the directory of the files; created if it does not exist
     * @throws IOException if a file cannot be written
     */
    public void write(Path directory) throws IOException {
        ResultFile.write(directory.resolve("figures.md"), Tables.markdown(this));
        plot(directory.resolve("charts.svg"));
        ResultFile.write(
                directory.resolve(JSON), MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n");
    }

    /**
     * Writes the plot alone.
     *
     * @param svg the file; its directory is created if it does not exist
     * @throws IOException if it cannot be written
     */
    public void plot(Path svg) throws IOException {
        ResultFile.write(svg, Plot.svg(this));
    }

    /** {@return a line for each measurement with lost or repeated jobs} */
    public List<String> faults() {
        return measurements.stream()
                .filter(measurement -> !measurement.isSound())
                .map(measurement -> "%s at %d, %s: of %d jobs %d were lost and %d runs were too many"
                        .formatted(
                                measurement.chart(),
                                measurement.x(),
                                measurement.system(),
                                measurement.jobs(),
                                measurement.lost(),
                                measurement.doubled()))
                .toList();
    }

    /** {@return machine, settings and a table for each system: a row for each chart, a column for each point} */
    public String bySystem() {
        return Tables.bySystem(this);
    }

    /** {@return machine, settings and a table for each chart, in Markdown} */
    @Override
    public String toString() {
        return Tables.markdown(this);
    }

    /** The systems with measurements in a chart. */
    List<String> systems(Chart chart) {
        Set<String> present =
                new LinkedHashSet<>(of(chart).stream().map(Measurement::system).toList());
        return systems.keySet().stream().filter(present::contains).toList();
    }

    /** The points of a chart. */
    List<Integer> points(Chart chart) {
        return of(chart).stream().map(Measurement::x).distinct().sorted().toList();
    }

    List<Measurement> of(Chart chart) {
        return measurements.stream()
                .filter(measurement -> measurement.chart().equals(chart.name()))
                .toList();
    }

    Optional<Measurement> at(Chart chart, String system, int x) {
        return of(chart).stream()
                .filter(measurement -> measurement.system().equals(system) && measurement.x() == x)
                .findFirst();
    }

    /**
     * {@return tables of the ratios of the figures to those of an earlier report}
     *
     * @param earlier the earlier report
     */
    public String comparedWith(Report earlier) {
        return Tables.compared(this, earlier);
    }
}
