package dev.couchjobs.fdb.simulation;

import com.apple.foundationdb.Database;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.embedded.SimulatedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** What all processes share: an engine whose disk may be slow, and which may be lost and recovered. */
final class SharedStore {
    private static final String NAME = "store";

    private final VirtualScheduler time;
    private final FaultWeights weights;
    private final long slowestNanos;
    private final RandomGenerator random;
    private final Trace trace;
    private final SimulatedStore engine;
    private final Database withoutFaults;
    private final List<Consumer<Database>> observers = new ArrayList<>();
    private boolean lost;
    private boolean closed;

    /** @param slowestNanos what a slow disk takes at most */
    SharedStore(VirtualScheduler time, FaultWeights weights, long slowestNanos, SplittableRandom random, Trace trace) {
        this.time = time;
        this.weights = weights;
        this.slowestNanos = slowestNanos;
        this.random = random;
        this.trace = trace;
        Executor executor = task -> time.execute(() -> changing(task));
        engine = new SimulatedStore(new EngineEnvironment(executor, time, time::nanoTime, random.split()), this::write);
        withoutFaults = engine.connect();
    }

    /** For one process; nothing goes wrong on that way but the loss of the store. */
    Database connect() {
        return engine.connect();
    }

    Database withoutFaults() {
        return withoutFaults;
    }

    void observe(Consumer<Database> observer) {
        observers.add(observer);
    }

    boolean isLost() {
        return lost;
    }

    /** Takes it away for a while, unless it is away. Whether what is being written gets through is left to chance. */
    void lose(Duration downtime) {
        if (lost || closed) {
            return;
        }
        lost = true;
        trace.add(NAME, "is lost for", downtime);
        changing(() -> engine.lose(random.nextBoolean()));
        var unused = time.schedule(() -> changing(this::recover), downtime.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void recover() {
        if (!closed) {
            lost = false;
            trace.add(NAME, "has recovered");
            engine.recover();
        }
    }

    void close() {
        closed = true;
        engine.close();
    }

    private CompletableFuture<?> write() {
        if (!weights.occurs(Fault.SLOW_DISK, random)) {
            return CompletableFuture.completedFuture(true);
        }
        CompletableFuture<Boolean> durable = new CompletableFuture<>();
        long nanos = 1 + random.nextLong(slowestNanos);
        var unused = time.schedule(() -> changing(() -> durable.complete(true)), nanos, TimeUnit.NANOSECONDS);
        return durable;
    }

    /** What the store does is done in tasks of its own, so after each of them its state is one that others may see. */
    private void changing(Runnable task) {
        task.run();
        if (!closed && !observers.isEmpty() && engine.hasChanged()) {
            observers.forEach(observer -> observer.accept(withoutFaults));
        }
    }
}
