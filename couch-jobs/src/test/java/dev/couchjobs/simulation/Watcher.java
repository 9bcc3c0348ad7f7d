package dev.couchjobs.simulation;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.Subscription;
import dev.couchjobs.faults.Rows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Follows one job after another, and remembers what it was told. */
final class Watcher {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Node node;
    private final Random random;
    private final List<Story> stories = new ArrayList<>();
    private boolean stopped;

    /** What one subscription told. */
    static final class Story {
        private final Subscription<String> subscription;
        private final List<JobEvent<String>> events = new ArrayList<>();
        private boolean over;

        Story(Subscription<String> subscription) {
            this.subscription = subscription;
        }

        String jobId() {
            return subscription.jobId();
        }

        /**
         * Checks what was told, from the state that was found to the end.
         *
         * @param changes all that happened to the job
         * @param complete whether nothing may have been left out; else some changes may have been forgotten before they
         *     were read, and the state that the job was in by then told instead
         */
        void check(List<Rows.Change> changes, boolean complete) {
            List<JobState> told = events.stream().map(JobEvent::state).toList();
            if (isEnd(subscription.state())) {
                require(told.equals(List.of(subscription.state())), changes);
                return;
            }
            require(!events.isEmpty() && isEnd(told.get(told.size() - 1)), changes);
            int known = -1;
            for (JobEvent<String> event : events) {
                int change = lastUpTo(event.sequence(), changes);
                require(changes.get(change).state() == event.state(), changes);
                if (complete) {
                    JobState before = known < 0
                            ? subscription.state()
                            : changes.get(known).state();
                    require(changes.get(change).sequence().equals(event.sequence()), changes);
                    require(change > 0 && changes.get(change - 1).state() == before, changes);
                    require((known < 0 || change == known + 1) && !isEnd(before), changes);
                }
                require(change >= known, changes);
                known = change;
            }
        }

        private static int lastUpTo(Versionstamp sequence, List<Rows.Change> changes) {
            int last = -1;
            while (last + 1 < changes.size() && changes.get(last + 1).sequence().compareTo(sequence) <= 0) {
                last++;
            }
            return last;
        }

        private static boolean isEnd(JobState state) {
            return state == JobState.FINISHED || state == JobState.NOT_FOUND;
        }

        private void require(boolean held, List<Rows.Change> changes) {
            if (!held) {
                throw new AssertionError("A subscription to " + jobId() + " that found " + subscription.state()
                        + " was told " + events + "\nof " + changes);
            }
        }
    }

    Watcher(Node node, Random random) {
        this.node = node;
        this.random = random;
    }

    /** It begins nothing new. */
    void stop() {
        stopped = true;
    }

    void start() {
        node.repeat("watcher", () -> !stopped, this::turn);
    }

    /** {@return what was told by all subscriptions, if the node has not crashed} */
    List<Story> toldToTheEnd() {
        return node.faults().isCrashed() ? List.of() : stories;
    }

    /** {@return whether some subscription has not come to its end} */
    boolean isWaiting() {
        return toldToTheEnd().stream().anyMatch(story -> !story.over);
    }

    private CompletableFuture<?> turn() {
        String jobId = Simulation.jobId(random);
        return node.sleep(Duration.ofMillis(random.nextInt(1_000)))
                .thenCompose(rested -> node.jobs().subscribe(node.database(), Simulation.TYPE, jobId))
                .thenCompose(subscription -> {
                    Story story = new Story(subscription);
                    stories.add(story);
                    return follow(story);
                });
    }

    private CompletableFuture<Object> follow(Story story) {
        return node.jobs().wait(story.subscription, PATIENCE).thenCompose(event -> {
            event.ifPresent(told -> {
                node.log("was told " + told.jobId() + " " + told.state());
                story.events.add(told);
            });
            story.over = event.isEmpty() && story.subscription.isEnded();
            return story.over
                    ? CompletableFuture.<Object>completedFuture(story)
                    : node.sleep(Duration.ofMillis(1)).<Object>thenCompose(rested -> follow(story));
        });
    }
}
