package dev.couchjobs.fdb.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.testing.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineSimulationTest {
    private static final byte[] KEY = "count".getBytes(UTF_8);
    private static final byte[] ONE = {1};
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final Path SOURCE = Path.of("src/main/java/dev/couchjobs/fdb/simulation/Simulation.java");

    @Test
    void theExampleOfTheDocumentationCountsTwiceWithSomeSeedsAndIsTheOneRunHere() throws IOException {
        assertThat(LongStream.range(0, 50).mapToInt(EngineSimulationTest::example))
                .contains(1, 2);

        String documented = Files.readString(SOURCE).replaceAll("(?m)^ \\*", "").replaceAll("\\s+", "");
        String run = Files.readString(Path.of("src/test/java/dev/couchjobs/fdb/simulation/EngineSimulationTest.java"))
                .replaceAll("\\s+", "");
        String example = documented.substring(documented.indexOf("{@code") + 6, documented.indexOf("}</pre>"));
        assertThat(run).contains(example);
    }

    private static int example(long seed) {
        try (Simulation simulation = Simulation.builder(seed)
                .calm()
                .with(Fault.UNKNOWN_COMMITTED, 0.5)
                .build()) {
            Database database = simulation.process("a").database();
            simulation.await(database.runAsync(tx -> {
                tx.mutate(MutationType.ADD, KEY, ONE);
                return CompletableFuture.completedFuture(tx);
            }));
            simulation.calm();
            byte[] count = simulation.await(database.readAsync(tx -> tx.get(KEY)));
            return count[0]; // not always one
        }
    }

    @Test
    void theSameSeedGivesTheSameTraceAndAnotherSeedAnother() {
        Seeds.assertDetermine(EngineSimulationTest::traceOf, 20);
    }

    private static String traceOf(long seed) {
        List<String> lines = new ArrayList<>();
        try (Simulation simulation =
                Simulation.builder(seed).traceTo(lines::add).build()) {
            for (String name : List.of("a", "b", "c")) {
                keepCounting(simulation.process(name));
            }
            simulation.advance(Duration.ofSeconds(5));
            lines.add(simulation.trace().digest());
        }
        return String.join("\n", lines);
    }

    /** For as long as the process lives. */
    private static void keepCounting(SimulatedProcess process) {
        var unused = process.database()
                .runAsync(EngineSimulationTest::count)
                .thenAccept(count -> process.log("has counted to " + count))
                .whenComplete((done, error) -> rest(process));
    }

    private static void rest(SimulatedProcess process) {
        int millis = process.random().nextInt(500);
        var unused = process.scheduler().schedule(() -> keepCounting(process), millis, TimeUnit.MILLISECONDS);
    }

    private static CompletableFuture<Integer> count(Transaction tx) {
        return tx.get(KEY).thenApply(value -> {
            byte next = (byte) (value == null ? 1 : value[0] + 1);
            tx.set(KEY, new byte[] {next});
            return (int) next;
        });
    }

    @Test
    void theEndOfTheTraceIsAtHandAlthoughNobodyHasItWrittenDown() {
        try (Simulation simulation = Simulation.seeded(1)) {
            simulation.process("a").log("does something");

            assertThat(simulation.trace().tail()).endsWith("0.000000000 a does something");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CONFLICT, 1020",
        "UNKNOWN_COMMITTED, 1021",
        "UNKNOWN_NOT_COMMITTED, 1021",
        "TOO_OLD, 1007",
        "FUTURE_VERSION, 1009"
    })
    void aFaultThatIsCertainStrikesEveryCommitWithItsCode(Fault fault, int code) {
        try (Simulation simulation = Simulation.builder(1).calm().with(fault, 1).build()) {
            Transaction tx = simulation.process("a").database().createTransaction();
            tx.set(KEY, ONE);
            CompletableFuture<Void> commit = tx.commit();

            assertFailsWith(code, () -> simulation.await(commit));
            byte[] stored = simulation.await(simulation.database().readAsync(after -> after.get(KEY)));
            assertThat(stored).isEqualTo(fault == Fault.UNKNOWN_COMMITTED ? ONE : null);
        }
    }

    @Test
    void nothingOfADeadProcessRunsAnyMoreAndItsClockStops() {
        try (Simulation simulation = Simulation.builder(1).calm().build()) {
            SimulatedProcess process = simulation.process("a");
            List<String> ran = new ArrayList<>();
            process.scheduler().execute(() -> ran.add("task"));
            var unused = process.scheduler().schedule(() -> ran.add("timer"), 1, TimeUnit.SECONDS);
            var unusedToo =
                    process.database().runAsync(EngineSimulationTest::count).thenAccept(count -> ran.add("commit"));
            Instant death = process.clock().instant();
            List<SimulatedProcess> dead = new ArrayList<>();
            simulation.onDeath(dead::add);

            process.kill();
            process.scheduler().execute(() -> ran.add("late task"));
            simulation.advance(SECOND.multipliedBy(2));

            assertThat(ran).isEmpty();
            assertThat(dead).containsExactly(process);
            assertThat(process.isAlive()).isFalse();
            assertThat(process.clock().instant()).isEqualTo(death);
        }
    }

    @Test
    void whatAProcessHasSentBeforeItsDeathMayStillCommit() {
        try (Simulation simulation =
                Simulation.builder(1).calm().with(Fault.COMMIT_DELAY, 1).build()) {
            SimulatedProcess process = simulation.process("a");
            Transaction tx = process.database().createTransaction();
            tx.set(KEY, ONE);
            CompletableFuture<Void> commit = tx.commit();

            process.kill();
            simulation.advance(SECOND.multipliedBy(10));

            assertThat(commit).isNotDone();
            byte[] stored = simulation.await(simulation.database().readAsync(after -> after.get(KEY)));
            assertThat(stored).isEqualTo(ONE);
        }
    }

    @Test
    void aPausedProcessDoesWhatWasDueWhenItComesBackInOrder() {
        try (Simulation simulation = Simulation.builder(1).calm().build()) {
            SimulatedProcess process = simulation.process("a");
            List<String> ran = new ArrayList<>();
            var unused = process.scheduler().schedule(() -> ran.add("two"), 2, TimeUnit.SECONDS);
            var unusedToo = process.scheduler().schedule(() -> ran.add("one"), 1, TimeUnit.SECONDS);
            process.pause(SECOND.multipliedBy(5));

            simulation.advance(SECOND.multipliedBy(4));
            assertThat(ran).isEmpty();

            simulation.advance(SECOND);
            assertThat(ran).containsExactly("one", "two");
        }
    }

    @Test
    void whatIsNotOfTheSimulatedProcessesRunsInTheirTimeWhateverHappensToThem() {
        try (Simulation simulation = Simulation.builder(0).calm().build()) {
            List<Duration> times = new ArrayList<>();
            SimulatedProcess process = simulation.process("a");
            process.scheduler().execute(() -> times.add(simulation.elapsed()));
            var unused = simulation.scheduler().schedule(() -> times.add(simulation.elapsed()), 1, TimeUnit.SECONDS);
            process.pause(SECOND.multipliedBy(2));
            simulation.advance(SECOND.multipliedBy(3));
            assertThat(times).containsExactly(SECOND, SECOND.multipliedBy(2));
        }
    }

    @Test
    void answersTakeTheTimeThatTheStoreAndTheWayToItTake() {
        try (Simulation simulation = Simulation.builder(1)
                .calm()
                .latency(Duration.ofMillis(20), Duration.ofMillis(50))
                .build()) {
            Transaction near = simulation.process("near").database().createTransaction();
            Transaction far =
                    simulation.process("far", Duration.ofMillis(100)).database().createTransaction();
            near.set(KEY, ONE);

            assertThat(timeOf(simulation, () -> near.getReadVersion())).isEqualTo(Duration.ofMillis(20));
            assertThat(timeOf(simulation, near::commit)).isEqualTo(Duration.ofMillis(50));
            assertThat(timeOf(simulation, () -> far.get(KEY))).isEqualTo(Duration.ofMillis(120));
            far.set(KEY, ONE);
            assertThat(timeOf(simulation, far::commit)).isEqualTo(Duration.ofMillis(150));
        }
    }

    private static <T> Duration timeOf(Simulation simulation, Supplier<CompletableFuture<T>> step) {
        Duration begin = simulation.elapsed();
        simulation.await(step.get());
        return simulation.elapsed().minus(begin);
    }

    @Test
    void theStoreDecidesOnACommitHalfWay() {
        try (Simulation simulation = Simulation.builder(1)
                .calm()
                .latency(Duration.ZERO, Duration.ofMillis(50))
                .build()) {
            Transaction tx = simulation.process("a").database().createTransaction();
            tx.set(KEY, ONE);
            CompletableFuture<Void> commit = tx.commit();

            simulation.advance(Duration.ofMillis(30));

            byte[] stored = simulation.await(simulation.database().readAsync(after -> after.get(KEY)));
            assertThat(stored).isEqualTo(ONE);
            assertThat(commit).isNotDone();
        }
    }

    @Test
    void answersComeInTheOrderOfTheQuestionsUnlessTheyAreReordered() {
        List<Integer> asked = IntStream.range(0, 20).boxed().toList();

        assertThat(answers(Simulation.builder(1).calm().with(Fault.SLOW_REPLY, 0.5)))
                .isEqualTo(asked);
        assertThat(answers(Simulation.builder(1).calm().with(Fault.REORDERED_REPLY, 0.5)))
                .isNotEqualTo(asked)
                .containsExactlyInAnyOrderElementsOf(asked);
    }

    private static List<Integer> answers(SimulationBuilder builder) {
        List<Integer> answers = new ArrayList<>();
        try (Simulation simulation = builder.build()) {
            Transaction tx = simulation.process("a").database().createTransaction();
            for (int i = 0; i < 20; i++) {
                int question = i;
                var unused = tx.get(KEY).thenAccept(value -> answers.add(question));
            }
            simulation.advance(SECOND.multipliedBy(20));
        }
        return answers;
    }

    @ParameterizedTest
    @CsvSource({"SPURIOUS_WATCH, false", "FAILED_WATCH, true"})
    void aWatchComesToGriefThoughNothingChanges(Fault fault, boolean fails) {
        try (Simulation simulation = Simulation.builder(1).calm().with(fault, 1).build()) {
            CompletableFuture<Void> watch = watch(simulation);

            assertThat(watch).isDone();
            assertThat(watch.isCompletedExceptionally()).isEqualTo(fails);
        }
    }

    @Test
    void aLateWatchFiresSomeTimeAfterTheChange() {
        try (Simulation simulation =
                Simulation.builder(1).calm().with(Fault.LATE_WATCH, 1).build()) {
            CompletableFuture<Void> watch = watch(simulation);
            simulation.await(simulation.database().runAsync(EngineSimulationTest::count));
            simulation.runUntilIdle();
            assertThat(watch).isNotDone();

            simulation.advance(SECOND.multipliedBy(10));
            assertThat(watch).isCompleted();
        }
    }

    @Test
    void anOrphanedWatchNeitherFiresNorFails() {
        try (Simulation simulation =
                Simulation.builder(1).calm().with(Fault.ORPHANED_WATCH, 1).build()) {
            CompletableFuture<Void> watch = watch(simulation);
            simulation.await(simulation.database().runAsync(EngineSimulationTest::count));
            simulation.loseStore(SECOND);
            simulation.advance(Duration.ofHours(1));

            assertThat(watch).isNotDone();
        }
    }

    private static CompletableFuture<Void> watch(Simulation simulation) {
        Transaction tx = simulation.process("a").database().createTransaction();
        CompletableFuture<Void> watch = tx.watch(KEY);
        simulation.await(tx.commit());
        simulation.runUntilIdle();
        return watch;
    }

    @Test
    void clocksOfDifferentProcessesDisagreeAndJumpUntilItIsCalm() {
        try (Simulation simulation = Simulation.builder(1)
                .calm()
                .with(Fault.CLOCK_SKEW, 1)
                .with(Fault.CLOCK_JUMP, 1)
                .build()) {
            SimulatedProcess a = simulation.process("a");
            SimulatedProcess b = simulation.process("b");
            Duration apart = Duration.between(a.clock().instant(), b.clock().instant());
            assertThat(apart).isNotEqualTo(Duration.ZERO);

            simulation.advance(SECOND.multipliedBy(5));
            assertThat(Duration.between(a.clock().instant(), b.clock().instant()))
                    .isNotEqualTo(apart);

            simulation.calm();
            assertThat(a.clock().instant()).isEqualTo(b.clock().instant());
        }
    }

    @Test
    void whatWasAcknowledgedOutlivesTheLossOfTheStoreAndItsVersionsJumpAhead() {
        try (Simulation simulation = Simulation.builder(1).calm().build()) {
            Database database = simulation.process("a").database();
            simulation.await(database.runAsync(EngineSimulationTest::count));
            long before = simulation.await(database.readAsync(ReadTransaction::getReadVersion));

            simulation.loseStore(SECOND);
            Transaction tx = database.createTransaction();
            assertFailsWith(1037, () -> simulation.await(tx.get(KEY)));
            CompletableFuture<byte[]> read = database.readAsync(again -> again.get(KEY));

            assertThat(simulation.await(read)).isEqualTo(ONE);
            assertThat(simulation.elapsed()).isGreaterThanOrEqualTo(SECOND);
            assertThat(simulation.await(database.readAsync(ReadTransaction::getReadVersion)))
                    .isGreaterThan(before + 100_000_000);
        }
    }

    @Test
    void aTransactionFromBeforeTheLossIsTooOldAfterIt() {
        try (Simulation simulation = Simulation.builder(1).calm().build()) {
            Transaction tx = simulation.process("a").database().createTransaction();
            simulation.await(count(tx));
            simulation.loseStore(SECOND);
            simulation.advance(SECOND);

            assertFailsWith(1007, () -> simulation.await(tx.commit()));
        }
    }

    @Test
    void aCommitUnderWayWhenTheStoreIsLostHasAnUnknownResultAndSurvivesOrNot() {
        Set<Boolean> survived = new HashSet<>();
        for (long seed = 0; seed < 20; seed++) {
            try (Simulation simulation =
                    Simulation.builder(seed).calm().with(Fault.SLOW_DISK, 1).build()) {
                Transaction tx = simulation.process("a").database().createTransaction();
                tx.set(KEY, ONE);
                CompletableFuture<Void> commit = tx.commit();
                simulation.runUntilIdle();
                simulation.loseStore(SECOND);

                assertFailsWith(1021, () -> simulation.await(commit));
                simulation.advance(SECOND);
                byte[] stored = simulation.await(simulation.database().readAsync(after -> after.get(KEY)));
                survived.add(stored != null);
            }
        }
        assertThat(survived).containsExactlyInAnyOrder(true, false);
    }

    @Test
    void aWatchFailsRetryablyWhenTheStoreIsLost() {
        try (Simulation simulation = Simulation.builder(1).calm().build()) {
            CompletableFuture<Void> watch = watch(simulation);
            simulation.loseStore(SECOND);

            assertFailsWith(1009, () -> simulation.await(watch));
        }
    }

    @Test
    void whoeverObservesCommitsSeesEachOfThemPastAllFaults() {
        try (Simulation simulation =
                Simulation.builder(1).calm().with(Fault.UNKNOWN_COMMITTED, 0.5).build()) {
            List<Integer> seen = new ArrayList<>();
            simulation.onCommit(store -> {
                byte[] value = store.createTransaction().get(KEY).join();
                seen.add((int) value[0]);
            });
            for (int i = 0; i < 5; i++) {
                simulation.await(simulation.process("p" + i).database().runAsync(EngineSimulationTest::count));
            }
            assertThat(seen.stream().distinct())
                    .isEqualTo(IntStream.rangeClosed(1, seen.get(seen.size() - 1))
                            .boxed()
                            .toList());
        }
    }

    @Test
    void aProcessCannotBlockTheOnlyThread() {
        try (Simulation simulation = Simulation.seeded(1)) {
            Database database = simulation.process("a").database();

            assertThatThrownBy(() -> database.run(tx -> tx.get(KEY).join()))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("runAsync");
        }
    }

    @Test
    void aWeightThatIsNoProbabilityIsRefused() {
        assertThatThrownBy(() -> Simulation.builder(1).with(Fault.DEATH, 1.5))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static void assertFailsWith(int code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .cause()
                .isInstanceOfSatisfying(
                        FDBException.class, error -> assertThat(error.getCode()).isEqualTo(code));
    }
}
