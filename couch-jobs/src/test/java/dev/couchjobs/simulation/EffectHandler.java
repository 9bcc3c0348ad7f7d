package dev.couchjobs.simulation;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobType;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.fdb.simulation.Fault;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.simulation.SimulationBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Workers in simulated processes whose jobs end with an effect, which is to be there once for each. */
final class EffectHandler {
    private static final Subspace EFFECTS = new Subspace(Tuple.from("effects"));
    /** A job that is put off by such a clock does not end in a simulation. */
    private static final List<Fault> PUT_OFF_FOR_DAYS = List.of(Fault.WRONG_DATE, Fault.DATE_JUMP);

    private EffectHandler() {}

    /** {@return a simulation with all faults but clocks that are wrong by days} */
    static Simulation simulation(long seed) {
        SimulationBuilder builder = Simulation.builder(seed);
        PUT_OFF_FOR_DAYS.forEach(builder::without);
        return builder.build();
    }

    static CouchJobs instance(SimulatedProcess process) {
        return CouchJobs.builder(process.database())
                .environment(new Environment(process.clock(), process.scheduler(), process.random()))
                .build();
    }

    /** Starts a worker in a process of its own. */
    static void join(Simulation simulation, JobType<Integer, String> type, int concurrency) {
        SimulatedProcess process = simulation.process("worker");
        builder(process, instance(process), type).concurrency(concurrency).start();
    }

    static WorkerBuilder builder(SimulatedProcess process, CouchJobs jobs, JobType<Integer, String> type) {
        return jobs.worker().handleAsync(type, job -> work(process, job)).executor(process.scheduler());
    }

    /** Takes its time, sometimes fails, and ends with its effect. */
    private static CompletableFuture<String> work(SimulatedProcess process, JobContext<Integer> job) {
        CompletableFuture<Boolean> rested = new CompletableFuture<>();
        long nanos = process.random().nextLong(Duration.ofSeconds(3).toNanos());
        var unused = process.scheduler().schedule(() -> rested.complete(true), nanos, TimeUnit.NANOSECONDS);
        if (process.random().nextInt(5) == 0) {
            return rested.thenCompose(done -> CompletableFuture.failedFuture(new IllegalStateException("bad luck")));
        }
        return rested.thenCompose(done -> job.finishAsync(tx -> effect(tx, job.id())));
    }

    private static CompletableFuture<String> effect(Transaction tx, String id) {
        tx.mutate(MutationType.ADD, EFFECTS.pack(id), new byte[] {1});
        return CompletableFuture.completedFuture("done");
    }

    /** {@return for each job with an effect how often that has happened} */
    static List<KeyValue> effects(Simulation simulation) {
        return simulation.await(simulation
                .database()
                .readAsync(tx -> tx.getRange(EFFECTS.range()).asList()));
    }
}
