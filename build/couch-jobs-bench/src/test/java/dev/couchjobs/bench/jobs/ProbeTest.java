package dev.couchjobs.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProbeTest {
    private static final byte[] KEY = {1};

    private final Database database = EmbeddedDatabase.openInMemory();
    private final Probe probe = new Probe();
    private final Database way = probe.on(database);

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void everyTryIsCountedWithItsReads() {
        AtomicInteger tries = new AtomicInteger();
        way.run(tx -> {
            tx.get(KEY).join();
            if (tries.incrementAndGet() == 1) {
                write(KEY);
            }
            tx.set(KEY, new byte[1]);
            return tx.getRange(KEY, new byte[] {2}).asList().join();
        });

        assertThat(figures()).containsEntry(Metric.TRANSACTIONS, 2.0).containsEntry(Metric.READS, 4.0);
    }

    @Test
    void aWatchIsHeldUntilItIsOver() {
        byte[] other = {2};
        CompletableFuture<Void> watch = way.run(tx -> tx.watch(KEY));
        var unused = way.run(tx -> tx.watch(other));
        assertThat(figures()).containsEntry(Metric.WATCHES, 2.0).containsEntry(Metric.HELD, 2.0);

        watch.cancel(true);
        probe.reset();

        assertThat(figures()).containsEntry(Metric.WATCHES, 0.0).containsEntry(Metric.HELD, 1.0);
    }

    @Test
    void whatGoesRoundByTheClockIsLeftOutOfWhatJobsCost() {
        way.run(tx -> tx.get(Tuple.from("type", "data", "job").pack()).join());
        way.run(tx ->
                tx.getRange(Tuple.from("type", "activity").range()).asList().join());
        way.run(tx -> tx.get(Tuple.from("type", "activity_timeout").pack()).join());

        assertThat(Probe.withoutUpkeep(List.of(probe), 1)).containsEntry(Metric.TRANSACTIONS, 2.0);
        assertThat(Probe.ofAll(List.of(probe), 3)).containsEntry(Metric.TRANSACTIONS, 1.0);
    }

    private Map<Metric, Double> figures() {
        return Probe.ofAll(List.of(probe), 1);
    }

    private void write(byte[] key) {
        database.run(tx -> {
            tx.set(key, key);
            return key;
        });
    }
}
