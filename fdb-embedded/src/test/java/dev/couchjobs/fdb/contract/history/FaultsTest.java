package dev.couchjobs.fdb.contract.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Workloads and checkers together find what is wrong with a faulty database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaultsTest {

    /** Each fault is found in one of the first few; that none of so many meets it does not happen. */
    private static final int MOST_HISTORIES = 2_000;

    private Database database;
    private ExecutorService threads;

    @BeforeAll
    void openDatabase() {
        database = EmbeddedDatabase.openInMemory();
        threads = Executors.newFixedThreadPool(Recording.THREADS);
    }

    @AfterAll
    void closeDatabase() {
        threads.shutdownNow();
        database.close();
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of(PlantedFault.READS_DO_NOT_CONFLICT, Workload.REGISTER),
                Arguments.of(PlantedFault.READS_DO_NOT_CONFLICT, Workload.QUEUE),
                Arguments.of(PlantedFault.READS_DO_NOT_CONFLICT, Workload.RANGE),
                Arguments.of(PlantedFault.RANGES_MISS_PHANTOMS, Workload.RANGE),
                Arguments.of(PlantedFault.READS_ARE_STALE, Workload.REGISTER),
                Arguments.of(PlantedFault.READS_ARE_STALE, Workload.COUNTER),
                Arguments.of(PlantedFault.READS_ARE_STALE, Workload.QUEUE),
                Arguments.of(PlantedFault.READS_ARE_STALE, Workload.RANGE),
                Arguments.of(PlantedFault.READS_ARE_DIRTY, Workload.REGISTER),
                Arguments.of(PlantedFault.COMMITS_ARE_TORN, Workload.REGISTER),
                Arguments.of(PlantedFault.COMMITS_ARE_TORN, Workload.COUNTER),
                Arguments.of(PlantedFault.CONFLICTS_ARE_WRITTEN, Workload.REGISTER),
                Arguments.of(PlantedFault.CONFLICTS_ARE_WRITTEN, Workload.RANGE),
                Arguments.of(PlantedFault.ITEMS_ARE_LOST, Workload.QUEUE));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void theSearchFindsTheFault(PlantedFault fault, Workload workload) {
        boolean found = histories(fault, workload)
                .anyMatch(history -> OrderSearch.violation(history).isPresent());
        assertThat(found).isTrue();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void theClaimedOrderShowsTheFault(PlantedFault fault, Workload workload) {
        boolean shown = histories(fault, workload)
                .anyMatch(history -> !ClaimedOrder.violations(history).isEmpty());
        assertThat(shown).isTrue();
    }

    private Stream<List<ObservedTransaction>> histories(PlantedFault fault, Workload workload) {
        Database faulty = fault.in(database);
        return LongStream.range(0, MOST_HISTORIES).mapToObj(seed -> Recording.of(faulty, workload, seed, threads));
    }
}
