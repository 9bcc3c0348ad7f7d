package dev.couchjobs.simulation;

import dev.couchjobs.JobContext;
import dev.couchjobs.LogEntry;
import dev.couchjobs.Worker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** A worker whose handlers do whatever handlers may do; now and then it is closed and another one started. */
final class SimulatedWorker {
    private static final Duration SHIFT = Duration.ofSeconds(20);
    private static final Duration LONGEST_BODY = Duration.ofMillis(5_500);

    private final SimulatedNode node;
    private final RandomGenerator random;
    private final Oracle oracle;
    private boolean careful;

    SimulatedWorker(SimulatedNode node, Oracle oracle) {
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
        Worker worker = oracle.recurringJobs()
                .handledBy(
                        oracle.furtherTypes()
                                .handledBy(node.jobs().worker().handleAsync(node.type(), this::handle), this),
                        this)
                .concurrency(1 + random.nextInt(4))
                .lowPriorityShare(node.reserve())
                .shutdownTimeout(JobsSimulation.TIMEOUT)
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
        return goOn(job).thenCompose(known -> node.sleepUpTo(workingTime())).thenCompose(worked -> end(job));
    }

    private Duration workingTime() {
        boolean tooLong = !careful && random.nextInt(6) == 0;
        return tooLong ? JobsSimulation.TIMEOUT.multipliedBy(3) : JobsSimulation.TIMEOUT.dividedBy(2);
    }

    /** {@return completes when some work is done, with whether it has failed} */
    CompletableFuture<Boolean> work() {
        return node.sleepUpTo(workingTime()).thenApply(worked -> !careful && random.nextInt(4) == 0);
    }

    /** Mostly by asking how far the attempt before came, and sometimes by noting how far this one is. */
    private CompletableFuture<?> goOn(JobContext<String> job) {
        if (random.nextInt(3) == 0) {
            return CompletableFuture.completedFuture(job);
        }
        return asHolder(job, () -> job.runAsync(tx -> node.jobs().details().lastCheckpoint(tx, node.type(), job.id())))
                .thenCompose(found -> {
                    oracle.logLaw().wasFound(job.job(), found.map(LogEntry::json));
                    return random.nextBoolean()
                            ? note(job, "one").thenCombine(note(job, "other"), Math::max)
                            : note(job, "all");
                });
    }

    /** In a transaction of its own, which acts once. */
    private CompletableFuture<Long> note(JobContext<String> job, String part) {
        String text = part + " of " + job.job().lock();
        return asHolder(job, () -> node.jobs().processor().checkpoint(node.database(), job.job(), text))
                .thenApply(number -> {
                    oracle.logLaw().wasWritten(job.job(), text, number);
                    return number;
                });
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
        CompletableFuture<Boolean> written = job.runAsync(tx -> takingTime().thenCompose(late -> {
            ProcessorEffects.beat(tx, job.job());
            return node.jobs()
                    .processor()
                    .log(tx, job.job(), "claim " + job.claim())
                    .thenCombine(node.jobs().processor().log(tx, job.job(), "at work"), (one, next) -> next == one + 1);
        }));
        return written.thenApply(inOrder -> {
            oracle.require(inOrder, "The log of " + job.job() + " is not in the order of the calls");
            return inOrder;
        });
    }

    /**
     * Now and then the body of a transaction takes longer than the type's timeout, and sometimes longer than it may.
     */
    private CompletableFuture<?> takingTime() {
        return careful || random.nextInt(4) > 0
                ? CompletableFuture.completedFuture(random)
                : node.sleepUpTo(LONGEST_BODY);
    }

    /** With its effect, and mostly with a job that follows. */
    private CompletableFuture<String> finish(JobContext<String> job, String result) {
        boolean goesOn = !FollowUpsLaw.isOne(job.id()) && random.nextInt(3) > 0;
        return asHolder(
                        job,
                        () -> job.finishAsync(tx -> takingTime().thenCompose(late -> {
                            ProcessorEffects.effect(tx, job.job());
                            if (!goesOn) {
                                return CompletableFuture.completedFuture(result);
                            }
                            String next = FollowUpsLaw.idOf(node.jobs().newJobId());
                            oracle.adding(next);
                            String data = FollowUpsLaw.dataOf(job.job().lock());
                            return node.jobs().add(tx, node.type(), next, data).thenApply(added -> result);
                        })))
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
