package dev.couchjobs.faults;

import com.apple.foundationdb.Database;
import dev.couchjobs.Environment;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A simulated process whose reads take 25 ms of virtual time, without faults. */
public final class SlowStage implements Stage {
    private final Simulation simulation = Simulation.builder(1)
            .calm()
            .latency(Duration.ofMillis(25), Duration.ofMillis(5))
            .build();
    private final SimulatedProcess process = simulation.process("caller");

    @Override
    public Database database() {
        return process.database();
    }

    @Override
    public Environment environment() {
        return new Environment(process.clock(), process.scheduler(), process.random());
    }

    @Override
    public <T> T await(CompletableFuture<T> future) {
        return simulation.await(future);
    }

    @Override
    public void close() {
        simulation.close();
    }
}
