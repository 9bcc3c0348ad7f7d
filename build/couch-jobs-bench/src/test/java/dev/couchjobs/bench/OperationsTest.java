package dev.couchjobs.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs each operation a few times on each store, and checks its writes. */
class OperationsTest {
    private static final int TIMES = 3;
    private static final int LOADED = 200;
    private static final int NEW_COUNTERS = 100;
    private static final int WRITERS = 4;

    @TempDir
    Path directory;

    static Stream<Arguments> operations() {
        return Arrays.stream(Operation.values())
                .flatMap(operation -> Arrays.stream(StoreKind.values())
                        .filter(store -> store.supports(operation))
                        .map(store -> Arguments.of(operation, store)));
    }

    @ParameterizedTest
    @MethodSource("operations")
    void writesArePresentWhenTheStoreIsOpenedAgain(Operation operation, StoreKind kind) throws Exception {
        try (BenchmarkStore store = kind.open(directory.resolve("store"))) {
            store.load(LOADED);
            runInThreads(operation.threads(), worker -> {
                for (int time = 0; time < TIMES; time++) {
                    operation.run(store, worker, time, LOADED);
                }
            });
        }
        if (kind != StoreKind.BASELINE) {
            try (BenchmarkStore store = kind.open(directory.resolve("store"))) {
                assertWritten(store, operation);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EMBEDDED", "ROCKSDB", "H2"})
    void concurrentFirstIncrementsOfACounterAllCount(StoreKind kind) throws Exception {
        Phaser together = new Phaser(WRITERS);
        try (BenchmarkStore store = kind.open(directory.resolve("store"))) {
            runInThreads(WRITERS, worker -> {
                try {
                    for (int number = 0; number < NEW_COUNTERS; number++) {
                        together.arriveAndAwaitAdvance();
                        store.increment(newCounter(number));
                    }
                } finally {
                    together.arriveAndDeregister();
                }
            });
            assertThat(IntStream.range(0, NEW_COUNTERS).mapToLong(number -> store.counter(newCounter(number))))
                    .containsOnly((long) WRITERS);
        }
    }

    private static byte[] newCounter(int number) {
        return Data.key(Data.SHARED_COUNTERS, 0, number);
    }

    private static void runInThreads(int count, IntConsumer work) throws ExecutionException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        List<Future<?>> running = new ArrayList<>();
        for (int worker = 0; worker < count; worker++) {
            int index = worker;
            running.add(threads.submit(() -> work.accept(index)));
        }
        for (Future<?> future : running) {
            future.get();
        }
        threads.shutdown();
    }

    private static void assertWritten(BenchmarkStore store, Operation operation) {
        long count = (long) operation.threads() * TIMES;
        switch (operation) {
            case COMMIT_1, COMMIT_16, COMMIT_64 ->
                assertThat(allWritten(operation).allMatch(key -> store.get(key) != null))
                        .isTrue();
            case UPDATE -> assertThat(sum(store, operation)).isEqualTo(count);
            case UPDATE_CONTENDED, ADD -> assertThat(sharedSum(store)).isEqualTo(count);
            case RANGE ->
                assertThat(store.range(new byte[] {Data.ROWS}, LOADED * 2)).isEqualTo(LOADED);
            case APPEND ->
                assertThat(store.range(new byte[] {Data.APPENDED}, (int) count * 2))
                        .isEqualTo((int) count);
            case WATCH -> assertThat(store.get(Operation.written(0, 0))).isNotNull();
        }
    }

    private static Stream<byte[]> allWritten(Operation operation) {
        return Stream.iterate(0, worker -> worker < operation.threads(), worker -> worker + 1)
                .flatMap(worker -> Stream.iterate(0, time -> time < TIMES, time -> time + 1)
                        .map(time -> Operation.written(worker, time)));
    }

    private static long sum(BenchmarkStore store, Operation operation) {
        long sum = 0;
        for (int worker = 0; worker < operation.threads(); worker++) {
            for (int time = 0; time < TIMES; time++) {
                sum += store.counter(Operation.ownCounter(worker, time));
            }
        }
        return sum;
    }

    private static long sharedSum(BenchmarkStore store) {
        return Stream.of(0, 1, 2, 3)
                .mapToLong(number -> store.counter(Operation.sharedCounter(number)))
                .sum();
    }
}
