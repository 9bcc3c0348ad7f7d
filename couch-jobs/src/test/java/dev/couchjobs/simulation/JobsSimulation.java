package dev.couchjobs.simulation;

import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import dev.couchjobs.NewJob;
import dev.couchjobs.fdb.simulation.Fault;
import dev.couchjobs.fdb.simulation.SimulatedProcess;
import dev.couchjobs.fdb.simulation.Simulation;
import dev.couchjobs.fdb.simulation.SimulationBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Several nodes on one store, from a seed. First there is chaos: whatever can go wrong does, while jobs are added,
 * removed, processed and followed. Then there is calm, in which every job has to come to its end.
 */
final class JobsSimulation implements AutoCloseable {
    static final Subspace PREFIX = new Subspace(Tuple.from("jobs"));
    /** The shortest of those that the type has in turn. */
    static final Duration TIMEOUT = Duration.ofSeconds(2);

    private static final int JOBS = 5;
    private static final String BUSY = "node-";
    private static final String IDLE = "idle-";
    private static final Duration WAITED_FOR = Duration.ofMillis(PriorityOrderLaw.OLDEST / 1_000 + 100);
    private static final Duration CHAOS = Duration.ofSeconds(10);
    private static final Duration CALM_AT_LEAST = Duration.ofSeconds(5);
    private static final Duration CALM_AT_MOST = Duration.ofMinutes(5);

    private static final double ORPHANED_WATCHES = 0.3;

    /** Where a clock of the wrong date does harm, a process in five has one. */
    private static final double WRONG_DATES = 0.2;

    /** Steps fail, but none takes long: then no claim is ever lost on its way to whoever asked for it. */
    private static final List<Fault> NOT_IN_PEACE = List.of(
            Fault.SLOW_REPLY,
            Fault.REORDERED_REPLY,
            Fault.COMMIT_DELAY,
            Fault.SLOW_DISK,
            Fault.LATE_WATCH,
            Fault.STORE_LOSS,
            Fault.PAUSE,
            Fault.DEATH);

    private final Simulation simulation;
    private final RandomGenerator random;
    private final JobsScenario scenario;
    private final Oracle oracle;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final List<Processor> processors = new ArrayList<>();
    private final List<SimulatedWorker> workers = new ArrayList<>();
    private final List<Watcher> watchers = new ArrayList<>();
    private boolean calm;

    /** @param trace is given every line of it, or is null if nobody wants to read them */
    JobsSimulation(long seed, @Nullable Consumer<String> trace) {
        scenario = JobsScenario.of(seed);
        SimulationBuilder builder = Simulation.builder(seed)
                .latency(scenario.pace().read(), scenario.pace().commit());
        builder.with(Fault.ORPHANED_WATCH, scenario.orphansWatches() ? ORPHANED_WATCHES : 0);
        if (trace != null) {
            builder.traceTo(trace);
        }
        if (scenario.peaceful()) {
            NOT_IN_PEACE.forEach(builder::without);
        }
        if (scenario.keepsFailedJobsLong()) {
            builder.with(Fault.WRONG_DATE, WRONG_DATES);
        }
        simulation = builder.build();
        random = simulation.random();
        oracle = new Oracle(simulation, scenario);
        simulation.onDeath(dead -> {
            if (!calm && !dead.name().startsWith(IDLE)) {
                join();
            }
        });
    }

    static String jobId(RandomGenerator random) {
        return "job-" + random.nextInt(JOBS);
    }

    static String otherJobId(String than, RandomGenerator random) {
        String jobId = jobId(random);
        return jobId.equals(than) ? otherJobId(than, random) : jobId;
    }

    static Duration timeout(RandomGenerator random) {
        return TIMEOUT.plusSeconds(random.nextInt(2));
    }

