package dev.couchjobs.fdb.simulation;

import com.apple.foundationdb.Database;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * A FoundationDB store and the processes that use it, on one thread and in virtual time, with faults, from a seed.
 *
 * <p>Nothing happens by itself. It happens while a caller is in {@link #advance}, {@link #await} or
 * {@link #runUntilIdle}, on the calling thread, and only what processes, store and faults have put on the schedule. All
 * that is left to chance comes from the seed, so the same program with the same seed does the same, to the last line of
 * the {@link #trace}, and a failure is replayed by its seed. Code under test keeps to that if it takes time, timers and
 * randomness from its {@link SimulatedProcess} and never blocks.
 *
 * <pre>{@code
 * try (Simulation simulation = Simulation.builder(seed)
 *         .calm()
 *         .with(Fault.UNKNOWN_COMMITTED, 0.5)
 *         .build()) {
 *     Database database = simulation.process("a").database();
 *     simulation.await(database.runAsync(tx -> {
 *         tx.mutate(MutationType.ADD, KEY, ONE);
 *         return CompletableFuture.completedFuture(tx);
 *     }));
 *     simulation.calm();
 *     byte[] count = simulation.await(database.readAsync(tx -> tx.get(KEY)));
 *     return count[0]; // not always one
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
    private final FaultWeights weights;
    private final long slowestNanos;
    private final Latency latency;
    private final Trace trace;
    private final FaultScheduler faultScheduler;
    private final SharedStore store;
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private final List<Consumer<SimulatedProcess>> onDeath = new ArrayList<>();

    Simulation(SimulationBuilder builder) {
        random = new SplittableRandom(builder.seed());
        drawn = random.split();
        trace = new Trace(time, builder.lines());
        weights = FaultWeights.draw(builder.weights(), random);
        slowestNanos = TimeUnit.MILLISECONDS.toNanos(SLOWEST_MILLIS[random.nextInt(SLOWEST_MILLIS.length)]);
        latency = builder.latency();
        faultScheduler = new FaultScheduler(time, weights, random.split());
        store = new SharedStore(time, weights, slowestNanos, random.split(), trace);
        faultScheduler.over(store);
        trace.add(ITSELF, "of seed " + builder.seed() + ":", weights.toString());
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
    public static SimulationBuilder builder(long seed) {
        return new SimulationBuilder(seed);
    }

    /**
     * Starts a process, which lives until it is killed, by chance or on purpose.
     *
     * @param name how the trace calls it
     * @return the process
     */
    public SimulatedProcess process(String name) {
        return process(name, Duration.ZERO);
    }

    /**
     * Starts a process that is far from the store.
     *
     * @param name how the trace calls it
     * @param distance how much longer it waits for each answer than one that is near
     * @return the process
     */
    public SimulatedProcess process(String name, Duration distance) {
        ProcessExecutor executor = new ProcessExecutor(time);
        ProcessFaults faults = new ProcessFaults(
                name, store, executor, weights, slowestNanos, latency.from(distance), random.split(), trace);
        SimulatedProcess process = new SimulatedProcess(
                name,
                executor,
                new ProcessDatabase(store.connect(), faults, executor),
                random.split(),
                trace,
                this::reportDeath);
        processes.add(process);
        faultScheduler.over(process);
        return process;
    }

    private void reportDeath(SimulatedProcess dead) {
        time.execute(() -> onDeath.forEach(observer -> observer.accept(dead)));
    }

    /**
     * Looks at the store past all faults. For what is not of the simulated world: setting it up and checking it.
     *
     * @return the store itself, which the simulation closes
     */
    public Database database() {
        return store.withoutFaults();
    }

    /**
     * Runs tasks and timers past all faults. For what the processes use besides the store, and which has faults of its
     * own.
     *
     * @return the one thread of all this, in its time
     */
    public ScheduledExecutorService scheduler() {
        return time;
    }

    /**
     * Calls an observer whenever commits have changed the store.
     *
     * @param observer is handed the store, past all faults; its reads are answered at once, and it must not write
     */
    public void onCommit(Consumer<Database> observer) {
        store.observe(observer);
    }

    /**
     * Calls an observer for every process that dies, at the time of its death; the observer may start another one.
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
     * Returns how much time has passed.
     *
     * @return virtual time since the beginning
     */
    public Duration elapsed() {
        return Duration.ofNanos(time.nanoTime());
    }

    /**
     * Returns the time of day.
     *
     * @return a clock that is right, whatever the processes believe
     */
    public InstantSource clock() {
        return time;
    }

    /**
     * Injects no more faults. Pauses and delays that have begun still take their time.
     * Clocks are set right.
     */
    public void calm() {
        trace.add(ITSELF, "calms down");
        weights.calm();
        processes.forEach(SimulatedProcess::synchronizeClock);
    }

    /**
     * Takes the store away for a while; see {@link Fault#STORE_LOSS}.
     *
     * @param downtime until it recovers
     */
    public void loseStore(Duration downtime) {
        store.lose(downtime);
    }

    /**
     * Draws random numbers for the caller that drives the simulation.
     *
     * @return repeatable, like everything else
     */
    public RandomGenerator random() {
        return drawn;
    }

    /**
     * Writes a line into the trace.
     *
     * @param message the message
     */
    public void log(String message) {
        trace.add(ITSELF, message);
    }

    /**
     * Returns what happened.
     *
     * @return the trace so far, which grows
     */
    public Trace trace() {
        return trace;
    }

    /** Ends it: no process lives on, and the store is closed. */
    @Override
    public void close() {
        onDeath.clear();
        processes.forEach(SimulatedProcess::kill);
        store.close();
        time.runUntilIdle();
    }
}
