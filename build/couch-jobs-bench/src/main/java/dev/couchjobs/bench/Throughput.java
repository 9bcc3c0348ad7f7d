package dev.couchjobs.bench;

import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Measures an operation on a store with JMH, in a JVM of its own. */
record Throughput(Settings settings) {
    private static final int ITERATIONS = 3;

    /** {@return the operations per second of all threads together} */
    double measure(StoreKind store, Operation operation, long keys) throws RunnerException {
        long millis = settings.seconds() * 1000L;
        Options options = new OptionsBuilder()
                .include("\\b" + OperationBenchmark.class.getSimpleName() + "\\b")
                .param("store", store.name())
                .param("operation", operation.name())
                .param("keys", Long.toString(keys))
                .threads(operation.threads())
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
