package dev.couchjobs.bench.topics;

import dev.couchjobs.bench.CommandLine;
import dev.couchjobs.bench.Table;
import dev.couchjobs.bench.topics.TopicBenchSettings.Part;
import dev.couchjobs.bench.topics.TopicBenchSettings.Point;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Measures topics beside NATS JetStream, RabbitMQ streams and a table in PostgreSQL. */
public final class TopicBenchmarks implements AutoCloseable {
    private static final int CONSUMED_PARTITIONS = 64;
    private static final int CONSUMED_BATCH = 100;
    private static final Point FILLING = new Point(4, 1_000, 100);
    private static final double MEGA = 1_000_000;

    private final TopicBenchSettings settings;
    private final Map<SystemKind, LogSystem> systems = new LinkedHashMap<>();

    private TopicBenchmarks(TopicBenchSettings settings) {
        this.settings = settings;
    }

    /**
     * Measures, and prints a table for each part.
     *
     * @param words the options
     * @throws CommandLine.RefusedException with a list of the options, if one is not understood
     * @throws Exception if a server does not start, or a message is lost
     */
    public static void main(String... words) throws Exception {
        System.out.println(run(TopicBenchSettings.parse(words)));
    }

    /** {@return the settings and tables} */
    static String run(TopicBenchSettings settings) throws Exception {
        try (TopicBenchmarks benchmarks = new TopicBenchmarks(settings)) {
            StringBuilder text = new StringBuilder(benchmarks.open());
            for (Part part : settings.parts()) {
                text.append('\n').append(benchmarks.measure(part).markdown());
            }
            return text.toString();
        }
    }

    private String open() throws Exception {
        StringBuilder text = new StringBuilder();
        for (SystemKind kind : settings.systems()) {
            String obstacle = kind.obstacle(settings);
            if (obstacle.isEmpty()) {
                LogSystem system = kind.open(settings.directory(), settings.postgres());
                systems.put(kind, system);
                text.append(kind.label()).append(": ").append(system.settings());
            } else {
                text.append(kind.label()).append(": not measured, ").append(obstacle);
            }
            text.append('\n');
        }
        return text + "In parentheses: how many times as fast topics of the same durability are.\n";
    }

    private interface Measured {
        double of(LogSystem system) throws Exception;
    }

    private Table measure(Part part) throws Exception {
        return switch (part) {
            case APPENDS -> appends();
            case LATENCY -> latency();
            case CONSUMERS -> consumers();
            case CATCH_UP -> catchUp();
        };
    }

    private Table appends() throws Exception {
        Table table = table("messages appended a second");
        for (Point point : settings.points()) {
            Map<SystemKind, Double> rates = medians(system -> {
                try (MessageLog log = system.create(1)) {
                    return new AppendRate(log, point).measure(settings.seconds());
                }
            });
            String name = String.format(
                    Locale.ROOT, "%,d in flight, of %d, %,d B", point.inFlight(), point.batch(), point.bytes());
            table.add(rates(name, rates));
            table.add(cells(name + ", MB/s", rates, rate -> decimal(rate * point.bytes() / MEGA)));
        }
        return table;
    }

    private Table latency() throws Exception {
        String load = settings.perSecond() + " messages a second, ";
        Map<SystemKind, List<Double>> medians = new LinkedHashMap<>();
        Map<SystemKind, List<Double>> highest = new LinkedHashMap<>();
        for (int round = 0; round < settings.rounds(); round++) {
            for (Map.Entry<SystemKind, LogSystem> entry : systems.entrySet()) {
                try (MessageLog log = entry.getValue().create(1)) {
                    OpenLoopLatency.Millis millis =
                            new OpenLoopLatency(settings.perSecond(), settings.seconds()).measure(log);
                    medians.computeIfAbsent(entry.getKey(), kind -> new ArrayList<>())
                            .add(millis.median());
                    highest.computeIfAbsent(entry.getKey(), kind -> new ArrayList<>())
                            .add(millis.p99());
                }
            }
        }
        Table table = table("latency, ms");
        table.add(latencies(load + "p50", medians(medians)));
        table.add(latencies(load + "p99", medians(highest)));
        return table;
    }

