package dev.couchjobs.fdb.contract.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.testing.Seeds;
import dev.couchjobs.fdb.testing.TestEngine;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever several threads do at once is strictly serializable. {@code -Dhistories=5000} runs more histories of each
 * kind, and {@code -Dhistories.seed=42} just that one, though the threads may get on differently each time.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("long")
@ParameterizedClass(name = "{0}")
@MethodSource("dev.couchjobs.fdb.testing.TestEngine#selected")
class ConcurrentHistoriesContract {

    private static final long HISTORIES = 4;
    private static final long MANY_HISTORIES = 150;

    @Parameter
    TestEngine engine;

    private Database database;
    private ExecutorService threads;

    @BeforeParameterizedClassInvocation
    void openDatabase() {
        database = engine.open();
        threads = Executors.newFixedThreadPool(Recording.THREADS);
    }

    @AfterParameterizedClassInvocation
    void closeDatabase() {
        threads.shutdownNow();
        database.close();
    }

    @ParameterizedTest
    @EnumSource(Workload.class)
    void everyHistoryIsStrictlySerializable(Workload workload) {
        seeds().forEach(seed -> assertSound(database, workload, seed));
    }

    @ParameterizedTest
    @EnumSource(Workload.class)
    void soIsEveryHistoryInWhichOutcomesAreUnknown(Workload workload) {
        Database uncertain = PlantedFault.OUTCOMES_ARE_UNKNOWN.in(database);
        seeds().forEach(seed -> assertSound(uncertain, workload, seed));
    }

    private static LongStream seeds() {
        Long one = Long.getLong("histories.seed");
        return one == null
                ? LongStream.range(0, Long.getLong("histories", Seeds.isLongRun() ? MANY_HISTORIES : HISTORIES))
                : LongStream.of(one);
    }

    private void assertSound(Database used, Workload workload, long seed) {
        List<ObservedTransaction> history = Recording.of(used, workload, seed, threads);
        assertThat(CheckResult.on(history))
                .as(() -> "a history of %s, as from %s%n%s".formatted(workload, command(seed), text(history)))
                .isEmpty();
    }

    /** What runs the same transactions again; the threads may get on differently. */
    private String command(long seed) {
        String name = getClass().getName();
        return "./mvnw verify -pl fdb-embedded%s -Dtest='%s' -Dhistories.seed=%d"
                .formatted(
                        engine == TestEngine.CLUSTER ? " -Pfdb" : "", name.substring(name.lastIndexOf('.') + 1), seed);
    }

    private static String text(List<ObservedTransaction> history) {
        StringBuilder text = new StringBuilder();
        history.forEach(transaction -> text.append("  ").append(transaction).append('\n'));
        return text.toString();
    }
}
