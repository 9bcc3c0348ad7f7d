package dev.couchjobs.bench.soak;

import dev.couchjobs.bench.Table;
import dev.couchjobs.bench.report.ResultFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import tools.jackson.databind.json.JsonMapper;

/**
 * What came of a soak.
 *
 * @param description the machine and the settings
 * @param minutes the length
 * @param samples the samples, in their order
 * @param events what went wrong on purpose
 * @param totals the counts of the jobs
 * @param kinds the rows of the last census by the words with which their keys begin
 */
record SoakReport(
        Map<String, String> description,
        double minutes,
        List<SoakSample> samples,
        List<FaultRun.Event> events,
        Totals totals,
        Map<String, Long> kinds) {
    private static final int KINDS = 8;

    /**
     * The counts of a soak.
     *
     * @param capacity jobs a second that were added and run at most; 0 if that was not measured
     * @param rate jobs added a second
     * @param added the number of jobs
     * @param lost how many of them are gone without an effect
     * @param unended how many have not ended five minutes after the last was added
     * @param doubled how many effects were too many
     * @param endedByThemselves how many processes ended without being killed
     */
    record Totals(
            double capacity, double rate, long added, long lost, long unended, long doubled, int endedByThemselves) {}

    /** {@return what must not be} */
    List<String> faults() {
        List<String> faults = new ArrayList<>();
        add(faults, totals.lost(), "jobs were lost");
        add(faults, totals.doubled(), "effects were doubled");
        add(faults, totals.unended(), "jobs have not ended");
        add(faults, totals.endedByThemselves(), "processes ended by themselves");
        faults.addAll(new Growth(samples, minutes).faults());
        return List.copyOf(faults);
    }

    private static void add(List<String> faults, long count, String text) {
        if (count > 0) {
            faults.add(count + " " + text);
        }
    }

    void write(Path directory) throws IOException {
        ResultFile.write(directory.resolve("soak.md"), markdown());
        ResultFile.write(directory.resolve("soak.svg"), SoakPlot.svg(this));
        ResultFile.write(
                directory.resolve("soak.json"),
                JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(this) + "\n");
    }

    String markdown() {
        StringBuilder text = new StringBuilder();
        description.forEach((name, value) ->
                text.append("- ").append(name).append(": ").append(value).append('\n'));
        text.append('\n')
                .append(counts().markdown())
                .append('\n')
                .append(medians().markdown());
        text.append('\n').append(rows().markdown());
        text.append("\nThe rule: ").append(Growth.RULE).append(".\n");
        faults().forEach(fault -> text.append("\n**").append(fault).append("**\n"));
        return text.toString();
    }

    private Table counts() {
        Table table = new Table("jobs and faults", "");
        table.add("capacity, jobs/s", number(totals.capacity()));
        table.add("rate, jobs/s", number(totals.rate()));
        table.add("added", count(totals.added()));
        table.add("lost", count(totals.lost()));
        table.add("doubled", count(totals.doubled()));
        for (Fault fault : Fault.values()) {
            long count = events.stream().filter(event -> event.fault() == fault).count();
            table.add(fault.label(), count == 0 ? "not done" : count(count));
        }
        return table;
    }

    private Table medians() {
        Growth growth = new Growth(samples, minutes);
        Table table = new Table("median", "first third", "second", "last", "highest", "slack");
        Arrays.stream(SoakMetric.values())
                .filter(metric -> growth.highest(metric).isPresent())
                .forEach(metric -> table.add(
                        metric.label + ", " + metric.unit,
                        number(growth.median(metric, 0)),
                        number(growth.median(metric, 1)),
                        number(growth.median(metric, 2)),
                        number(growth.highest(metric)),
                        metric.isBounded() ? number(metric.slack()) : ""));
        return table;
    }

    private Table rows() {
        Table table = new Table("rows at the end, most", "");
        kinds.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(KINDS)
                .forEach(kind -> table.add(kind.getKey(), count(kind.getValue())));
        return table;
    }

    private static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private static String number(OptionalDouble number) {
        return number.isPresent() ? number(number.getAsDouble()) : "";
    }

    private static String number(double number) {
        return String.format(Locale.ROOT, "%,.0f", number);
    }
}
