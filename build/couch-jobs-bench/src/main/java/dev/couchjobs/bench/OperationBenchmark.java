package dev.couchjobs.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/** Measures the throughput of an {@link Operation}. {@link Benchmarks} sets the parameters and threads. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class OperationBenchmark {
    /** The system property that names the directory of the stores. */
    static final String DIRECTORY = "couchjobs.bench.directory";

    /** For JMH. */
    public OperationBenchmark() {}

    /** The store that all threads share. */
    @State(Scope.Benchmark)
    public static class Opened {
        /** The name of the {@link StoreKind}. */
        @Param("EMBEDDED")
        public String store = "";

        /** The name of the {@link Operation}. */
        @Param("COMMIT_1")
        public String operation = "";

        /** The number of rows loaded before. */
        @Param("1000")
        public long keys;

        private Operation parsedOperation = Operation.COMMIT_1;
        private @Nullable BenchmarkStore opened;
        private @Nullable Path directory;

        /** For JMH. */
        public Opened() {}

        /**
         * Opens the store and loads it.
         *
         * @throws IOException if its directory cannot be created
         */
        @Setup(Level.Trial)
        public void open() throws IOException {
            parsedOperation = Operation.valueOf(operation);
            Path parent = Files.createTempDirectory(Path.of(System.getProperty(DIRECTORY, ".")), "bench-");
            BenchmarkStore store = StoreKind.valueOf(this.store).open(parent.resolve("store"));
            store.load(keys);
            directory = parent;
            opened = store;
        }

        /**
         * Closes the store and deletes it.
         *
         * @throws IOException if it cannot be deleted
         */
        @TearDown(Level.Trial)
        public void close() throws IOException {
            Objects.requireNonNull(opened).close();
            DirectoryFiles.delete(Objects.requireNonNull(directory));
        }

        void run(int worker, long number) {
            parsedOperation.run(Objects.requireNonNull(opened), worker, number, keys);
        }
    }

    /** The state of one thread. */
    @State(Scope.Thread)
    public static class Worker {
        private int index;
        private long done;

        /** For JMH. */
        public Worker() {}

        /**
         * Sets the index of the thread.
         *
         * @param threads the parameters of the thread
         */
        @Setup(Level.Trial)
        public void number(ThreadParams threads) {
            index = threads.getThreadIndex();
        }
    }

    /**
     * Runs the operation once.
     *
     * @param opened the store
     * @param worker the thread's state
     * @return the number of times that the thread has run it
     */
    @Benchmark
    public long operation(Opened opened, Worker worker) {
        opened.run(worker.index, worker.done);
        return ++worker.done;
    }
}
