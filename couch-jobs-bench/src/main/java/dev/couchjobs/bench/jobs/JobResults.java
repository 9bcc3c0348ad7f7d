package dev.couchjobs.bench.jobs;

import dev.couchjobs.bench.Table;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Stream;

/** All that was measured in one run. */
final class JobResults {
    private record Entry(Scenario scenario, SystemKind system, Figure figure) {}

    private final List<Entry> entries = new ArrayList<>();

    void add(Scenario scenario, SystemKind system, Figure figure) {
        entries.add(new Entry(scenario, system, figure));
    }

    /** How many times a peer's figure ours is; where no peer is looked at, ours itself. */
    Table table(Scenario scenario) {
        return scenario.isCounted() ? own(scenario) : ratios(scenario);
    }

    private Table ratios(Scenario scenario) {
        List<SystemKind> peers =
                Stream.of(SystemKind.values()).filter(SystemKind::isPeer).toList();
        List<String> header = new ArrayList<>(List.of(scenario.title()));
        peers.forEach(peer -> header.add(peer.label()));
        Table table = new Table(header.toArray(String[]::new));
        for (String row : rows(scenario)) {
            List<String> cells = new ArrayList<>(List.of(row));
            double ours = value(scenario, row, SystemKind.COUCH_JOBS);
            peers.forEach(peer -> cells.add(Table.ratio(ours, value(scenario, row, peer))));
            table.add(cells.toArray(String[]::new));
        }
        return table;
    }

    private Table own(Scenario scenario) {
        Table table = new Table(scenario.title(), "", "");
        entries.stream()
                .filter(entry -> entry.scenario == scenario)
                .map(Entry::figure)
                .forEach(figure ->
                        table.add(figure.row(), String.format(Locale.ROOT, "%.2f", figure.value()), figure.unit()));
        return table;
    }

    /** What went wrong, a line for each figure; empty if every job was run once. */
    List<String> faults() {
        return entries.stream()
                .filter(entry -> !entry.figure.isSound())
                .map(entry -> "%s, %s, %s: of %d jobs %d were lost and %d runs were too many"
                        .formatted(
                                entry.scenario.name().toLowerCase(Locale.ROOT),
                                entry.figure.row(),
                                entry.system.label(),
                                entry.figure.jobs(),
                                entry.figure.lost(),
                                entry.figure.doubled()))
                .toList();
    }

    String json(JobSettings settings, String database) {
        StringJoiner systems = new StringJoiner(",\n    ", "{\n    ", "\n  }");
        for (SystemKind system : settings.systems()) {
            systems.add("\"%s\": \"%s\"".formatted(system, system.settings()));
        }
        StringJoiner figures = new StringJoiner(",\n    ", "[\n    ", "\n  ]");
        for (Entry entry : entries) {
            Figure figure = entry.figure;
            figures.add(
                    "{\"scenario\": \"%s\", \"row\": \"%s\", \"system\": \"%s\", \"value\": %s, \"unit\": \"%s\", \"jobs\": %d, \"lost\": %d, \"doubled\": %d}"
                            .formatted(
                                    entry.scenario,
                                    figure.row(),
                                    entry.system,
                                    figure.value(),
                                    figure.unit(),
                                    figure.jobs(),
                                    figure.lost(),
                                    figure.doubled()));
        }
        return "{\n  \"java\": \"%s\",\n  \"processors\": %d,\n  \"secondsEach\": %d,\n  \"payloadBytes\": %d,\n  \"systems\": %s,\n  \"database\": \"%s\",\n  \"figures\": %s\n}\n"
                .formatted(
                        Runtime.version(),
                        Runtime.getRuntime().availableProcessors(),
                        settings.seconds(),
                        JobSystem.PAYLOAD.length(),
                        systems,
                        database,
                        figures);
    }

    private Set<String> rows(Scenario scenario) {
        Set<String> rows = new LinkedHashSet<>();
        entries.stream().filter(entry -> entry.scenario == scenario).forEach(entry -> rows.add(entry.figure.row()));
        return rows;
    }

    private double value(Scenario scenario, String row, SystemKind system) {
        return entries.stream()
                .filter(entry -> entry.scenario == scenario && entry.system == system)
                .filter(entry -> entry.figure.row().equals(row))
                .mapToDouble(entry -> entry.figure.value())
                .findFirst()
                .orElse(0);
    }
}
