package dev.couchjobs.fdb.simulation;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A FoundationDB store and the processes that use it, on one thread and in virtual time, with faults, from a seed.
 *
 * <p>Nothing happens by itself. It happens while somebody calls {@link #advance}, {@link #await} or
 * {@link #runUntilIdle}, on the calling thread, and only what processes, store and faults have put on the schedule. All
 * that is left to chance comes from the seed, so the same program with the same seed does the same, to the last line of
 * the {@link #trace}, and a failure is replayed by its seed. Code under test keeps to that if it takes time, timers and
 * randomness from its {@link SimulatedProcess} and never blocks.
 *
 * <pre>{@code
 * try (Simulation simulation = Simulation.builder(42).with(Fault.UNKNOWN_COMMITTED, 0.5).build()) {
 *     Database database = simulation.process("a").database();
 *     simulation.await(database.runAsync(tx -> {
 *         tx.mutate(MutationType.ADD, KEY, ONE);
 *         return CompletableFuture.completedFuture(tx);
 *     }));
 *     simulation.calm();
 *     byte[] count = simulation.await(database.readAsync(tx -> tx.get(KEY))); // not always one
 * }
 * }</pre>
 *
 * <p>Different simulations may run on different threads at the same time.
 */
public final class Simulation implements AutoCloseable {
    private static final long[] SLOWEST_MILLIS = {1, 30, 300};
    private static final String ITSELF = "simulation";

    private final VirtualScheduler time = new VirtualScheduler();
    private final SplittableRandom random;
    private final RandomGenerator drawn;
    private final Weights weights;
    private final long slowestNanos;
    private final Trace trace;
    private final Weather weather;
    private final Database store;
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private final List<Consumer<SimulatedProcess>> onDeath = new ArrayList<>();
    private final List<Consumer<Database>> onCommit = new ArrayList<>();
    private boolean closed;

    private Simulation(Builder builder) {
        random = new SplittableRandom(builder.seed);
        drawn = random.split();
        trace = new Trace(time, builder.lines);
        weights = Weights.draw(builder.weights, random);
        slowestNanos = TimeUnit.MILLISECONDS.toNanos(SLOWEST_MILLIS[random.nextInt(SLOWEST_MILLIS.length)]);
        weather = new Weather(time, weights, random.split());
        store = EmbeddedDatabase.openInMemory(
                new EngineEnvironment(this::executeAndLook, time, time::nanoTime, random.split()));
        trace.add(ITSELF, "of seed " + builder.seed + ":", weights.toString());
    }

    /**
     * Begins a simulation in which faults of every kind have a random weight, or none, as the seed wills.
     *
     * @param seed decides everything
     * @return the simulation, to be closed by the caller
     */
    public static Simulation seeded(long seed) {
        return builder(seed).build();
    }

    /**
     * Begins a simulation whose faults are chosen.
     *
     * @param seed decides everything that is not chosen
     * @return what to choose with
     */
    public static Builder builder(long seed) {
        return new Builder(seed);
    }

    /** Chooses what goes wrong. */
    public static final class Builder {
        private final long seed;
        private final Map<Fault, Double> weights = new EnumMap<>(Fault.class);
        private @Nullable Consumer<String> lines;

        private Builder(long seed) {
            this.seed = seed;
        }

        /**
         * Sets how often something goes wrong.
         *
         * @param fault what
         * @param weight the probability that it strikes, between 0 and 1; see {@link Fault} for what it refers to
         * @return this
         */
        public Builder with(Fault fault, double weight) {
            if (!(weight >= 0 && weight <= 1)) {
                throw new IllegalArgumentException("A weight lies between 0 and 1, and not at " + weight);
            }
            weights.put(fault, weight);
            return this;
        }

        /**
         * Has something never go wrong.
         *
         * @param fault what
         * @return this
         */
        public Builder without(Fault fault) {
            return with(fault, 0);
        }

        /**
         * Has nothing go wrong but what {@link #with} sets, before or after this call.
         *
         * @return this
         */
        public Builder calm() {
            for (Fault fault : Fault.values()) {
                weights.putIfAbsent(fault, 0.0);
            }
            return this;
        }

        /**
         * Has the whole trace written down, which otherwise is not kept.
         *
         * @param reader is given one line after another
         * @return this
         */
        public Builder traceTo(Consumer<String> reader) {
            lines = reader;
            return this;
        }

        /**
         * Begins the simulation.
         *
         * @return the simulation, to be closed by the caller
         */
        public Simulation build() {
            return new Simulation(this);
        }
    }

    /**
     * Starts a process, which lives until it is killed, by chance or on purpose.
     *
     * @param name how the trace calls it
     * @return the process
     */
    public SimulatedProcess process(String name) {
        ProcessExecutor executor = new ProcessExecutor(time);
        ProcessFaults faults = new ProcessFaults(name, executor, weights, slowestNanos, random.split(), trace);
        SimulatedProcess process = new SimulatedProcess(
                name, executor, new ProcessDatabase(store, faults, executor), random.split(), trace, this::tellOfDeath);
        processes.add(process);
        weather.over(process);
        return process;
    }

    private void tellOfDeath(SimulatedProcess dead) {
        time.execute(() -> onDeath.forEach(observer -> observer.accept(dead)));
    }

    /**
     * Looks at the store past all faults. For what is not of the simulated world: setting it up and checking it.
     *
     * @return the store itself, which the simulation closes
     */
    public Database database() {
        return store;
    }

    /**
     * Has somebody look at the store whenever it may have changed.
     *
     * @param observer is handed the store, past all faults; its reads are answered at once, and it must not write
     */
    public void onCommit(Consumer<Database> observer) {
        onCommit.add(observer);
    }

    /**
     * Tells somebody of every process that has died, at the time of its death; they may start another one.
     *
     * @param observer is not part of any process
     */
    public void onDeath(Consumer<SimulatedProcess> observer) {
        onDeath.add(observer);
    }

    /**
     * Lets time pass.
     *
     * @param duration how long; zero to do what is due now
     */
    public void advance(Duration duration) {
        time.advance(duration);
    }

    /** Does all that is due now; no time passes. */
    public void runUntilIdle() {
        time.runUntilIdle();
    }

    /**
     * Lets time pass until a future is done.
     *
     * @param future what to wait for
     * @param <T> the type of its value
     * @return the future's value
     * @throws AssertionError if the future is still open when nothing is left to happen, or after a day
     * @throws java.util.concurrent.CompletionException if the future fails
     */
    public <T> T await(CompletableFuture<T> future) {
        return time.await(future);
    }

    /**
     * Tells how much time has passed.
     *
     * @return virtual time since the beginning
     */
    public Duration elapsed() {
        return Duration.ofNanos(time.nanoTime());
    }

    /**
     * Has nothing go wrong any more, apart from what already has: pauses and late answers take the time they take. Clocks
     * are set right.
     */
    public void calm() {
        trace.add(ITSELF, "calms down");
        weights.calm();
        processes.forEach(SimulatedProcess::setClockRight);
    }

    /**
     * Draws random numbers for whoever drives the simulation.
     *
     * @return repeatable, like everything else
     */
    public RandomGenerator random() {
        return drawn;
    }

    /**
     * Writes a line into the trace.
     *
     * @param what happened, or is about to
     */
    public void log(String what) {
        trace.add(ITSELF, what);
    }

    /**
     * Tells what happened.
     *
     * @return the trace so far, which grows
     */
    public Trace trace() {
        return trace;
    }

    /** Ends it: no process lives on, and the store is closed. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            processes.forEach(SimulatedProcess::kill);
            store.close();
            time.runUntilIdle();
        }
    }

    /** What the store does is done in tasks of its own, so after each of them its state is one that others may see. */
    private void executeAndLook(Runnable task) {
        time.execute(() -> {
            task.run();
            if (!closed) {
                onCommit.forEach(observer -> observer.accept(store));
            }
        });
    }
}
