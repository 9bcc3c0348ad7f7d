package dev.couchjobs.simulation;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.faults.FaultyDatabase;
import dev.couchjobs.fdb.testing.VirtualScheduler;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A process that uses the library: an instance of its own, on a database that it reaches through its own faults. */
final class Node {
    private final String name;
    private final Trace trace;
    private final VirtualScheduler time;
    private final NodeFaults faults;
    private final FaultyDatabase database;
    private final CouchJobs jobs;
    private boolean closed;

    /** A node whose transactions may take that long, for which time the change feed can be read. */
    Node(
            String name,
            Database engine,
            VirtualScheduler time,
            Random random,
            NodeFaults faults,
            Duration patience,
            Trace trace) {
        this.name = name;
        this.trace = trace;
        this.time = time;
        this.faults = faults;
        this.database = new FaultyDatabase(engine, faults);
        this.jobs = CouchJobs.builder(database)
                .subspace(Simulation.PREFIX)
                .environment(new Environment(time, time, random))
                .transactionTimeout(patience)
                .feedRetention(patience)
                .build();
    }

    FaultyDatabase database() {
        return database;
    }

    CouchJobs jobs() {
        return jobs;
    }

    NodeFaults faults() {
        return faults;
    }

    CompletableFuture<?> sleep(Duration duration) {
        return faults.sleep(duration);
    }

    void log(String what) {
        trace.add(name + " " + what);
    }

    /** Does something for as long as wanted, each time when the time before has ended, well or badly. */
    void repeat(String actor, BooleanSupplier wanted, Supplier<CompletableFuture<?>> turn) {
        if (closed || faults.isCrashed() || !wanted.getAsBoolean()) {
            return;
        }
        var unused = turn.get().whenComplete((done, error) -> {
            if (error != null) {
                log(actor + " failed: " + error);
            }
            time.execute(() -> repeat(actor, wanted, turn));
        });
    }

    void close() {
        closed = true;
        jobs.close();
    }
}
