package dev.couchjobs.simulation;

import dev.couchjobs.JobState;
import dev.couchjobs.JobsException;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Follows jobs to their ends, one or two at a time, and remembers what it was told; waits for results, too. */
final class Watcher {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** Longer than a simulation lasts: only the end of the job ends the wait. */
    private static final Duration UNTIL_THE_END = Duration.ofHours(1);

    private static final Duration REST = Duration.ofSeconds(1);

    private final SimulatedNode node;
    private final RandomGenerator random;
    private final Oracle oracle;
    private final List<SubscriptionTrace> subscriptionTraces = new ArrayList<>();
    /** The job whose result this watcher waits for until the end; empty while it does not. */
    private Optional<String> awaited = Optional.empty();

    private boolean stopped;

    Watcher(SimulatedNode node, Oracle oracle) {
        this.node = node;
        this.random = node.random();
        this.oracle = oracle;
    }

    /** It begins nothing new. */
    void stop() {
        stopped = true;
    }

    void start() {
        node.repeat("watcher", () -> !stopped, this::turn);
    }

    /** {@return what was told by all subscriptions, if the node is still there} */
    List<SubscriptionTrace> toldToTheEnd() {
        return node.isAlive() ? subscriptionTraces : List.of();
    }

    /** {@return the jobs whose ends have not been reported to this watcher, if its node is still there} */
    List<String> waitsFor() {
        if (!node.isAlive()) {
            return List.of();
        }
        Stream<String> followed = subscriptionTraces.stream()
                .filter(subscriptionTrace -> !subscriptionTrace.isOver())
                .map(SubscriptionTrace::jobId);
        return Stream.concat(followed, awaited.stream()).toList();
    }

    private CompletableFuture<?> turn() {
        String jobId = JobsSimulation.jobId(random);
        return node.sleepUpTo(REST).thenCompose(rested -> switch (random.nextInt(7)) {
            case 0 -> subscribe(jobId).thenCompose(this::awaitFinish);
            case 6 -> awaitResult(jobId);
            case 1, 2 ->
                subscribe(jobId)
                        .thenCompose(one -> subscribe(JobsSimulation.otherJobId(jobId, random))
                                .thenCompose(other -> followAll(List.of(one, other))));
            default -> subscribe(jobId).thenCompose(one -> followAll(List.of(one)));
        });
    }

    private CompletableFuture<Subscription<String>> subscribe(String jobId) {
        return node.jobs().subscribe(node.database(), node.type(), jobId);
    }

    /** For some time, and for nothing else. */
    private CompletableFuture<Void> awaitFinish(Subscription<String> subscription) {
        return subscription.awaitEvent(JobState.FINISHED, PATIENCE).thenAccept(event -> {
            oracle.require(
                    event.isEmpty() || event.get().state() == JobState.FINISHED,
                    "Who waited for the finish was told of " + event);
            subscription.close();
            oracle.require(subscription.isEnded(), subscription + " goes on though nobody wants it");
        });
    }

    /** A look, a wait of some seconds, or one until the job ends. */
    private CompletableFuture<Void> awaitResult(String jobId) {
        Duration timeout = switch (random.nextInt(3)) {
            case 0 -> Duration.ZERO;
            case 1 -> PATIENCE;
            default -> UNTIL_THE_END;
        };
        boolean atOnce = timeout.isZero();
        long asked = oracle.resultsLaw().moment();
        awaited = timeout.equals(UNTIL_THE_END) ? Optional.of(jobId) : Optional.empty();
        return node.jobs().resultAsync(node.type(), jobId, timeout).handle((result, error) -> {
            awaited = Optional.empty();
            node.log("asked for the result of " + jobId + ": " + (error == null ? result : error));
            if (error == null) {
                oracle.resultsLaw().wasGiven(jobId, asked, result);
            } else if (unwrapped(error) instanceof JobsException known) {
                oracle.resultsLaw().wasRefused(jobId, asked, atOnce, known);
            }
            return null;
        });
    }

    private static Throwable unwrapped(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    private CompletableFuture<Void> followAll(List<Subscription<String>> subscriptions) {
        List<SubscriptionTrace> begun =
                subscriptions.stream().map(SubscriptionTrace::new).toList();
        subscriptionTraces.addAll(begun);
        return follow(begun);
    }

    private CompletableFuture<Void> follow(List<SubscriptionTrace> all) {
        List<SubscriptionTrace> open = all.stream()
                .filter(subscriptionTrace -> !subscriptionTrace.isOver())
                .toList();
        if (open.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<Subscription<String>> subscriptions =
                open.stream().map(SubscriptionTrace::subscription).toList();
        return Subscription.awaitAny(subscriptions, PATIENCE).thenCompose(event -> {
            event.ifPresent(told -> {
                node.log("was told " + told.jobId() + " " + told.state());
                open.stream()
                        .filter(subscriptionTrace -> subscriptionTrace.jobId().equals(told.jobId()))
                        .findFirst()
                        .orElseThrow()
                        .add(told);
            });
            open.forEach(subscriptionTrace -> subscriptionTrace.endUnlessMoreCanCome(event.isEmpty()));
            return node.sleepUpTo(Duration.ofMillis(2)).thenCompose(rested -> follow(open));
        });
    }
}
