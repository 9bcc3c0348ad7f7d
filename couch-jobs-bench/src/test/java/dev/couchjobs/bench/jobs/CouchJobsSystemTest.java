package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is measured of our own jobs is what they do; that of the peers needs PostgreSQL. */
class CouchJobsSystemTest {
    private static final int JOBS = 200;

    private final Database database = EmbeddedDatabase.openInMemory();
    private final CountedDatabase counted = new CountedDatabase(database);
    private final CouchJobsSystem system = new CouchJobsSystem(database, counted.asDatabase());

    @AfterEach
    void close() {
        system.close();
    }

    @Test
    void everyJobIsRunOnceByOneOfManyInstances() throws InterruptedException {
        Tally tally = new Tally(0, JOBS);
        try (JobSystem.Instance one = system.join();
                JobSystem.Instance other = system.join()) {
            one.addAll(0, JOBS / 2);
            IntStream.range(JOBS / 2, JOBS).forEach(other::add);
            assertThat(system.unfinished()).isEqualTo(JOBS);
            assertThat(system.areFinished(List.of(0))).isFalse();
            one.work(tally::run);
            other.work(tally::run);
            assertThat(tally.await(JOBS)).isTrue();
            assertThat(tally.awaitEnd(system, JOBS)).isTrue();
        }
        assertThat(system.unfinished()).isZero();
        assertThat(tally.lost()).isZero();
        assertThat(tally.doubled()).isZero();
    }

    static Stream<Variant> variants() {
        return Stream.of(
                new Enqueue(1),
                new Enqueue(100),
                new Drain(2),
                new Latency(false, 0),
                new Latency(true, 0),
                new Depth(JOBS),
                new EnqueueCost(3),
                new DrainCost(2, JOBS),
                new IdleCost(),
                new HeartbeatCost(50, Duration.ofMinutes(1), Duration.ofMillis(20)));
    }

    @ParameterizedTest
    @MethodSource("variants")
    void aVariantCountsWhatWasDoneAndNothingElse(Variant variant) throws InterruptedException {
        List<Figure> figures = variant.measure(new Subject(system, Duration.ofMillis(20), Gauges.of(counted::traffic)));
        assertThat(figures).isNotEmpty().allMatch(Figure::isSound).allSatisfy(figure -> {
            assertThat(figure.jobs()).isPositive();
            assertThat(figure.value()).isGreaterThanOrEqualTo(0);
        });
    }

    @Test
    void whatIsAskedOfTheDatabaseIsCountedOncePerTransaction() {
        Traffic before = counted.traffic();
        Database way = counted.asDatabase();
        byte[] key = {1, 2};
        way.run(tx -> {
            tx.get(key).join();
            tx.set(key, new byte[3]);
            tx.clear(key, new byte[] {1, 3});
            tx.snapshot().getRange(key, new byte[] {1, 3}).asList().join();
            return tx.run(self -> tx.snapshot().get(key).join());
        });
        way.readAsync(tx -> tx.get(key)).join();
        assertThat(counted.traffic().since(before)).isEqualTo(new Traffic(2, 1, 0, 2, 9, 3, 1, 0, 0));
    }

    @Test
    void ofATransactionThatConflictsTheLastTryIsCounted() {
        Traffic before = counted.traffic();
        byte[] key = {1};
        AtomicInteger tries = new AtomicInteger();
        counted.asDatabase().run(tx -> {
            tx.get(key).join();
            if (tries.incrementAndGet() == 1) {
                database.run(other -> {
                    other.set(key, key);
                    return key;
                });
            }
            tx.set(key, new byte[0]);
            return key;
        });
        assertThat(counted.traffic().since(before)).isEqualTo(new Traffic(1, 1, 1, 1, 1, 1, 0, 0, 0));
    }

    @Test
    void whoTakesJobsMakesClaims() throws InterruptedException {
        Tally tally = new Tally(0, JOBS);
        try (JobSystem.Instance instance = system.join()) {
            instance.addAll(0, JOBS);
            assertThat(counted.traffic().claims()).isZero();
            instance.work(tally::run);
            assertThat(tally.await(JOBS)).isTrue();
        }
        assertThat(counted.traffic().claims()).isBetween(1L, (long) JOBS);
    }
}
