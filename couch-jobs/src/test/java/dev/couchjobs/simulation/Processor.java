package dev.couchjobs.simulation;

import dev.couchjobs.AcceptOptions;
import dev.couchjobs.Job;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Takes jobs and works on them, with heartbeats, sometimes too slowly and sometimes not to the end. */
final class Processor {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration IMPATIENCE = Duration.ofMillis(100);
    private static final Duration REST = Duration.ofMillis(300);

    private final SimulatedNode node;
    private final RandomGenerator random;
    private final Oracle oracle;
    private boolean careful;

    Processor(SimulatedNode node, Oracle oracle) {
        this.node = node;
        this.random = node.random();
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
        return node.sleepUpTo(REST)
                .thenCompose(rested -> node.jobs().processor().accept(node.type(), options()))
                .thenCompose(job -> job.map(this::workOn).orElseGet(Processor::nothing));
    }

    private AcceptOptions options() {
        Duration patience = random.nextInt(3) == 0 ? IMPATIENCE : PATIENCE;
        AcceptOptions any = AcceptOptions.defaults().timeout(Duration.ofNanos(random.nextLong(patience.toNanos())));
        if (careful) {
            return any;
        }
        return switch (random.nextInt(6)) {
            case 0 -> any.noSchedule();
            case 1 -> any.maxSchedTime(node.soon());
            default -> any;
        };
    }

    private CompletableFuture<Void> workOn(Job<String> job) {
        node.log("took " + job);
        oracle.claimed(job);
        if (careful) {
            return heartbeats(job, random.nextInt(4));
        }
        return switch (random.nextInt(10)) {
            case 0 -> {
                node.log("abandons " + job.id());
                yield nothing();
            }
            case 1, 2 -> workOnTwo(job);
            default -> heartbeats(job, random.nextInt(4));
        };
    }

    /** With one more, if there is one at once: heard of in one transaction, and finished in one. */
    private CompletableFuture<Void> workOnTwo(Job<String> one) {
        return node.jobs()
                .processor()
                .accept(node.type(), AcceptOptions.nonBlocking())
                .thenCompose(taken -> taken.map(other -> {
                            node.log("took also " + other);
                            oracle.claimed(other);
                            return both(one, other);
                        })
                        .orElseGet(() -> heartbeats(one, 1)));
    }

    private CompletableFuture<Void> both(Job<String> one, Job<String> other) {
        CompletableFuture<?> heard = node.database()
                .runAsync(tx -> node.jobs()
                        .processor()
                        .update(tx, one)
                        .thenCombine(
                                node.jobs().processor().update(tx, other, node.payload()), (a, b) -> List.of(a, b)));
        return heard.thenCompose(done -> node.sleepUpTo(workingTime()))
                .thenCompose(worked -> node.database().runAsync(tx -> {
                    ProcessorEffects.effect(tx, one);
                    ProcessorEffects.effect(tx, other);
                    return node.jobs()
                            .processor()
                            .finish(tx, one)
                            .thenCombine(node.jobs().processor().finish(tx, other), (a, b) -> tx);
                }))
                .thenRun(() -> {
                    node.log("finished " + one.id() + " and " + other.id());
                    oracle.finished(one, true);
                    oracle.finished(other, true);
                });
    }

    private CompletableFuture<Void> heartbeats(Job<String> job, int left) {
        CompletableFuture<?> worked = node.sleepUpTo(workingTime());
        if (left == 0) {
            return worked.thenCompose(done -> finish(job));
        }
        return worked.thenCompose(done -> asHolder(job, () -> heartbeat(job))).thenCompose(again -> {
            node.log("heard of " + job.id());
            return heartbeats(again, left - 1);
        });
    }

    private Duration workingTime() {
        boolean tooLong = !careful && random.nextInt(12) == 0;
        return tooLong ? JobsSimulation.TIMEOUT.multipliedBy(3) : JobsSimulation.TIMEOUT.dividedBy(2);
    }