    /** Runs it all; fails as soon as something is wrong. */
    void run() {
        SimulatedNode first = node(BUSY);
        setTimeout();
        oracle.furtherTypes().create(first.jobs());
        addBacklog(first);
        start(first);
        for (int left = random.nextInt(3); left > 0; left--) {
            join();
        }
        for (int left = scenario.idleProcesses(); left > 0; left--) {
            stay(node(IDLE));
        }
        Damager damager = new Damager(simulation, oracle, first);
        Duration end = simulation.elapsed().plus(CHAOS);
        while (simulation.elapsed().compareTo(end) < 0) {
            simulation.advance(Duration.ofSeconds(1));
            oracle.check();
            oracle.furtherTypes().check();
            if (scenario.damaged()) {
                damager.turn();
            }
            if (scenario.keepsFailedJobsLong()) {
                sweep(node(IDLE));
            }
        }
        calmDown();
        awaitTheEnd();
        if (scenario.damaged()) {
            damager.clearUp(nodes.get(nodes.size() - 1).jobs());
        }
        awaitRest();
        checkTheEnd();
    }

    /** {@return equal for equal runs} */
    String digest() {
        return simulation.trace().digest();
    }

    /** {@return the last that happened} */
    String tail() {
        return simulation.trace().tail();
    }

    @Override
    public void close() {
        calm = true;
        simulation.close();
    }

    private void setTimeout() {
        CouchJobs jobs = nodes.get(0).jobs();
        simulation.await(jobs.types().setTypeTimeout(simulation.database(), scenario.type(), TIMEOUT));
    }

    /** Jobs of many priorities, which have waited for so long that whoever comes has to see them all. */
    private void addBacklog(SimulatedNode first) {
        if (scenario.backlog().isEmpty()) {
            return;
        }
        List<NewJob<String>> jobs = new ArrayList<>();
        for (int priority : scenario.backlog()) {
            String jobId = "early-" + jobs.size();
            oracle.adding(jobId);
            jobs.add(NewJob.of(scenario.type(), Payloads.unique(random))
                    .id(jobId)
                    .priority(priority));
        }
        simulation.await(first.jobs().addAll(simulation.database(), jobs));
        simulation.advance(WAITED_FOR);
    }

    private SimulatedNode node(String kind) {
        long distance = scenario.pace().farthest().toNanos();
        SimulatedProcess process = simulation.process(
                kind + nodes.size(), Duration.ofNanos(distance == 0 ? 0 : random.nextLong(distance)));
        SimulatedNode node = new SimulatedNode(process, scenario, oracle);
        nodes.add(node);
        return node;
    }

    private void join() {
        start(node(BUSY));
    }

    private void start(SimulatedNode node) {
        if (random.nextInt(3) == 0) {
            node.jobs().maintenance().monitor(scenario.type());
        }
        archive(node);
        start(Client.busy(node, oracle));
        for (int left = 1 + random.nextInt(2); left > 0; left--) {
            Processor processor = new Processor(node, oracle);
            processors.add(processor);
            processor.start();
        }
        boolean isLast = calm
                && (!oracle.furtherTypes().isEmpty() || oracle.recurringJobs().isUsed());
        if (isLast) {
            start(new SimulatedWorker(node, oracle));
        }
        if (!calm
                && (random.nextInt(2) == 0
                        || (nodes.size() == 1 && !scenario.backlog().isEmpty()))) {
            start(new SimulatedWorker(node, oracle));
        }
        for (int left = random.nextInt(3); left > 0; left--) {
            Watcher watcher = new Watcher(node, oracle);
            watchers.add(watcher);
            watcher.start();
        }
    }

    /** A process that has little to do, as there may be a hundred of. */
    private void stay(SimulatedNode node) {
        start(Client.idle(node, oracle));
        start(new SimulatedWorker(node, oracle));
    }

    private void archive(SimulatedNode node) {
        if (scenario.type().retention().isArchived()) {
            node.jobs().maintenance().archive(scenario.type(), oracle.archive().on(node));
        }
    }

    /** A process that removes jobs whose time is up, and does so when it starts: later it would look too seldom. */
    private void sweep(SimulatedNode node) {
        node.jobs().maintenance().monitor(scenario.type());
        archive(node);
    }

    private void start(Client client) {
        clients.add(client);
        client.start();
    }

    private void start(SimulatedWorker worker) {
        workers.add(worker);
        worker.start();
    }

    /** Nothing goes wrong any more and nothing new is begun; one more node sees to it that there is somebody left. */
    private void calmDown() {
        calm = true;
        simulation.calm();
        join();
        clients.forEach(Client::stop);
        watchers.forEach(Watcher::stop);
        processors.forEach(Processor::beCareful);
        workers.forEach(SimulatedWorker::beCareful);
        simulation.advance(CALM_AT_LEAST);
    }

