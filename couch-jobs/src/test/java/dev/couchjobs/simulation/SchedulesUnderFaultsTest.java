package dev.couchjobs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.Schedules;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.testing.Seeds;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Schedules while everything goes wrong, and while operators change them. After every commit {@link SchedulesLaw} holds.
 */
@Tag("long")
class SchedulesUnderFaultsTest {
    private static final JobType<Integer, String> TYPE = JobType.of("simulated", Integer.class, String.class)
            .activityTimeout(Duration.ofSeconds(2))
            .retry(RetryPolicy.standard().attempts(3).backoff(Duration.ofSeconds(1), 1, Duration.ofSeconds(1)));
    private static final Subspace ROWS = new Subspace(Tuple.from("couch_jobs"));
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final Duration CHAOS = Duration.ofSeconds(30);
    /** Clocks jump by up to 20 seconds about once a second: a firing time may be minutes ahead. */
    private static final Duration CALM = Duration.ofMinutes(15);

    static LongStream seeds() {
        return Seeds.of(4, 14);
    }

    /** To replay one: {@code ./mvnw verify -pl couch-jobs -am -Dtest=SchedulesUnderFaultsTest -Dsimulation.seed=N}. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theLawOfSchedulesHolds(long seed) {
        try (Simulation simulation = EffectHandler.simulation(seed)) {
            Violations violations = new Violations();
            SchedulesLaw law = new SchedulesLaw(ROWS, TYPE.name(), violations);
            simulation.onCommit(store -> {
                try (Transaction tx = store.createTransaction()) {
                    law.look(tx);
                } catch (AssertionError e) {
                    simulation.log("violated: " + e.getMessage()); // the check at the end fails
                }
            });
            simulation.onDeath(dead -> join(simulation));
            join(simulation);
            join(simulation);
            SimulatedProcess operator = simulation.process("operator");
            operate(operator, EffectHandler.instance(operator).schedules());
            simulation.advance(CHAOS);
            simulation.calm();
            operator.kill();
            join(simulation);
            Schedules last = EffectHandler.instance(simulation.process("last")).schedules();
            for (String name : NAMES) {
                simulation.await(last.put(simulation.database(), Schedule.every(name, Duration.ofMinutes(1), job(0))));
                simulation.await(last.resume(simulation.database(), name));
            }
            simulation.advance(CALM);
            Map<String, Integer> ended = new HashMap<>();
            NAMES.forEach(name -> ended.put(name, law.ended(name)));
            simulation.advance(Duration.ofMinutes(30));

            violations.check();
            // By the clocks of these processes, which differ by minutes, fewer or more than 30 minutes have passed.
            NAMES.forEach(name -> assertThat(law.ended(name))
                    .as("jobs of schedule %s in 30 minutes", name)
                    .isBetween(ended.getOrDefault(name, 0) + 5, ended.getOrDefault(name, 0) + 45));
            assertThat(EffectHandler.effects(simulation))
                    .allSatisfy(effect -> assertThat(effect.getValue()).isEqualTo(new byte[] {1}));
        }
    }

    private static NewJob<Integer> job(int data) {
        return NewJob.of(TYPE, data);
    }

    private static void join(Simulation simulation) {
        EffectHandler.join(simulation, TYPE, 3);
    }

    /** Changes one schedule after the other, for as long as the process lives. */
    private static void operate(SimulatedProcess process, Schedules schedules) {
        RandomGenerator random = process.random();
        String name = NAMES.get(random.nextInt(NAMES.size()));
        var unused = change(process.database(), schedules, name, random).whenComplete((done, error) -> {
            process.log(name + " changed: " + error);
            var unusedTimer = process.scheduler()
                    .schedule(() -> operate(process, schedules), random.nextInt(2_000), TimeUnit.MILLISECONDS);
        });
    }

    private static CompletableFuture<?> change(
            Database database, Schedules schedules, String name, RandomGenerator random) {
        return switch (random.nextInt(7)) {
            case 0 -> schedules.pause(database, name);
            case 1 -> schedules.resume(database, name);
            case 2 -> schedules.runNow(database, name);
            case 3 -> schedules.remove(database, name);
            default -> schedules.put(database, schedule(name, random));
        };
    }

    private static Schedule schedule(String name, RandomGenerator random) {
        Duration period = Duration.ofSeconds(1 + random.nextInt(3));
        Schedule any = random.nextInt(3) == 0
                ? Schedule.afterEach(name, period, job(random.nextInt(2)))
                : Schedule.every(name, period, job(random.nextInt(2)));
        boolean mayOverlap = !any.toString().contains("after each");
        Schedule more = switch (random.nextInt(mayOverlap ? 6 : 3)) {
            case 0 -> any;
            case 1, 2 -> any.queueing();
            case 3 -> any.overlapping();
            default -> any.cancellingPrevious();
        };
        return random.nextBoolean()
                ? more
                : more.makeUpFor(1 + random.nextInt(4)).jitter(period.minusSeconds(1));
    }
}
