package dev.couchjobs.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Adds jobs, and removes some. */
final class Client {
    private final Node node;
    private final InstantSource clock;
    private final Random random;
    private final Oracle oracle;
    private boolean stopped;

    Client(Node node, InstantSource clock, Random random, Oracle oracle) {
        this.node = node;
        this.clock = clock;
        this.random = random;
        this.oracle = oracle;
    }

    /** It begins nothing new. */
    void stop() {
        stopped = true;
    }

    void start() {
        node.repeat("client", () -> !stopped, this::turn);
    }

    private CompletableFuture<?> turn() {
        String jobId = Simulation.jobId(random);
        return node.sleep(Duration.ofMillis(random.nextInt(2_000))).thenCompose(rested -> switch (random.nextInt(10)) {
            case 0 -> remove(jobId);
            case 1 -> addTogether(jobId, Simulation.jobId(random));
            default -> add(jobId);
        });
    }

    private CompletableFuture<Void> remove(String jobId) {
        oracle.removing(jobId);
        return node.jobs().remove(node.database(), Simulation.TYPE, jobId).thenAccept(found -> removed(jobId, found));
    }

    /** In a transaction of its own, which when it is retried may well act again. */
    private CompletableFuture<Void> addTogether(String one, String other) {
        return node.database()
                .runAsync(tx -> {
                    String data = data(random);
                    oracle.adding(one);
                    oracle.adding(other);
                    CompletableFuture<Void> first = node.jobs().add(tx, Simulation.TYPE, one, data);
                    return first.thenCombine(node.jobs().add(tx, Simulation.TYPE, other, data), (a, b) -> data);
                })
                .thenRun(() -> node.log("added " + one + " and " + other));
    }

    private void removed(String jobId, boolean found) {
        node.log((found ? "removed " : "did not find ") + jobId);
        if (found) {
            oracle.removed(jobId);
        }
    }

    private CompletableFuture<Void> add(String jobId) {
        oracle.adding(jobId);
        CompletableFuture<Void> added = random.nextInt(3) > 0
                ? node.jobs().add(node.database(), Simulation.TYPE, jobId, data(random))
                : node.jobs().add(node.database(), Simulation.TYPE, jobId, data(random), soon());
        return added.thenRun(() -> node.log("added " + jobId));
    }

    private Instant soon() {
        return clock.instant().plusMillis(random.nextInt(15_000));
    }

    /** Never the same twice; short as a rule, now and then too long for one row. */
    static String data(Random random) {
        String unique = Long.toHexString(random.nextLong());
        return random.nextInt(8) == 0 ? unique + "x".repeat(10_000) : unique;
    }
}
