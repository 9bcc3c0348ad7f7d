package dev.couchjobs.fdb.simulation;

import com.apple.foundationdb.Database;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * One of those who use the store of a {@link Simulation}: with a connection, a clock, timers and randomness of its own,
 * none of which outlives it. To be used on the thread that drives the simulation.
 */
public final class SimulatedProcess {
    private final String name;
    private final ProcessExecutor executor;
    private final WallClock clock;
    private final RandomGenerator random;
    private final Trace trace;
    private final Database database;
    private final Consumer<SimulatedProcess> whenDead;
    private boolean alive = true;

    /** @param whenDead told once, when the process has died */
    SimulatedProcess(
            String name,
            ProcessExecutor executor,
            FaultyDatabase database,
            RandomGenerator random,
            Trace trace,
            Consumer<SimulatedProcess> whenDead) {
        this.name = name;
        this.executor = executor;
        this.clock = new WallClock(executor.time());
        this.database = database;
        this.random = random;
        this.trace = trace;
        this.whenDead = whenDead;
    }

    /**
     * Names the process.
     *
     * @return the name it was given
     */
    public String name() {
        return name;
    }

    /**
     * Connects to the store, through what goes wrong on the way. The connection survives the loss of the store. Its
     * blocking calls are refused: a simulation has one thread only.
     *
     * @return the same each time; its continuations run on {@link #scheduler}
     */
    public Database database() {
        return database;
    }

    /**
     * Runs the tasks and timers of this process: none while it is paused, and none after its death.
     *
     * @return the process's only thread, so to speak
     */
    public ScheduledExecutorService scheduler() {
        return executor;
    }

    /**
     * Returns the time of day by the clock of the process, right or wrong.
     *
     * @return the clock of this process, which stops with its death
     */
    public InstantSource clock() {
        return clock;
    }

    /**
     * Draws random numbers.
     *
     * @return what this process draws from, and no other
     */
    public RandomGenerator random() {
        return random;
    }

    /**
     * Writes a line into the trace.
     *
     * @param message the message
     */
    public void log(String message) {
        trace.add(name, message);
    }

    /**
     * Returns whether the process still runs.
     *
     * @return false after its death
     */
    public boolean isAlive() {
        return alive;
    }

    /** Kills the process. It runs no more tasks; commits that it has sent may still succeed, without an answer. */
    public void kill() {
        if (alive) {
            log("dies");
            alive = false;
            clock.stop();
            executor.die();
            whenDead.accept(this);
        }
    }

    /**
     * Lets nothing happen in this process for a while. What is due meanwhile happens at the end of it, in order; its
     * clock goes on.
     *
     * @param duration from now
     */
    public void pause(Duration duration) {
        if (alive) {
            trace.add(name, "pauses for", duration);
            executor.pauseFor(duration.toNanos());
        }
    }

    /**
     * Puts the clock forward or back. No timer notices.
     *
     * @param by how far; negative to put it back
     */
    public void jumpClock(Duration by) {
        if (alive) {
            trace.add(name, "has its clock jump by", by);
            clock.jump(by);
        }
    }

    void synchronizeClock() {
        clock.synchronize();
    }
}
