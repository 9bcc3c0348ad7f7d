package dev.couchjobs.bench.cluster;

import dev.couchjobs.bench.CommandLine;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The options of the benchmarks of a cluster.
 *
 * @param programs the directory of {@code fdbserver} and {@code fdbcli}; those on the search path if it has none
 * @param engine the storage engine
 * @param storages the numbers of storage processes to measure
 * @param workers the numbers of workers to measure
 * @param types the numbers of types to measure
 * @param paces how many jobs share a transaction
 * @param seconds how long each point is measured
 * @param warmUp how many seconds the same load runs before
 * @param fill how many seconds batched jobs run first on each cluster, so that there are rows to split and to move
 * @param knobs settings of the servers, {@code name=value}
 * @param directory the directory of the cluster's files
 */
record ClusterSettings(
        Path programs,
        String engine,
        List<Integer> storages,
        List<Integer> workers,
        List<Integer> types,
        Set<Pace> paces,
        double seconds,
        double warmUp,
        double fill,
        List<String> knobs,
        Path directory) {
    private static final String USAGE = """
            --fdbserver PATH      the directory of fdbserver and fdbcli (those on the path)
            --engine NAME         the storage engine: ssd or memory (ssd)
            --storages N,...      how many storage processes (1,2,4)
            --workers N,...       how many workers, each with a connection of its own (1,4,16)
            --types N,...         how many types (1,4,16,64)
            --paces NAME,...      solo: each verb of each job has a transaction; slot: jobs are added alone, and workers
                                  have one slot; at_once: a hundred are added by calls at the same time and run at once;
                                  batched: a hundred are added together and run at once (all of them)
            --seconds N           how long each point is measured (10)
            --warm-up N           how many seconds the same load runs before (5)
            --fill N              how many seconds batched jobs run first, so that there are rows to spread (60)
            --knobs NAME=VALUE,.. settings of the servers (none)
            --directory PATH      the directory of the cluster's files (the temporary directory)""";

    /** How many jobs share a transaction. */
    enum Pace {
        /** One: a caller adds, accepts and finishes it, one job after the other. */
        SOLO(1, 1),
        /** One when they are added; a worker with one slot runs them. */
        SLOT(1, 10),
        /** As many as the library lets share one, of a hundred that are added by as many calls at the same time. */
        AT_ONCE(100, 1_000),
        /** A hundred when they are added; a worker with as many slots runs them. */
        BATCHED(100, 1_000);

        private final int batch;
        private final int unfinished;

        Pace(int batch, int unfinished) {
            this.batch = batch;
            this.unfinished = unfinished;
        }

        /** {@return how many jobs are added together, and how many slots a worker has} */
        int batch() {
            return batch;
        }

        /** {@return how many jobs for each worker are unfinished at a time} */
        int unfinished() {
            return unfinished;
        }
    }

    static ClusterSettings parse(String... words) {
        ClusterSettings standard = new ClusterSettings(
                Path.of(""),
                "ssd",
                List.of(1, 2, 4),
                List.of(1, 4, 16),
                List.of(1, 4, 16, 64),
                EnumSet.allOf(Pace.class),
                10,
                5,
                60,
                List.of(),
                Path.of(System.getProperty("java.io.tmpdir")));
        return CommandLine.parse(standard, ClusterSettings::with, USAGE, words);
    }

    /** {@return the points to measure on a cluster with that many storage processes} */
    Stream<Point> points(int storageCount) {
        return paces.stream()
                .flatMap(pace -> types.stream()
                        .flatMap(typeCount -> workers.stream()
                                .map(workerCount -> new Point(storageCount, workerCount, typeCount, pace))));
    }

    /** {@return what fills a cluster with that many storage processes} */
    Point filling(int storageCount) {
        return new Point(storageCount, Collections.max(workers), Collections.max(types), Pace.BATCHED);
    }

    /** What is measured. */
    record Point(int storages, int workers, int types, Pace pace) {}

    private ClusterSettings with(String option, CommandLine line) {
        Builder builder = new Builder(this);
        switch (option) {
            case "--fdbserver" -> builder.programs = Path.of(line.value());
            case "--engine" -> builder.engine = line.value();
            case "--storages" -> builder.storages = numbers(line);
            case "--workers" -> builder.workers = numbers(line);
            case "--types" -> builder.types = numbers(line);
            case "--paces" -> builder.paces = line.values(Pace.class);
            case "--seconds" -> builder.seconds = line.seconds();
            case "--warm-up" -> builder.warmUp = line.seconds();
            case "--fill" -> builder.fill = line.seconds();
            case "--knobs" -> builder.knobs = line.values().toList();
            case "--directory" -> builder.directory = Path.of(line.value());
            default -> throw new IllegalArgumentException(option);
        }
        return builder.build();
    }

    private static List<Integer> numbers(CommandLine line) {
        return line.values().map(CommandLine::positive).toList();
    }

    private static final class Builder {
        Path programs;
        String engine;
        List<Integer> storages;
        List<Integer> workers;
        List<Integer> types;
        Set<Pace> paces;
        double seconds;
        double warmUp;
        double fill;
        List<String> knobs;
        Path directory;

        Builder(ClusterSettings old) {
            programs = old.programs;
            engine = old.engine;
            storages = old.storages;
            workers = old.workers;
            types = old.types;
            paces = old.paces;
            seconds = old.seconds;
            warmUp = old.warmUp;
            fill = old.fill;
            knobs = old.knobs;
            directory = old.directory;
        }

        ClusterSettings build() {
            return new ClusterSettings(
                    programs, engine, storages, workers, types, paces, seconds, warmUp, fill, knobs, directory);
        }
    }
}
