package dev.couchjobs.simulation;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobState;
import dev.couchjobs.JobType;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.fdb.embedded.EngineEnvironment;
import dev.couchjobs.fdb.testing.VirtualScheduler;
import dev.couchjobs.simulation.NodeFaults.Weights;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Several nodes on one engine, on one thread and in virtual time, from a seed. First there is chaos: nodes fail, pause
 * and crash while jobs are added, removed and processed. Then there is calm, in which every job has to come to its end.
 */
final class Simulation {
    static final JobType<String> TYPE = JobType.of("simulated", String.class);
    static final Subspace PREFIX = new Subspace(Tuple.from("jobs"));
    static final Duration TIMEOUT = Duration.ofSeconds(2);

    private static final int JOBS = 6;
    private static final int NODES = 3;
    private static final int PROCESSORS = 2;
    private static final int WATCHERS = 3;
    private static final Duration SHORT_FEED = Duration.ofSeconds(6);
    private static final Duration LONG_FEED = Duration.ofHours(1);
    private static final Duration CHAOS = Duration.ofSeconds(40);
    private static final Duration CALM_AT_LEAST = Duration.ofSeconds(20);
    private static final Duration CALM_AT_MOST = Duration.ofMinutes(5);

    private final VirtualScheduler time = new VirtualScheduler();
    private final Random random;
    private final Trace trace = new Trace(time);
    private final Weights weights;
    /** Steps fail, but none takes long: then no claim is ever lost on its way to whoever asked for it. */
    private final boolean peaceful;

    private final Duration patience;
    private final Database engine;
    private final Oracle oracle;
    private boolean over;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Node> alive = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final List<Processor> processors = new ArrayList<>();
    private final List<Watcher> watchers = new ArrayList<>();

    Simulation(long seed) {
        // Neighbouring seeds of Random begin alike.
        random = new Random(new SplittableRandom(seed).nextLong());
        peaceful = random.nextInt(4) == 0;
        weights = new Weights(
                peaceful ? 0.05 : List.of(0.0, 0.01, 0.05, 0.2).get(random.nextInt(4)),
                peaceful ? 0.0 : List.of(0.1, 0.5, 1.0).get(random.nextInt(3)),
                Duration.ofMillis(List.of(1, 30, 300).get(random.nextInt(3))));
        patience = random.nextInt(3) == 0 ? SHORT_FEED : LONG_FEED;
        engine = EmbeddedDatabase.openInMemory(
                new EngineEnvironment(this::executeAndLook, time, time::nanoTime, new Random(random.nextLong())));
        oracle = new Oracle(engine, time);
    }

    private void executeAndLook(Runnable task) {
        time.execute(() -> {
            task.run();
            if (!over) {
                oracle.look();
            }
        });
    }

    static String jobId(Random random) {
        return "job-" + random.nextInt(JOBS);
    }

    /** Runs it all; fails as soon as something is wrong. */
    void run() {
        trace.add("with " + weights + " and a feed of " + patience);
        CouchJobs admin = CouchJobs.builder(engine).subspace(PREFIX).build();
        time.await(admin.setTypeTimeout(engine, TYPE, TIMEOUT));
        for (int i = 0; i < NODES; i++) {
            join();
        }
        long end = time.nanoTime() + CHAOS.toNanos();
        while (time.nanoTime() < end) {
            time.advance(Duration.ofMillis(random.nextInt(3_000)));
            if (!peaceful) {
                disturb();
            }
        }
        calmDown();
        awaitTheEnd();
        checkTheEnd();
        over = true;
        nodes.forEach(Node::close);
        admin.close();
        engine.close();
        time.runUntilIdle();
    }

    /** {@return equal for equal runs} */
    String digest() {
        return trace.digest();
    }

    /** {@return the last that happened} */
    String tail() {
        return trace.tail();
    }

    private Node join() {
        NodeFaults faults = new NodeFaults(time, fork(), weights);
        Node node = new Node("node-" + nodes.size(), engine, time, fork(), faults, patience, trace);
        nodes.add(node);
        alive.add(node);
        Client client = new Client(node, time, fork(), oracle);
        clients.add(client);
        client.start();
        for (int i = 0; i < PROCESSORS; i++) {
            Processor processor = new Processor(node, fork(), oracle);
            processors.add(processor);
            processor.start();
        }
        for (int i = 0; i < WATCHERS; i++) {
            Watcher watcher = new Watcher(node, fork());
            watchers.add(watcher);
            watcher.start();
        }
        return node;
    }

    private void disturb() {
        Node victim = alive.get(random.nextInt(alive.size()));
        switch (random.nextInt(6)) {
            case 0 -> {
                victim.log("crashes");
                victim.faults().crash();
                alive.remove(victim);
                join().log("joins");
            }
            case 1 -> {
                victim.log("pauses");
                victim.faults().pause(TIMEOUT.multipliedBy(1 + random.nextInt(4)));
            }
            default -> {}
        }
    }

    /** Nothing goes wrong any more and nothing new is begun; one more node sees to it that there is somebody left. */
    private void calmDown() {
        trace.add("calm");
        join();
        alive.forEach(node -> node.faults().calm());
        clients.forEach(Client::stop);
        watchers.forEach(Watcher::stop);
        processors.forEach(Processor::beCareful);
    }

    private void awaitTheEnd() {
        time.advance(CALM_AT_LEAST);
        long latest = time.nanoTime() + CALM_AT_MOST.toNanos();
        while (!isOver()) {
            if (time.nanoTime() > latest) {
                throw new AssertionError("There is no end to it: " + oracle.jobs());
            }
            time.advance(Duration.ofSeconds(1));
        }
    }

    private boolean isOver() {
        return oracle.jobs().values().stream().allMatch(job -> job.state() == JobState.FINISHED)
                && watchers.stream().noneMatch(Watcher::isWaiting);
    }

    private void checkTheEnd() {
        oracle.lookAtTheEnd();
        if (peaceful && !oracle.lostOnTheWay().isEmpty()) {
            throw new AssertionError("Nobody was told of these claims: " + oracle.lostOnTheWay());
        }
        for (Watcher watcher : watchers) {
            for (Watcher.Story story : watcher.toldToTheEnd()) {
                story.check(oracle.changesOf(story.jobId()), patience.equals(LONG_FEED));
            }
        }
        trace.add("ends with " + oracle.jobs());
    }

    private Random fork() {
        return new Random(random.nextLong());
    }
}
