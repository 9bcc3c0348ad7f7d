package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is measured of our own jobs is what they do; that of the peers needs PostgreSQL. */
class CouchJobsSystemTest {
    private static final int JOBS = 200;

    private final CouchJobsSystem system = new CouchJobsSystem(EmbeddedDatabase.openInMemory());

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
                new Depth(JOBS));
    }

    @ParameterizedTest
    @MethodSource("variants")
    void aVariantCountsWhatWasDoneAndNothingElse(Variant variant) throws InterruptedException {
        List<Figure> figures = variant.measure(new Subject(system, Duration.ofMillis(20)));
        assertThat(figures).isNotEmpty().allMatch(Figure::isSound).allSatisfy(figure -> {
            assertThat(figure.jobs()).isPositive();
            assertThat(figure.value()).isGreaterThanOrEqualTo(0);
        });
    }
}
