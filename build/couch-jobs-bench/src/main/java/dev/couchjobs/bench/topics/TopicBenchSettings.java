package dev.couchjobs.bench.topics;

import dev.couchjobs.bench.CommandLine;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The options of the benchmarks of topics.
 *
 * @param seconds how long each rate of appends is measured, after a third as long for the warm-up
 * @param rounds how often each figure is measured; the median counts
 * @param points the appends to measure
 * @param messages how many messages the consumers of a group get
 * @param consumers how many consumers a group has
 * @param catchUp how many messages one consumer catches up with
 * @param perSecond the load at which the latency is measured
 * @param directory on the disk to measure
 * @param postgres the directory of PostgreSQL's programs
 * @param parts what is measured
 * @param systems what is measured
 */
record TopicBenchSettings(
        double seconds,
        int rounds,
        List<Point> points,
        int messages,
        List<Integer> consumers,
        int catchUp,
        int perSecond,
        Path directory,
        Path postgres,
        Set<Part> parts,
        Set<SystemKind> systems) {
    private static final String USAGE = """
            --quick             a minute, to see that it works
            --seconds 3         for each rate of appends
            --rounds 3          for each figure; medians count
            --messages 200000   for the consumers of a group
            --consumers 1,4,16,64
            --catch-up 1000000  messages for one consumer
            --rate 500          messages a second, for the latency
            --directory PATH    on the disk to measure (the temporary directory)
            --postgres PATH     the directory of initdb
            --only appends,latency,consumers,catch_up
            --systems topics,postgresql,nats_synced,rabbitmq_synced,topics_relaxed,nats,rabbitmq,cluster
            """;

    /** What can be measured alone. */
    enum Part {
        APPENDS,
        LATENCY,
        CONSUMERS,
        CATCH_UP
    }

    /**
     * Appends to measure.
     *
     * @param inFlight how many commits are not acknowledged at a time
     * @param batch how many messages a commit has
     * @param bytes how many bytes a message has
     */
    record Point(int inFlight, int batch, int bytes) {}

    static TopicBenchSettings parse(String... words) {
        return CommandLine.parse(standard(), TopicBenchSettings::with, USAGE, words);
    }

    private static TopicBenchSettings standard() {
        return new TopicBenchSettings(
                3,
                3,
                List.of(
                        new Point(1, 1, 100),
                        new Point(16, 1, 100),
                        new Point(64, 1, 100),
                        new Point(256, 1, 100),
                        new Point(64, 1, 1_000),
                        new Point(16, 1, 100_000),
                        new Point(1, 100, 100),
                        new Point(16, 100, 100),
                        new Point(16, 100, 1_000)),
                200_000,
                List.of(1, 4, 16, 64),
                1_000_000,
                500,
                Path.of(System.getProperty("java.io.tmpdir")),
                Path.of("/usr/lib/postgresql/15/bin"),
                EnumSet.allOf(Part.class),
                EnumSet.allOf(SystemKind.class));
    }

    private TopicBenchSettings quick() {
        List<Point> few = List.of(new Point(1, 1, 100), new Point(64, 1, 100), new Point(16, 100, 1_000));
        return new TopicBenchSettings(
                0.3, 1, few, 10_000, List.of(1, 16), 50_000, 100, directory, postgres, parts, systems);
    }

    private TopicBenchSettings with(String option, CommandLine line) {
        Builder builder = new Builder(this);
        switch (option) {
            case "--quick" -> {
                return quick();
            }
            case "--seconds" -> builder.seconds = line.seconds();
            case "--rounds" -> builder.rounds = CommandLine.positive(line.value());
            case "--messages" -> builder.messages = CommandLine.positive(line.value());
            case "--consumers" ->
                builder.consumers = line.values().map(CommandLine::positive).toList();
            case "--catch-up" -> builder.catchUp = CommandLine.positive(line.value());
            case "--rate" -> builder.perSecond = CommandLine.positive(line.value());
            case "--directory" -> builder.directory = Path.of(line.value());
            case "--postgres" -> builder.postgres = Path.of(line.value());
            case "--only" -> builder.parts = line.values(Part.class);
            case "--systems" -> builder.systems = line.values(SystemKind.class);
            default -> throw new IllegalArgumentException(option);
        }
        return builder.build();
    }

    private static final class Builder {
        double seconds;
        int rounds;
        final List<Point> points;
        int messages;
        List<Integer> consumers;
        int catchUp;
        int perSecond;
        Path directory;
        Path postgres;
        Set<Part> parts;
        Set<SystemKind> systems;

        Builder(TopicBenchSettings old) {
            seconds = old.seconds;
            rounds = old.rounds;
            points = old.points;
            messages = old.messages;
            consumers = old.consumers;
            catchUp = old.catchUp;
            perSecond = old.perSecond;
            directory = old.directory;
            postgres = old.postgres;
            parts = old.parts;
            systems = old.systems;
        }

        TopicBenchSettings build() {
            return new TopicBenchSettings(
                    seconds, rounds, points, messages, consumers, catchUp, perSecond, directory, postgres, parts,
                    systems);
        }
    }
}
