package dev.couchjobs.loop;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.Environment;
import dev.couchjobs.fdb.simulation.Fault;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Looks in virtual time, at watches that never fire. */
class WatchLooksTest {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(75);

    private final Simulation simulation =
            Simulation.builder(1).calm().with(Fault.ORPHANED_WATCH, 1).build();
    private final SimulatedProcess process = simulation.process("waits");
    private final Database database = process.database();
    private int transactions;
    private final WatchLooks looks =
            new WatchLooks(new Environment(process.clock(), process.scheduler(), process.random()), body -> {
                transactions++;
                return database.readAsync(body);
            });

    @AfterEach
    void close() {
        looks.close();
        simulation.close();
    }

    private static byte[] key(int number) {
        return Tuple.from("watched", number).pack();
    }

    private CompletableFuture<Void> wait(int number) {
        return looks.await(simulation.await(database.runAsync(tx -> ArmedWatch.arm(tx, key(number)))));
    }

    private void change(int number) {
        simulation.await(simulation.database().runAsync(tx -> {
            tx.set(key(number), new byte[] {1});
            return CompletableFuture.completedFuture(number);
        }));
    }

    @Test
    void aThousandWaitsShareATransactionAndEndOnlyIfTheirKeysHaveChanged() {
        List<CompletableFuture<Void>> waits =
                IntStream.range(0, 2_500).mapToObj(this::wait).toList();
        change(7);
        change(2_400);

        simulation.advance(WatchLooks.BOUND);

        assertThat(transactions).isEqualTo(3);
        assertThat(waits.stream().filter(CompletableFuture::isDone)).containsExactly(waits.get(7), waits.get(2_400));
    }

    @Test
    void aWaitCostsLessThanATransactionAMinute() {
        var unused = wait(1);
        simulation.advance(HOUR);

        assertThat(transactions).isBetween(1, (int) HOUR.dividedBy(BETWEEN_LOOKS));
    }

    @Test
    void withoutWaitsThereIsNoTransaction() {
        wait(1).cancel(false);
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Void> wait = wait(1);
            simulation.advance(Duration.ofSeconds(40));
            wait.cancel(false);
        }
        simulation.advance(HOUR);

        assertThat(transactions).isZero();
    }

    @Test
    void whoeverLooksInATransactionOfItsOwnSavesTheOthers() {
        CompletableFuture<Void> wait = wait(1);
        for (int minute = 0; minute < 60; minute++) {
            simulation.advance(Duration.ofSeconds(66));
            simulation.await(database.readAsync(looks::look));
        }
        assertThat(transactions).isZero();
        assertThat(wait).isNotDone();

        change(1);
        simulation.advance(Duration.ofSeconds(30)); // a key is read once in a tick
        simulation.await(database.readAsync(looks::look));

        assertThat(wait).isCompleted();
    }

    @Test
    void aFailedLookIsRepeated() {
        CompletableFuture<Void> wait = wait(1);
        change(1);
        simulation.loseStore(Duration.ofSeconds(3));
        simulation.advance(WatchLooks.BOUND);

        assertThat(wait).isCompleted();
    }

    @Test
    @SuppressWarnings("FutureReturnValueIgnored") // the test gets it from the transaction
    void aWatchThatIsArmedAtOnceIsComparedWithWhatItsTransactionReads() {
        CompletableFuture<Void> wait = simulation.await(
                database.runAsync(tx -> CompletableFuture.completedFuture(looks.await(ArmedWatch.armNow(tx, key(1))))));
        simulation.advance(WatchLooks.BOUND);
        assertThat(wait).isNotDone();

        change(1);
        simulation.advance(WatchLooks.BOUND);

        assertThat(wait).isCompleted();
    }

    @Test
    void aWaitForNothingNeverEnds() {
        CompletableFuture<Void> wait = looks.awaitFirst(List.of());
        simulation.advance(HOUR);

        assertThat(wait).isNotDone();
        assertThat(transactions).isZero();
    }
}