    /** What only the holder may do. */
    private <T> CompletableFuture<T> asHolder(Job<String> job, Supplier<CompletableFuture<T>> verb) {
        long begun = oracle.moment();
        return verb.get().thenApply(done -> {
            oracle.actedAsHolder(job, begun);
            return done;
        });
    }

    private CompletableFuture<Job<String>> heartbeat(Job<String> job) {
        return switch (random.nextInt(6)) {
            case 0 -> node.jobs().processor().update(node.database(), job);
            case 1 -> node.jobs().processor().update(node.database(), job, node.payload());
            case 2 -> flagged(node.jobs().processor().resubmit(node.database(), job));
            case 3 -> flagged(node.jobs().processor().resubmit(node.database(), job, node.soon()));
            default ->
                node.database().runAsync(tx -> {
                    ProcessorEffects.beat(tx, job);
                    return node.jobs().processor().update(tx, job);
                });
        };
    }

    private CompletableFuture<Job<String>> flagged(CompletableFuture<Job<String>> resubmission) {
        return resubmission.whenComplete((job, error) -> oracle.require(
                error != null || node.jobs().processor().isResubmitted(job), job + " is not resubmitted"));
    }

    /** Other than well. */
    private CompletableFuture<Void> giveUp(Job<String> job) {
        return asHolder(job, () -> switch (random.nextInt(4)) {
                    case 0 ->
                        node.jobs().processor().snooze(node.database(), job, Duration.ofMillis(random.nextInt(2_000)));
                    case 1 -> node.jobs().processor().cancel(node.database(), job, "not worth it");
                    default ->
                        node.jobs()
                                .processor()
                                .fail(node.database(), job, new IllegalStateException("as planned"))
                                .thenAccept(state -> node.log(job.id() + " failed and is " + state));
                })
                .thenRun(() -> oracle.finished(job, false));
    }

    private CompletableFuture<Void> finish(Job<String> job) {
        if (!careful && random.nextInt(4) == 0) {
            return giveUp(job);
        }
        boolean withEffect = random.nextInt(5) > 0;
        return asHolder(job, () -> withEffect ? finishWithEffect(job) : finishWithout(job))
                .thenCompose(done -> {
                    node.log("finished " + job.id());
                    oracle.finished(job, withEffect);
                    return !careful && random.nextInt(8) == 0 ? resubmit(job) : nothing();
                });
    }

    private CompletableFuture<Void> finishWithout(Job<String> job) {
        return random.nextBoolean()
                ? node.jobs().processor().finish(node.database(), job, node.payload())
                : node.jobs()
                        .processor()
                        .finishWithResult(
                                node.database(), node.type(), job, job.lock().toString());
    }

    private CompletableFuture<Void> finishWithEffect(Job<String> job) {
        int way = random.nextInt(4);
        return node.database().runAsync(tx -> {
            ProcessorEffects.effect(tx, job);
            CompletableFuture<Job<String>> held = switch (way) {
                case 0 -> node.jobs().processor().update(tx, job);
                case 1 -> node.jobs().processor().resubmit(tx, job, node.soon());
                default -> CompletableFuture.completedFuture(job);
            };
            return held.thenCompose(still -> node.jobs().processor().finish(tx, still));
        });
    }

    /** What is finished, and now is to run once more. */
    private CompletableFuture<Void> resubmit(Job<String> job) {
        oracle.resubmitting(job.id());
        CompletableFuture<Job<String>> resubmitted = switch (random.nextInt(3)) {
            case 0 -> node.jobs().processor().resubmit(node.database(), job, node.soon(), node.payload());
            case 1 -> node.jobs().processor().resubmit(node.database(), job, node.soon());
            default -> node.jobs().processor().resubmit(node.database(), job);
        };
        return resubmitted.thenAccept(again -> node.log("resubmitted " + again.id()));
    }

    private static CompletableFuture<Void> nothing() {
        return CompletableFuture.completedFuture(null);
    }
}
