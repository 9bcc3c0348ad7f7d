package dev.couchjobs.bench.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What processes use, as Linux tells.
 *
 * @param memory mebibytes in memory
 * @param files open files
 * @param threads threads
 */
record ProcessFigures(double memory, double files, double threads) {
    private static final double KIBIBYTES_IN_MEBIBYTE = 1_024;

    /** {@return the sum over processes; empty if one of them does not run, or nothing is told here} */
    static Optional<ProcessFigures> of(Stream<OptionalLong> pids) {
        return pids.map(ProcessFigures::of)
                .reduce((one, other) -> one.flatMap(a -> other.map(a::plus)))
                .flatMap(sum -> sum);
    }

    private static Optional<ProcessFigures> of(OptionalLong pid) {
        Path process = Path.of("/proc", pid.isPresent() ? Long.toString(pid.getAsLong()) : "none");
        try (Stream<Path> files = Files.list(process.resolve("fd"));
                Stream<String> status = Files.lines(process.resolve("status"))) {
            Map<String, Double> figures = status.map(line -> line.split("[:\\s]+", -1))
                    .filter(words -> words[0].equals("VmRSS") || words[0].equals("Threads"))
                    .collect(Collectors.toMap(words -> words[0], words -> Double.valueOf(words[1])));
            return Optional.of(new ProcessFigures(
                    figures.getOrDefault("VmRSS", 0.0) / KIBIBYTES_IN_MEBIBYTE,
                    files.count(),
                    figures.getOrDefault("Threads", 0.0)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private ProcessFigures plus(ProcessFigures other) {
        return new ProcessFigures(memory + other.memory, files + other.files, threads + other.threads);
    }
}
