package dev.couchjobs.simulation;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobType;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** A process that uses the library: an instance of its own, and the actors that use it. */
final class SimulatedNode {
    private final SimulatedProcess process;
    private final CouchJobs jobs;
    private final JobType<String, String> type;
    private final boolean damaged;
    private final double reserve;
    private final Payloads payloads;

    SimulatedNode(SimulatedProcess process, JobsScenario scenario, Oracle oracle) {
        this.process = process;
        this.type = scenario.type();
        this.damaged = scenario.damaged();
        this.reserve = scenario.reserve();
        this.payloads = new Payloads(scenario.longest());
        this.jobs = CouchJobs.builder(process.database())
                .subspace(JobsSimulation.PREFIX)
                .environment(new Environment(
                        oracle.noting(process.name(), process.clock()), process.scheduler(), process.random()))
                .name(process.name())
                .transactionTimeout(scenario.patience())
                .feedRetention(scenario.patience())
                .build();
    }

    Database database() {
        return process.database();
    }

    CouchJobs jobs() {
        return jobs;
    }

    JobType<String, String> type() {
        return type;
    }

    /** The part of their claims that workers keep for lower priorities. */
    double reserve() {
        return reserve;
    }

    /** What runs the handlers of its workers: its only thread. */
    Executor executor() {
        return process.scheduler();
    }

    RandomGenerator random() {
        return process.random();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** {@return data for a job, or for one more time} */
    String payload() {
        return payloads.next(random());
    }

    void log(String what) {
        process.log(what);
    }

    /** A moment not long from now, by this node's clock. */
    Instant soon() {
        return process.clock().instant().plusMillis(random().nextInt(8_000));
    }

    /** Time as this node lives through it. */
    CompletableFuture<?> sleepUpTo(Duration most) {
        CompletableFuture<Boolean> over = new CompletableFuture<>();
        long nanos = random().nextLong(most.toNanos());
        var unused = process.scheduler().schedule(() -> over.complete(true), nanos, TimeUnit.NANOSECONDS);
        return over;
    }

    /** Does something for as long as wanted, each time when the time before has ended, well or badly. */
    void repeat(String actor, BooleanSupplier wanted, Supplier<CompletableFuture<?>> turn) {
        if (!wanted.getAsBoolean()) {
            return;
        }
        var unused = turn.get().whenComplete((done, error) -> {
            if (error != null) {
                log(actor + " failed: " + error);
            }
            process.scheduler().execute(() -> repeat(actor, wanted, turn));
        });
    }

    /** {@return whether rows of jobs are damaged in this scenario} */
    boolean isDamaged() {
        return damaged;
    }
}
