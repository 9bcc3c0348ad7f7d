package dev.couchjobs.bridge.internal.steps;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobContext;
import dev.couchjobs.bridge.internal.action.Action;
import dev.couchjobs.bridge.internal.action.ActionContext;
import dev.couchjobs.bridge.internal.action.ActionResult;
import dev.couchjobs.bridge.internal.document.ActionPlan;
import dev.couchjobs.bridge.internal.document.StepPlan;
import dev.couchjobs.bridge.internal.document.StepRunEnd;
import dev.couchjobs.bridge.internal.document.Target;
import dev.couchjobs.bridge.internal.steps.StepLifecycle.Begun;
import dev.couchjobs.bridge.internal.transaction.BridgeContext;
import dev.couchjobs.bridge.internal.transaction.BridgeTransaction;
import dev.couchjobs.bridge.internal.transaction.BridgeTransactions;
import dev.couchjobs.bridge.internal.transaction.StepJob;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs steps: begin, action, end. The claim on the step's job fences each transaction. After a failed try the job is
 * snoozed for the pause, so that it occupies no worker.
 */
public final class StepRunner {
    /** How many attempts at a step may be lost because the process dies or the database fails. */
    private static final int LOST_MAX = 100;

    private final BridgeContext context;
    private final BridgeTransactions transactions;
    private final StepLifecycle course;
    private final RunningActions runningActions;
    private final Function<ActionPlan, Action> actions;
    private final String process;
    private final WorkerNumbers numbers = new WorkerNumbers();

    public StepRunner(
            BridgeContext context,
            BridgeTransactions transactions,
            StepLifecycle course,
            RunningActions runningActions,
            Function<ActionPlan, Action> actions,
            String process) {
        this.context = context;
        this.transactions = transactions;
        this.course = course;
        this.runningActions = runningActions;
        this.actions = actions;
        this.process = process;
    }

    /** Runs a step. {@return completes when the claim has ended; cancelling it stops the action} */
    public CompletionStage<Void> run(JobContext<StepJob> job) {
        return new Execution(job).start();
    }

    /** Begins the next step after all nodes have ended their part of one. */
    public CompletionStage<Void> join(JobContext<StepJob> job) {
        return finish(job, bridgeTransaction -> course.joined(bridgeTransaction, job.data()));
    }

    private CompletableFuture<Void> finish(
            JobContext<?> job, Function<BridgeTransaction, CompletableFuture<Void>> body) {
        return transactions.run(
                new BridgeTransaction.Runner() {
                    @Override
                    public <T extends @Nullable Object> CompletableFuture<T> run(
                            Function<Transaction, CompletableFuture<T>> turn) {
                        AtomicReference<T> last = new AtomicReference<>();
                        return job.finishAsync(tx -> turn.apply(tx).<@Nullable Void>thenApply(value -> {
                                    last.set(value);
                                    return null; // the job has no result
                                }))
                                .thenApply(done -> last.get());
                    }
                },
                body);
    }

    private <T> CompletableFuture<T> held(JobContext<?> job, Function<BridgeTransaction, CompletableFuture<T>> body) {
        return transactions.run(
                new BridgeTransaction.Runner() {
                    @Override
                    public <V extends @Nullable Object> CompletableFuture<V> run(
                            Function<Transaction, CompletableFuture<V>> turn) {
                        return job.runAsync(turn);
                    }
                },
                body);
    }

    /** One claim on a step's job. */
    private final class Execution {
        private final JobContext<StepJob> job;
        private final StepJob data;
        private final RunningAction runningAction;
        private final int number = numbers.take();

        Execution(JobContext<StepJob> job) {
            this.job = job;
            this.data = job.data();
            this.runningAction = new RunningAction(job);
        }

        CompletableFuture<Void> start() {
            return runningAction.until(runningActions
                    .add(data.document(), data.step(), runningAction.whole())
                    .thenCompose(alone -> stored(
                            () -> held(job, bridgeTransaction -> course.begin(bridgeTransaction, data, worker()))))
                    .thenCompose(begun -> begun.isPresent() ? perform(begun.get()) : leave())
                    // before the claim ends, with which the next one may begin
                    .whenComplete((done, error) -> numbers.free(number)));
        }

