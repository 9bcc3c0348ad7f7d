package dev.couchjobs.simulation;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobContext;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.Retention;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.faults.TypeRows;
import dev.couchjobs.fdb.simulation.Simulation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Types that every worker handles beside the one that is looked at closely, with few jobs each. Every job of theirs
 * that was added ends, its rows agree, and it has had its effect once if it has succeeded, and else never.
 */
final class FurtherTypes {
    private static final Subspace EFFECTS = new Subspace(Tuple.from("work", "further"));
    private static final byte[] ONE = {1};

    private final Simulation simulation;
    private final DamageLaw damageLaw;
    private final Violations violations;
    private final List<JobType<String, String>> types;
    private final Set<Tuple> added = new HashSet<>();
    private final Set<UUID> claimed = new HashSet<>();
    private int count;

    FurtherTypes(Simulation simulation, JobsScenario scenario, DamageLaw damageLaw, Violations violations) {
        this.simulation = simulation;
        this.damageLaw = damageLaw;
        this.violations = violations;
        this.types = IntStream.range(0, scenario.furtherTypes())
                .mapToObj(number -> JobType.of("further-" + number, String.class, String.class)
                        .retry(scenario.type().retry())
                        .retention(Retention.forever()))
                .toList();
    }

    boolean isEmpty() {
        return types.isEmpty();
    }

    void create(CouchJobs jobs) {
        types.forEach(type ->
                simulation.await(jobs.types().setTypeTimeout(simulation.database(), type, JobsSimulation.TIMEOUT)));
    }

    /** Adds a job of one of them. */
    CompletableFuture<Void> add(SimulatedNode node) {
        JobType<String, String> type = types.get(node.random().nextInt(types.size()));
        String jobId = "further-job-" + count++;
        return node.jobs().add(node.database(), type, jobId, node.payload()).thenRun(() -> {
            node.log("added " + jobId + " of " + type);
            added.add(Tuple.from(type.name(), jobId));
        });
    }

    /** Has a worker handle all of them. */
    WorkerBuilder handledBy(WorkerBuilder worker, SimulatedWorker simulatedWorker) {
        types.forEach(type -> worker.handleAsync(type, job -> handle(job, simulatedWorker)));
        return worker;
    }

    private CompletableFuture<String> handle(JobContext<String> job, SimulatedWorker simulatedWorker) {
        violations.require(claimed.add(job.job().lock()), () -> job.job() + " was given out twice");
        violations.require(Payloads.isWhole(job.data()), () -> job.job() + " has not all of its data");
        return simulatedWorker
                .work()
                .thenCompose(fails -> fails
                        ? CompletableFuture.failedFuture(new IllegalStateException("as planned"))
                        : job.finishAsync(tx -> {
                            tx.mutate(
                                    MutationType.ADD,
                                    EFFECTS.pack(Tuple.from(job.job().type().name(), job.id())),
                                    ONE);
                            return CompletableFuture.completedFuture("done");
                        }));
    }

    /** Looks at the rows of all of them. */
    void check() {
        types.forEach(type -> {
            List<String> contradictions = rows(type).contradictions();
            violations.require(contradictions.isEmpty(), () -> "contradictions of " + type + ": " + contradictions);
        });
    }

    private TypeRows rows(JobType<?, ?> type) {
        return simulation.await(simulation
                .database()
                .readAsync(tx ->
                        new TypeRows.Reader(JobsSimulation.PREFIX, type.name()).read(tx, damageLaw::withoutThem)));
    }

    /** An operator adds those jobs anew that a wrong clock has put off. */
    void hurryUp(CouchJobs operator, long farSecond) {
        types.forEach(type -> rows(type).data().forEach((jobId, job) -> {
            if (job.state() == JobState.PENDING && job.scheduledTime() > farSecond) {
                simulation.await(operator.add(simulation.database(), type, jobId, "anew"));
            }
        }));
    }

    /** {@return the jobs that have yet to end} */
    List<Tuple> open() {
        List<Tuple> open = new ArrayList<>();
        types.forEach(type -> rows(type).data().forEach((jobId, job) -> {
            if (job.state() != JobState.FINISHED) {
                open.add(Tuple.from(type.name(), jobId));
            }
        }));
        return open;
    }

    /** Looks for the last time, when all have ended. */
    void checkTheEnd() {
        check();
        Set<Tuple> effects = new HashSet<>();
        for (KeyValue row : simulation.await(simulation.database().readAsync(FurtherTypes::effects))) {
            Tuple job = EFFECTS.unpack(row.getKey());
            violations.require(row.getValue()[0] == 1, () -> job + " had its effect " + row.getValue()[0] + " times");
            effects.add(job);
        }
        for (JobType<?, ?> type : types) {
            rows(type).data().forEach((jobId, job) -> {
                boolean hasEffect = effects.contains(Tuple.from(type.name(), jobId));
                violations.require(
                        job.ending().getString(0).equals("succeeded") == hasEffect,
                        () -> jobId + " is " + job + ", effect: " + hasEffect);
                added.remove(Tuple.from(type.name(), jobId));
            });
        }
        violations.require(added.isEmpty(), () -> "These were added and are not there: " + added);
    }

    private static CompletableFuture<List<KeyValue>> effects(ReadTransaction tx) {
        return tx.getRange(EFFECTS.range()).asList();
    }
}
