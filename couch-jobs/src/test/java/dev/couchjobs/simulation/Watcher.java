package dev.couchjobs.simulation;

import dev.couchjobs.JobState;
import dev.couchjobs.JobsException;
import dev.couchjobs.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;

/** Follows jobs to their ends, one or two at a time, and remembers what it was told. */
final class Watcher {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration REST = Duration.ofSeconds(1);

    private final Node node;
    private final RandomGenerator random;
    private final Oracle oracle;
    private final List<Story> stories = new ArrayList<>();
    private boolean stopped;

    Watcher(Node node, Oracle oracle) {
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
    List<Story> toldToTheEnd() {
        return node.isAlive() ? stories : List.of();
    }

    /** {@return whether some subscription has not come to its end} */
    boolean isWaiting() {
        return toldToTheEnd().stream().anyMatch(story -> !story.isOver());
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
        return node.jobs().wait(subscription, JobState.FINISHED, PATIENCE).thenAccept(event -> {
            oracle.require(
                    event.isEmpty() || event.get().state() == JobState.FINISHED,
                    "Who waited for the finish was told of " + event);
            node.jobs().unsubscribe(subscription);
            oracle.require(subscription.isEnded(), subscription + " goes on though nobody wants it");
        });
    }

    /** Not longer than it takes to lose patience; now and then only a look. */
    private CompletableFuture<Void> awaitResult(String jobId) {
        boolean atOnce = random.nextInt(3) == 0;
        long asked = oracle.results().moment();
        return node.jobs()
                .resultAsync(node.type(), jobId, atOnce ? Duration.ZERO : PATIENCE)
                .handle((result, error) -> {
                    node.log("asked for the result of " + jobId + ": " + (error == null ? result : error));
                    if (error == null) {
                        oracle.results().wasGiven(jobId, asked, result);
                    } else if (unwrapped(error) instanceof JobsException known) {
                        oracle.results().wasRefused(jobId, asked, atOnce, known);
                    }
                    return null;
                });
    }

    private static Throwable unwrapped(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    private CompletableFuture<Void> followAll(List<Subscription<String>> subscriptions) {
        List<Story> begun = subscriptions.stream().map(Story::new).toList();
        stories.addAll(begun);
        return follow(begun);
    }

    private CompletableFuture<Void> follow(List<Story> all) {
        List<Story> open = all.stream().filter(story -> !story.isOver()).toList();
        if (open.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<Subscription<String>> subscriptions =
                open.stream().map(Story::subscription).toList();
        return node.jobs().wait(subscriptions, PATIENCE).thenCompose(event -> {
            event.ifPresent(told -> {
                node.log("was told " + told.jobId() + " " + told.state());
                open.stream()
                        .filter(story -> story.jobId().equals(told.jobId()))
                        .findFirst()
                        .orElseThrow()
                        .add(told);
            });
            open.forEach(story -> story.endUnlessMoreCanCome(event.isEmpty()));
            return node.sleepUpTo(Duration.ofMillis(2)).thenCompose(rested -> follow(open));
        });
    }
}
