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

/** How often a {@link BenchmarkRow} is done in a second. {@link Benchmarks} gives it its parameters and threads. */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class OperationBenchmark {
    /** Names the directory that the stores' own are made in. */
    static final String DIRECTORY = "couchjobs.bench.directory";

    /** For JMH. */
    public OperationBenchmark() {}

    /** The store that all threads work on. */
    @State(Scope.Benchmark)
    public static class Opened {
        /** Which store. */
        @Param("EMBEDDED")
        public String store = "";

        /** Which operation. */
        @Param("COMMIT_1")
        public String row = "";

        /** How many rows there are before. */
        @Param("1000")
        public long keys;

        private BenchmarkRow measured = BenchmarkRow.COMMIT_1;
        private @Nullable BenchmarkStore opened;
        private @Nullable Path directory;

        /** For JMH. */
        public Opened() {}

        /**
         * Opens the store and loads it.
         *
         * @throws IOException if there is no place for it
         */
        @Setup(Level.Trial)
        public void open() throws IOException {
            measured = BenchmarkRow.valueOf(row);
            Path made = Files.createTempDirectory(Path.of(System.getProperty(DIRECTORY, ".")), "bench-");
            BenchmarkStore store = StoreKind.valueOf(this.store).open(made.resolve("store"));
            store.load(keys);
            directory = made;
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
            measured.run(Objects.requireNonNull(opened), worker, number, keys);
        }
    }

    /** One of the threads. */
    @State(Scope.Thread)
    public static class Worker {
        private int index;
        private long done;

        /** For JMH. */
        public Worker() {}

        /**
         * Numbers the threads.
         *
         * @param threads what JMH knows of this one
         */
        @Setup(Level.Trial)
        public void number(ThreadParams threads) {
            index = threads.getThreadIndex();
        }
    }

    /**
     * Does it once.
     *
     * @param opened the store
     * @param worker who does it
     * @return how often this worker has done it
     */
    @Benchmark
    public long operation(Opened opened, Worker worker) {
        opened.run(worker.index, worker.done);
        return ++worker.done;
    }
}