        /** The number alone is not unique: a process that begins a step again may give it the same one. */
        private String worker() {
            return number + " (process " + process + ", claim " + job.claim() + ")";
        }

        /** Ends the job: there is nothing to do. */
        private CompletableFuture<Void> leave() {
            return stored(() -> finish(job, bridgeTransaction -> course.left(bridgeTransaction, data)));
        }

        private CompletableFuture<Void> perform(Begun begun) {
            StepPlan plan = begun.step().plan();
            if (job.attempt() > LOST_MAX) {
                return end(false, lost("Its process died or failed " + LOST_MAX + " times while it ran."));
            }
            if (begun.tries() > plan.retry().maxRetries()) { // the process that counted the last try was lost
                return plan.alternative().isPresent()
                        ? alternative(begun, StepRunEnd.silent())
                        : end(false, lost("It has failed " + begun.tries() + " times."));
            }
            return act(plan.action(), begun, begun.tries() + 1)
                    .thenCompose(result -> result.success() ? end(true, runEnd(result)) : count(begun, result));
        }

        /** Counts a failed try first, so that the count survives a crash. */
        private CompletableFuture<Void> count(Begun begun, ActionResult result) {
            Optional<Duration> pause = pause(begun, result);
            return stored(() -> held(job, bridgeTransaction -> course.tried(bridgeTransaction, data, begun, pause)))
                    .thenCompose(counted -> counted.isEmpty() ? leave() : failed(begun, result, pause));
        }

        /** {@return the pause before the next try; empty if none follows} */
        private Optional<Duration> pause(Begun begun, ActionResult result) {
            Duration since = Duration.between(
                    begun.since().toInstant(), context.environment().clock().instant());
            return result.isFinal()
                    ? Optional.empty()
                    : begun.step()
                            .plan()
                            .retry()
                            .pauseAfter(begun.tries() + 1, since)
                            .map(pause -> longer(pause, result.retryAfter()));
        }

        private CompletableFuture<ActionResult> act(ActionPlan plan, Begun begun, int attempt) {
            return runningAction.act(
                    actions.apply(plan),
                    new ActionContext(
                            data.document(),
                            data.step(),
                            context.node(),
                            attempt,
                            begun.step().plan().timeout(),
                            begun.step().plan().target() instanceof Target.All));
        }

        private CompletableFuture<Void> failed(Begun begun, ActionResult result, Optional<Duration> pause) {
            if (pause.isPresent()) {
                job.snooze(pause.get());
                return CompletableFuture.completedFuture(null);
            }
            return begun.step().plan().alternative().isPresent()
                    ? alternative(begun, runEnd(result))
                    : end(false, runEnd(result));
        }

        private static Duration longer(Duration pause, Optional<Duration> other) {
            return other.filter(least -> least.compareTo(pause) > 0).orElse(pause);
        }

        /** Runs the alternative after the last try has failed. */
        private CompletableFuture<Void> alternative(Begun begun, StepRunEnd first) {
            return act(begun.step().plan().alternative().orElseThrow(), begun, 1)
                    .thenCompose(result -> end(
                            result.success(),
                            new StepRunEnd(
                                    first.exitStatus(),
                                    result.exitStatus(),
                                    Optional.of(result.output()).filter(output -> !output.isEmpty()),
                                    result.isOutputCut(),
                                    result.reason())));
        }

        private CompletableFuture<Void> end(boolean hasSucceeded, StepRunEnd end) {
            return stored(
                    () -> finish(job, bridgeTransaction -> course.end(bridgeTransaction, data, hasSucceeded, end)));
        }

        private <T> CompletableFuture<T> stored(Supplier<CompletableFuture<T>> transaction) {
            return runningAction.stored(context, transaction);
        }
    }

    private static StepRunEnd lost(String reason) {
        return new StepRunEnd(OptionalInt.empty(), OptionalInt.empty(), Optional.empty(), false, Optional.of(reason));
    }

    private static StepRunEnd runEnd(ActionResult result) {
        return new StepRunEnd(
                result.exitStatus(),
                OptionalInt.empty(),
                Optional.of(result.output()).filter(output -> !output.isEmpty()),
                result.isOutputCut(),
                result.reason());
    }
}
