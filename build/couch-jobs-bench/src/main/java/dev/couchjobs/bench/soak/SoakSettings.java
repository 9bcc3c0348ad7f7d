package dev.couchjobs.bench.soak;

import dev.couchjobs.bench.CommandLine;
import java.nio.file.Path;
import java.util.Optional;

/** The options of a soak. */
final class SoakSettings {
    private static final double HOURS = 6;
    private static final double MINUTES_IN_HOUR = 60;
    private static final double SECONDS_IN_MINUTE = 60;

    static final String USAGE = """
            --minutes N        how long (360)
            --smoke            some seconds at 50 jobs a second: to see that it works
            --rate N           jobs a second, in place of 70 % of the measured capacity
            --capacity N       seconds in which the capacity is measured, after as many that warm up (30)
            --every N          seconds between samples (5)
            --workers N        worker processes (3)
            --seed N           draws what is killed, and when (1)
            --fdbserver PATH   starts a cluster of three such processes, with the fdbcli beside it, and kills them, too
            --directory PATH   the directory of databases (the temporary directory)
            --output PATH      the directory of soak.md, soak.svg, soak.json and logs (target/bench/soak)""";

    double seconds = HOURS * MINUTES_IN_HOUR * SECONDS_IN_MINUTE;
    double capacitySeconds = 30;
    int warmUpJobs = 2_000;
    /** Bounds the rate that follows from the capacity. */
    double rateMax = Double.MAX_VALUE;

    double every = 5;
    int rate;
    int workers = 3;
    long seed = 1;
    Optional<Path> fdbserver = Optional.empty();
    Path directory = Path.of(System.getProperty("java.io.tmpdir"));
    Path output = Path.of("target", "bench", "soak");

    private SoakSettings() {}

    static SoakSettings parse(String... words) {
        return CommandLine.parse(new SoakSettings(), SoakSettings::with, USAGE, words);
    }

    private static SoakSettings with(SoakSettings settings, String option, CommandLine line) {
        switch (option) {
            case "--minutes" -> settings.seconds = line.seconds() * SECONDS_IN_MINUTE;
            case "--smoke" -> settings.smoke();
            case "--rate" -> settings.rate = CommandLine.positive(line.value());
            case "--capacity" -> settings.capacitySeconds = line.seconds();
            case "--every" -> settings.every = line.seconds();
            case "--workers" -> settings.workers = CommandLine.positive(line.value());
            case "--seed" -> settings.seed = Long.parseLong(line.value());
            case "--fdbserver" -> settings.fdbserver = Optional.of(Path.of(line.value()));
            case "--directory" -> settings.directory = Path.of(line.value());
            case "--output" -> settings.output = Path.of(line.value());
            default -> throw new IllegalArgumentException(option);
        }
        return settings;
    }

    private void smoke() {
        seconds = 6;
        capacitySeconds = 0.3;
        warmUpJobs = 100;
        rateMax = 50;
        every = 0.5;
        workers = 2;
    }

    double minutes() {
        return seconds / SECONDS_IN_MINUTE;
    }
}
