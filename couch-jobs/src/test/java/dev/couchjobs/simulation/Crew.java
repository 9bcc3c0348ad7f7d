package dev.couchjobs.simulation;

import dev.couchjobs.JobContext;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** A worker whose handlers do whatever handlers may do; now and then it is closed and another one started. */
final class Crew {
    private static final Duration SHIFT = Duration.ofSeconds(20);

    private final Node node;
    private final RandomGenerator random;
    private final Oracle oracle;
    private boolean careful;

    Crew(Node node, Oracle oracle) {
        this.node = node;
        this.random = node.random();
        this.oracle = oracle;
    }

    /** From now on all that it does is to succeed, and in time. */
    void beCareful() {
        careful = true;
    }

    void start() {
        node.repeat("crew", () -> true, this::shift);
    }

    private CompletableFuture<?> shift() {
        Worker worker = node.jobs()
                .worker()
                .handleAsync(node.type(), this::handle)
                .concurrency(1 + random.nextInt(3))
                .closeWithin(JobsSimulation.TIMEOUT)
                .executor(node.executor())
                .start();
        return node.sleepUpTo(SHIFT).thenCompose(over -> {
            node.log("closes its worker");
            return worker.closeAsync();
        });
    }

    private CompletableFuture<String> handle(JobContext<String> job) {
        node.log("works on " + job.job());
        oracle.claimed(job.job());
        boolean tooLong = !careful && random.nextInt(6) == 0;
        Duration most = tooLong ? JobsSimulation.TIMEOUT.multipliedBy(3) : JobsSimulation.TIMEOUT.dividedBy(2);
        return node.sleepUpTo(most).thenCompose(worked -> end(job));
    }

    private CompletableFuture<String> end(JobContext<String> job) {
        String result = job.job().lock().toString();
        return switch (random.nextInt(careful ? 4 : 9)) {
            case 0, 1 -> finish(job, result);
            case 2 -> asHolder(job, () -> write(job)).thenApply(done -> result);
            case 3, 4 -> CompletableFuture.completedFuture(result);
            case 5 -> {
                job.snooze(Duration.ofMillis(random.nextInt(2_000)));
                yield asHolder(job, () -> write(job)).thenApply(done -> result);
            }
            case 6 -> {
                job.cancel("not worth it");
                yield CompletableFuture.completedFuture(result);
            }
            default -> CompletableFuture.failedFuture(new IllegalStateException("as planned"));
        };
    }

    /** Under the fence, and into the job's log. */
    private CompletableFuture<Boolean> write(JobContext<String> job) {
        CompletableFuture<Boolean> written = job.runAsync(tx -> {
            Work.beat(tx, job.job());
            return node.jobs()
                    .append(tx, job.job(), "claim " + job.claim())
                    .thenCombine(node.jobs().append(tx, job.job(), "at work"), (one, next) -> next == one + 1);
        });
        return written.thenApply(inOrder -> {
            oracle.require(inOrder, "The log of " + job.job() + " is not in the order of the calls");
            return inOrder;
        });
    }

    /** With its effect, and mostly with a job that follows. */
    private CompletableFuture<String> finish(JobContext<String> job, String result) {
        boolean goesOn = !FollowUps.isOne(job.id()) && random.nextInt(3) > 0;
        String next = FollowUps.idOf(job.job().lock());
        String data = Client.data(random);
        return asHolder(
                        job,
                        () -> job.finishAsync(tx -> {
                            Work.effect(tx, job.job());
                            if (!goesOn) {
                                return CompletableFuture.completedFuture(result);
                            }
                            oracle.adding(next);
                            return node.jobs().add(tx, node.type(), next, data).thenApply(added -> result);
                        }))
                .thenApply(done -> {
                    node.log("finished " + job.id());
                    oracle.finished(job.job(), true);
                    return done;
                });
    }

    /** What only the holder may do. */
    private <T> CompletableFuture<T> asHolder(JobContext<String> job, Supplier<CompletableFuture<T>> verb) {
        long begun = oracle.moment();
        return verb.get().thenApply(done -> {
            oracle.actedAsHolder(job.job(), begun);
            return done;
        });
    }
}
