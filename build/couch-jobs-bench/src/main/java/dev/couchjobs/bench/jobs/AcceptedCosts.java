package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.report.ResultFile;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * The costs that a check accepts, as a file has them.
 *
 * @param java the feature version of the Java runtime that they are of
 * @param costs the figures per job by their labels, by the names of engine and step
 */
record AcceptedCosts(int java, Map<String, Map<String, Double>> costs) {
    private static final MathContext DIGITS = new MathContext(6);

    /** The figures that are checked. */
    static AcceptedCosts of(List<StepCosts> measured) {
        Map<String, Map<String, Double>> costs = new LinkedHashMap<>();
        for (StepCosts step : measured) {
            Map<String, Double> figures = new LinkedHashMap<>();
            step.figures().forEach((figure, value) -> {
                if (figure.tolerance().isPresent()) {
                    figures.put(
                            figure.label(),
                            BigDecimal.valueOf(value).round(DIGITS).doubleValue());
                }
            });
            costs.put(step.name(), figures);
        }
        return new AcceptedCosts(Runtime.version().feature(), costs);
    }

    static AcceptedCosts read(Path file) {
        return JsonMapper.shared().readValue(file, AcceptedCosts.class);
    }

    void write(Path file) throws IOException {
        ResultFile.write(
                file, JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n");
    }
}
