package dev.couchjobs.bench.report;

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
 * All that one run has measured, and where.
 *
 * @param machine what it was measured on: see {@link Machine}
 * @param settings how
 * @param systems what was measured: label and settings of each
 * @param curves what was measured of them
 * @param measurements what came out
 */
public record Report(
        Map<String, String> machine,
        Map<String, String> settings,
        Map<String, String> systems,
        List<Curve> curves,
        List<Measurement> measurements) {
    private static final String JSON = "figures.json";
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /**
     * {@return a report that was written before}
     *
     * @param path of its {@value #JSON}, or the directory that it is in
     */
    public static Report read(Path path) {
        return MAPPER.readValue(Files.isDirectory(path) ? path.resolve(JSON) : path, Report.class);
    }

    /**
     * Writes it as {@code figures.md}, {@code curves.svg} and {@value #JSON}.
     *
     * @param directory where to; it is made if it is not there
     * @throws IOException if a file cannot be written
     */
    public void write(Path directory) throws IOException {
        ResultFile.write(directory.resolve("figures.md"), Tables.markdown(this));
        plot(directory.resolve("curves.svg"));
        ResultFile.write(
                directory.resolve(JSON), MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n");
    }

    /**
     * Writes the plot alone.
     *
     * @param svg where to; its directory is made if it is not there
     * @throws IOException if it cannot be written
     */
    public void plot(Path svg) throws IOException {
        ResultFile.write(svg, Plot.svg(this));
    }

    /** {@return what went wrong, a line for each measurement; empty if no job was lost or run twice} */
    public List<String> faults() {
        return measurements.stream()
                .filter(measurement -> !measurement.isSound())
                .map(measurement -> "%s at %d, %s: of %d jobs %d were lost and %d runs were too many"
                        .formatted(
                                measurement.curve(),
                                measurement.x(),
                                measurement.system(),
                                measurement.jobs(),
                                measurement.lost(),
                                measurement.doubled()))
                .toList();
    }

    /** {@return machine, settings and a table for each system: a line for each curve, a column for each point} */
    public String byFigure() {
        return Tables.byFigure(this);
    }

    /** {@return machine, settings and figures as tables in Markdown} */
    @Override
    public String toString() {
        return Tables.markdown(this);
    }

    /** The systems that a curve has measurements of. */
    List<String> systems(Curve curve) {
        Set<String> present =
                new LinkedHashSet<>(of(curve).stream().map(Measurement::system).toList());
        return systems.keySet().stream().filter(present::contains).toList();
    }

    /** The points of a curve. */
    List<Integer> points(Curve curve) {
        return of(curve).stream().map(Measurement::x).distinct().sorted().toList();
    }

    List<Measurement> of(Curve curve) {
        return measurements.stream()
                .filter(measurement -> measurement.curve().equals(curve.name()))
                .toList();
    }

    Optional<Measurement> at(Curve curve, String system, int x) {
        return of(curve).stream()
                .filter(measurement -> measurement.system().equals(system) && measurement.x() == x)
                .findFirst();
    }

    /**
     * {@return a table of how many times each figure is what it was in another report}
     *
     * @param earlier the other
     */
    public String comparedWith(Report earlier) {
        return Tables.compared(this, earlier);
    }
}
