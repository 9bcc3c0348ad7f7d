package dev.couchjobs.fdb.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Several threads at once; what they may and may not see of each other is the matter of the concurrent histories. */
class MultithreadedContract extends FdbContract {

    private static final int THREADS = 4;
    private static final int ROUNDS = 25;

    private ExecutorService threads;

    @BeforeAll
    void startThreads() {
        threads = Executors.newFixedThreadPool(THREADS);
    }

    @AfterAll
    void stopThreads() {
        threads.shutdownNow();
    }

    @Test
    void incrementsThatReadAndWriteAreNeverLost() {
        given("counter", "0");
        inParallel(thread -> {
            for (int i = 0; i < ROUNDS; i++) {
                commit(tr -> add(tr, "counter", 1));
            }
        });
        assertThat(committed("counter")).isEqualTo("" + THREADS * ROUNDS);
    }

    @Test
    void oneTransactionServesSeveralThreads() {
        commit(tr -> {
            tr.clear(prefixKeys().all());
            inParallel(thread -> {
                for (int i = 0; i < ROUNDS; i++) {
                    String name = thread + "-" + i;
                    set(tr, name, "1");
                    assertThat(get(tr, name)).isEqualTo("1");
                    assertThat(rows(tr.getRange(range(thread + "-", thread + "."))))
                            .hasSize(i + 1);
                }
            });
        });
        assertThat(committed()).hasSize(THREADS * ROUNDS);
    }

    private void add(Transaction tr, String name, int amount) {
        byte[] value = await(tr.get(key(name)));
        set(tr, name, "" + (Integer.parseInt(text(value)) + amount));
    }

    private void inParallel(IntConsumer work) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            all.add(CompletableFuture.runAsync(() -> work.accept(thread), threads));
        }
        all.forEach(FdbContract::await);
    }
}
