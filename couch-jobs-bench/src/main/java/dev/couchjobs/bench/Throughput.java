package dev.couchjobs.bench;

import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Has JMH measure a row on a store, in a JVM of its own. */
record Throughput(Settings settings) {
    private static final int ITERATIONS = 3;

    /** Operations a second, all threads together. */
    double of(StoreKind store, BenchmarkRow row, long keys) throws RunnerException {
        long millis = settings.seconds() * 1000L;
        Options options = new OptionsBuilder()
                .include("\\b" + OperationBenchmark.class.getSimpleName() + "\\b")
                .param("store", store.name())
                .param("row", row.name())
                .param("keys", Long.toString(keys))
                .threads(row.threads())
                .forks(1)
                .jvmArgs("-Xmx1g", "-D" + OperationBenchmark.DIRECTORY + "=" + settings.directory())
                .warmupIterations(ITERATIONS)
                .warmupTime(TimeValue.milliseconds(millis / ITERATIONS))
                .measurementIterations(ITERATIONS)
                .measurementTime(TimeValue.milliseconds(millis / ITERATIONS))
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
        return new Runner(options).runSingle().getPrimaryResult().getScore();
    }
}