    /** Consumers start beside all messages. */
    private Table consumers() throws Exception {
        Table table = table("messages consumed a second");
        for (int consumers : settings.consumers()) {
            table.add(rates(
                    consumers + " of a group",
                    medians(system -> consumed(
                            system,
                            CONSUMED_PARTITIONS,
                            settings.messages(),
                            (log, count) -> log.consume(consumers, CONSUMED_BATCH, count::accept)))));
        }
        return table;
    }

    private Table catchUp() throws Exception {
        Table table = table("messages caught up a second");
        String name = String.format(Locale.ROOT, "1 reads %,d", settings.catchUp());
        table.add(rates(
                name,
                medians(system ->
                        consumed(system, 1, settings.catchUp(), (log, count) -> log.catchUp(count::accept)))));
        return table;
    }

    private interface Start {
        AutoCloseable consumers(MessageLog log, Consumption count) throws Exception;
    }

    private static double consumed(LogSystem system, int partitions, int messages, Start start) throws Exception {
        try (MessageLog log = system.create(partitions)) {
            new AppendRate(log, FILLING).append(messages);
            Consumption consumption = new Consumption(messages);
            AutoCloseable consumers = start.consumers(log, consumption);
            try {
                return consumption.await();
            } finally {
                consumers.close();
            }
        }
    }

    /** Measures all systems in turns. */
    private Map<SystemKind, Double> medians(Measured measured) throws Exception {
        Map<SystemKind, List<Double>> all = new LinkedHashMap<>();
        for (int round = 0; round < settings.rounds(); round++) {
            for (Map.Entry<SystemKind, LogSystem> entry : systems.entrySet()) {
                all.computeIfAbsent(entry.getKey(), kind -> new ArrayList<>()).add(measured.of(entry.getValue()));
            }
        }
        return medians(all);
    }

    private static Map<SystemKind, Double> medians(Map<SystemKind, List<Double>> all) {
        return all.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        entry -> entry.getValue().stream()
                                .sorted()
                                .toList()
                                .get((entry.getValue().size() - 1) / 2),
                        (one, other) -> one,
                        LinkedHashMap::new));
    }

    private Table table(String name) {
        List<String> header = new ArrayList<>(List.of(name));
        systems.keySet().forEach(kind -> header.add(kind.label()));
        return new Table(header.toArray(String[]::new));
    }

    private interface Cell {
        String of(double figure);
    }

    private static String[] cells(String name, Map<SystemKind, Double> figures, Cell cell) {
        List<String> cells = new ArrayList<>(List.of(name));
        figures.values().forEach(figure -> cells.add(cell.of(figure)));
        return cells.toArray(String[]::new);
    }

    private static String[] rates(String name, Map<SystemKind, Double> figures) {
        String[] cells = cells(name, figures, rate -> String.format(Locale.ROOT, "%,.0f", rate));
        return withRatios(cells, figures, Table::ratio);
    }

    private static String[] latencies(String name, Map<SystemKind, Double> figures) {
        return withRatios(
                cells(name, figures, TopicBenchmarks::decimal), figures, (own, other) -> Table.ratio(other, own));
    }

    private interface Ratio {
        String of(double own, double other);
    }

    /** Says in each cell how far topics of the same durability are ahead of it. */
    private static String[] withRatios(String[] cells, Map<SystemKind, Double> figures, Ratio ratio) {
        int column = 1;
        for (Map.Entry<SystemKind, Double> figure : figures.entrySet()) {
            SystemKind own = figure.getKey().baseline();
            if (figure.getKey() != own) {
                cells[column] += " (" + ratio.of(figures.getOrDefault(own, 0.0), figure.getValue()) + ")";
            }
            column++;
        }
        return cells;
    }

    private static String decimal(double number) {
        return String.format(Locale.ROOT, "%,.2f", number);
    }

    @Override
    public void close() throws IOException {
        Closing.closeAll(systems.values().toArray(AutoCloseable[]::new));
    }
}
