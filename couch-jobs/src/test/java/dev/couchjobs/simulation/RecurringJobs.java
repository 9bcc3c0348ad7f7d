package dev.couchjobs.simulation;

import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import dev.couchjobs.JobSummary;
import dev.couchjobs.JobType;
import dev.couchjobs.NewJob;
import dev.couchjobs.PageRequest;
import dev.couchjobs.Retention;
import dev.couchjobs.RetryPolicy;
import dev.couchjobs.Schedule;
import dev.couchjobs.Schedules;
import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.fdb.simulation.Simulation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;

/** Schedules that clients change, and whose jobs every worker runs. They are under {@link SchedulesLaw}. */
final class RecurringJobs {
    private static final Subspace ROWS = JobsSimulation.PREFIX.subspace(Tuple.from("couch_jobs"));
    private static final List<String> NAMES = List.of("s0", "s1", "s2");
    /** A job often waits for its next attempt when the next firing time comes. */
    private static final RetryPolicy RETRIES =
            RetryPolicy.standard().attempts(3).backoff(Duration.ofSeconds(2), 1, Duration.ofSeconds(2));

    private static final PageRequest ALL = PageRequest.of(1_000);

    private final Simulation simulation;
    private final JobType<String, String> type;
    private final boolean isUsed;
    private final SchedulesLaw law;

    RecurringJobs(Simulation simulation, JobsScenario scenario, Violations violations) {
        this.simulation = simulation;
        this.type = JobType.of("recurring", String.class, String.class)
                .activityTimeout(JobsSimulation.TIMEOUT)
                .retry(RETRIES)
                .retention(Retention.forever());
        this.isUsed = !scenario.damaged();
        this.law = new SchedulesLaw(ROWS, type.name(), violations);
    }

    /** {@return whether there are schedules in this scenario} */
    boolean isUsed() {
        return isUsed;
    }

    void look(Transaction tx) {
        if (isUsed) {
            law.look(tx);
        }
    }

    /** Has a worker run the jobs. */
    WorkerBuilder handledBy(WorkerBuilder worker, SimulatedWorker simulatedWorker) {
        return isUsed
                ? worker.handleAsync(
                        type,
                        job -> simulatedWorker
                                .work()
                                .thenCompose(first -> simulatedWorker.work())
                                .thenCompose(fails -> fails
                                        ? CompletableFuture.failedFuture(new IllegalStateException("as planned"))
                                        : CompletableFuture.completedFuture(job.data() + "+")))
                : worker;
    }

    /** Changes a schedule, or a job of one. */
    CompletableFuture<Void> change(SimulatedNode node) {
        RandomGenerator random = node.random();
        Schedules schedules = node.jobs().schedules();
        String name = NAMES.get(random.nextInt(NAMES.size()));
        CompletableFuture<?> changed = switch (random.nextInt(9)) {
            case 0 -> schedules.pause(node.database(), name);
            case 1 -> schedules.resume(node.database(), name);
            case 2 -> schedules.runNow(node.database(), name);
            case 3 -> schedules.remove(node.database(), name);
            case 4 -> cancelCurrent(node, name);
            default -> schedules.put(node.database(), schedule(name, random));
        };
        return changed.thenAccept(done -> node.log("changed schedule " + name + ": " + done));
    }

    private CompletableFuture<?> cancelCurrent(SimulatedNode node, String name) {
        return node.jobs()
                .schedules()
                .get(node.database(), name)
                .thenCompose(found -> found.flatMap(schedule -> schedule.currentJob())
                        .map(id -> node.jobs().control().cancel(node.database(), type, id, "no longer wanted"))
                        .orElseGet(() -> CompletableFuture.completedFuture(false)));
    }

    private Schedule schedule(String name, RandomGenerator random) {
        NewJob<String> job = NewJob.of(type, String.valueOf(random.nextInt(2))).priority(random.nextInt(2));
        NewJob<String> keyed = switch (random.nextInt(6)) {
            case 0 -> job.limitKey("key");
            case 1 -> job.turnKey("key");
            default -> job;
        };
        Duration period = Duration.ofSeconds(1 + random.nextInt(3));
        Schedule any = Schedule.every(name, period, keyed).makeUpFor(1 + random.nextInt(3));
        int kind = random.nextInt(4) > 0 ? NAMES.indexOf(name) + 4 : random.nextInt(7); // changes of the kind are rare
        return switch (kind) {
            case 0 -> Schedule.afterEach(name, period, keyed);
            case 1 -> Schedule.every(name, period, job.sequencePassingFailure("key"));
            case 2 -> any.queueing();
            case 3 -> any.overlapping();
            case 4 -> any.cancellingPrevious();
            case 5 -> any.passingResult(type);
            case 6 -> any;
            default -> throw new AssertionError(kind);
        };
    }

    /** An operator removes the schedules, and lets the jobs that have begun run. */
    void end(CouchJobs operator) {
        if (!isUsed) {
            return;
        }
        NAMES.forEach(name -> simulation.await(operator.schedules().remove(simulation.database(), name)));
        open(operator).forEach(id -> simulation.await(operator.control().runNow(simulation.database(), type, id)));
    }

    /** {@return the jobs that have yet to end} */
    List<String> open(CouchJobs operator) {
        return isUsed
                ? simulation.await(operator.list(simulation.database(), type, ALL)).items().stream()
                        .filter(job -> job.state() != JobState.FINISHED)
                        .map(JobSummary::jobId)
                        .toList()
                : List.of();
    }
}
