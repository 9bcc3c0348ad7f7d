package dev.couchjobs.simulation;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Job;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Takes jobs and works on them, with heartbeats, sometimes too slowly and sometimes not to the end. */
final class Processor {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration IMPATIENCE = Duration.ofMillis(100);

    private final Node node;
    private final Random random;
    private final Oracle oracle;
    private boolean careful;

    Processor(Node node, Random random, Oracle oracle) {
        this.node = node;
        this.random = random;
        this.oracle = oracle;
    }

    /** From now on it finishes whatever it takes, and in time. */
    void beCareful() {
        careful = true;
    }

    void start() {
        node.repeat("processor", () -> true, this::turn);
    }

    private CompletableFuture<?> turn() {
        Duration patience = random.nextInt(3) == 0 ? IMPATIENCE : PATIENCE;
        AcceptOptions any = AcceptOptions.defaults().timeout(upTo(patience));
        AcceptOptions options = careful || random.nextInt(4) > 0 ? any : any.noSchedule();
        return node.sleep(upTo(Duration.ofMillis(300)))
                .thenCompose(rested -> node.jobs().accept(Simulation.TYPE, options))
                .thenCompose(job -> job.<CompletableFuture<?>>map(this::workOn)
                        .orElseGet(() -> CompletableFuture.completedFuture("nothing")));
    }

    private CompletableFuture<?> workOn(Job<String> job) {
        node.log("took " + job);
        oracle.claimed(job);
        if (!careful && random.nextInt(10) == 0) {
            node.log("abandons " + job.id());
            return CompletableFuture.completedFuture(job);
        }
        return heartbeats(job, random.nextInt(4));
    }

    private CompletableFuture<?> heartbeats(Job<String> job, int left) {
        CompletableFuture<?> worked = node.sleep(upTo(patience()));
        if (left == 0) {
            return worked.thenCompose(done -> finish(job));
        }
        return worked.thenCompose(done -> heartbeat(job)).thenCompose(again -> {
            node.log("heard of " + job.id());
            return heartbeats(again, left - 1);
        });
    }

    private Duration patience() {
        boolean tooLong = !careful && random.nextInt(12) == 0;
        return tooLong ? Simulation.TIMEOUT.multipliedBy(3) : Simulation.TIMEOUT.dividedBy(2);
    }

    private CompletableFuture<Job<String>> heartbeat(Job<String> job) {
        return switch (random.nextInt(4)) {
            case 0 -> node.jobs().update(node.database(), job);
            case 1 -> node.jobs().update(node.database(), job, Client.data(random));
            case 2 -> node.jobs().resubmit(node.database(), job);
            default ->
                node.database().runAsync(tx -> {
                    Work.beat(tx, job);
                    return node.jobs().update(tx, job);
                });
        };
    }

    private CompletableFuture<?> finish(Job<String> job) {
        int way = random.nextInt(4);
        CompletableFuture<?> finished = way == 0
                ? node.jobs().finish(node.database(), job, Client.data(random))
                : node.database().runAsync(tx -> {
                    Work.effect(tx, job);
                    return (way == 1 ? node.jobs().update(tx, job) : CompletableFuture.completedFuture(job))
                            .thenCompose(held -> node.jobs().finish(tx, held));
                });
        boolean again = !careful && random.nextInt(10) == 0;
        return finished.thenCompose(done -> {
            node.log("finished " + job.id());
            oracle.finished(job, way != 0);
            if (!again) {
                return CompletableFuture.completedFuture(job);
            }
            oracle.resubmitting(job.id());
            return node.jobs().resubmit(node.database(), job);
        });
    }

    private Duration upTo(Duration most) {
        return Duration.ofNanos(random.nextLong(most.toNanos()));
    }
}
