package dev.couchjobs.bridge.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.time.LocalDate;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeSetsTest {
    private static final LocalDate TODAY = LocalDate.of(2026, 3, 1);
    private static final SortedSet<String> SET = new TreeSet<>(List.of("a", "b"));

    private final Database database = EmbeddedDatabase.openInMemory();
    private final NodeSets sets = new NodeSets(new Subspace(Tuple.from("test")), 2);
    private final AtomicInteger made = new AtomicInteger();

    @AfterEach
    void close() {
        database.close();
    }

    private <T> T run(Function<Transaction, CompletableFuture<T>> body) {
        return database.runAsync(body).join();
    }

    private boolean use(SortedSet<String> nodes, LocalDate day) {
        return run(tx -> sets.use(tx, nodes, day, () -> {
            made.incrementAndGet();
            return CompletableFuture.completedFuture(null);
        }));
    }

    private void forget(LocalDate day, boolean hasJobs) {
        run(tx -> sets.forget(tx, day, nodes -> CompletableFuture.completedFuture(hasJobs)));
    }

    private List<SortedSet<String>> known() {
        return run(sets::all);
    }

    @Test
    void aSetIsMadeKnownOnce() {
        assertThat(use(SET, TODAY)).isTrue();
        assertThat(use(SET, TODAY.plusDays(1))).isTrue();

        assertThat(known()).containsExactly(SET);
        assertThat(made).hasValue(1);
    }

    @Test
    void beyondTheLimitNoneBecomesKnownButThoseThatAreRemainSo() {
        use(SET, TODAY);
        use(new TreeSet<>(List.of("a", "c")), TODAY);

        assertThat(use(new TreeSet<>(List.of("b", "c")), TODAY)).isFalse();
        assertThat(use(SET, TODAY)).isTrue();
        assertThat(known()).hasSize(2);
    }

    @Test
    void aSetOfManyLongNamesIsKnown() {
        SortedSet<String> long100 = new TreeSet<>(IntStream.range(0, 100)
                .mapToObj(i -> "node-" + i + "x".repeat(200))
                .toList());

        assertThat(use(long100, TODAY)).isTrue();
        assertThat(known()).containsExactly(long100);
    }

    @Test
    void whatHasNotBeenAimedAtForAWeekIsForgottenUnlessItStillHasJobs() {
        use(SET, TODAY);
        forget(TODAY.plusDays(7), false);
        assertThat(known()).containsExactly(SET);

        use(SET, TODAY.plusDays(1));
        forget(TODAY.plusDays(8), false);
        assertThat(known()).containsExactly(SET);

        forget(TODAY.plusDays(9), true);
        assertThat(known()).containsExactly(SET);

        forget(TODAY.plusDays(9), false);
        assertThat(known()).isEmpty();
    }

    @Test
    void aSetThatIsAimedAtWhileItIsToBeForgottenRemains() {
        use(SET, TODAY);
        LocalDate later = TODAY.plusDays(30);
        AtomicInteger tries = new AtomicInteger();

        run(tx -> sets.forget(tx, later, nodes -> {
            if (tries.getAndIncrement() == 0) {
                use(SET, later);
            }
            return CompletableFuture.completedFuture(false);
        }));

        assertThat(known()).containsExactly(SET);
    }
}