    private void awaitTheEnd() {
        Duration latest = simulation.elapsed().plus(CALM_AT_MOST);
        Duration unended = simulation.elapsed();
        while (!isOver()) {
            oracle.check();
            unended = haveJobsEnded() ? unended : simulation.elapsed();
            checkReports(simulation.elapsed().minus(unended));
            if (simulation.elapsed().compareTo(latest) > 0) {
                throw new AssertionError("There is no end to it: " + oracle.jobs()
                        + oracle.furtherTypes().open()
                        + oracle.recurringJobs().open(nodes.get(0).jobs()));
            }
            hurryUp();
            setTimeout(); // again and again: a client that comes out of its pause only now may just have cleared it
            CouchJobs operator = nodes.get(0).jobs();
            oracle.recurringJobs().end(operator);
            simulation.await(operator.types().resume(simulation.database(), scenario.type()));
            simulation.await(operator.limits().clearTotal(simulation.database(), scenario.type()));
            simulation.advance(Duration.ofSeconds(1));
        }
    }

    /** Lets the processes look again after the last end; the law says what they leave. */
    private void awaitRest() {
        Duration latest = simulation.elapsed().plus(CALM_AT_MOST);
        while (!oracle.isAtRest() && simulation.elapsed().compareTo(latest) < 0) {
            simulation.advance(Duration.ofSeconds(1));
        }
    }

    /** Jobs may wait for days if they were scheduled by a clock that was days ahead: an operator adds them anew. */
    private void hurryUp() {
        CouchJobs operator = nodes.get(nodes.size() - 1).jobs();
        long far = simulation.clock().instant().plus(CALM_AT_MOST).getEpochSecond();
        oracle.jobs().forEach((jobId, job) -> {
            if (job.state() == JobState.PENDING && job.scheduledTime() > far) {
                oracle.adding(jobId);
                String data = Payloads.unique(random);
                simulation.await(simulation
                        .database()
                        .runAsync(tx -> operator.types()
                                .setTypeTimeout(tx, scenario.type(), TIMEOUT)
                                .thenCompose(set -> operator.add(tx, scenario.type(), jobId, data))));
                simulation.log("added anew " + jobId);
            }
        });
        oracle.furtherTypes().hurryUp(operator, far);
    }

    private boolean haveJobsEnded() {
        return oracle.jobs().entrySet().stream()
                .allMatch(job -> job.getValue().state() == JobState.FINISHED || oracle.mayWaitForEver(job.getKey()));
    }

    /** Each end is reported soon, not when a process looks at its jobs after a while as it does in any case. */
    private void checkReports(Duration jobsEndedFor) {
        List<String> unreported = unreported();
        if (jobsEndedFor.compareTo(scenario.reportedWithin()) > 0 && !unreported.isEmpty()) {
            throw new AssertionError(
                    "After " + jobsEndedFor + " some callers still wait for the ends of " + unreported);
        }
    }

    private List<String> unreported() {
        return watchers.stream()
                .flatMap(watcher -> watcher.waitsFor().stream())
                .filter(jobId -> !oracle.mayWaitForEver(jobId))
                .toList();
    }

    private boolean isOver() {
        return haveJobsEnded()
                && unreported().isEmpty()
                && oracle.areDamagesMet()
                && oracle.furtherTypes().open().isEmpty()
                && oracle.recurringJobs().open(nodes.get(0).jobs()).isEmpty();
    }

    private void checkTheEnd() {
        oracle.lookAtTheEnd();
        oracle.furtherTypes().checkTheEnd();
        oracle.check();
        if (scenario.peaceful() && !oracle.lostOnTheWay().isEmpty()) {
            throw new AssertionError("Nobody was told of these claims: " + oracle.lostOnTheWay());
        }
        for (Watcher watcher : watchers) {
            for (SubscriptionTrace subscriptionTrace : watcher.toldToTheEnd()) {
                subscriptionTrace.check(oracle.changesOf(subscriptionTrace.jobId()), scenario.feedIsComplete());
            }
        }
        simulation.log("ends with " + oracle.jobs());
    }
}
