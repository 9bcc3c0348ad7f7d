package dev.couchjobs.simulation;

import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.JobEvent;
import dev.couchjobs.JobState;
import dev.couchjobs.Subscription;
import dev.couchjobs.faults.TypeRows;
import java.util.ArrayList;
import java.util.List;

/** What one subscription told. */
final class SubscriptionTrace {
    private final Subscription<String> subscription;
    private final List<JobEvent<String>> events = new ArrayList<>();
    private boolean over;

    SubscriptionTrace(Subscription<String> subscription) {
        this.subscription = subscription;
    }

    Subscription<String> subscription() {
        return subscription;
    }

    String jobId() {
        return subscription.jobId();
    }

    void add(JobEvent<String> event) {
        events.add(event);
    }

    /**
     * Who has been told of the end is told of nothing else; neither is whose subscription has ended and brings no
     * more.
     */
    void endUnlessMoreCanCome(boolean nothingCame) {
        boolean told = !events.isEmpty() && isEnd(events.get(events.size() - 1).state());
        over = told || (nothingCame && subscription.isEnded());
    }

    boolean isOver() {
        return over;
    }

    /**
     * Checks what was told, from the state that was found to the end.
     *
     * @param changes all that happened to the job
     * @param complete whether nothing may have been left out; else some changes may have been forgotten before they
     *     were read, and the state that the job was in by then told instead
     */
    void check(List<TypeRows.Change> changes, boolean complete) {
        List<JobState> told = events.stream().map(JobEvent::state).toList();
        if (isEnd(subscription.state())) {
            require(told.equals(List.of(subscription.state())), changes);
            return;
        }
        require(!events.isEmpty() && isEnd(told.get(told.size() - 1)), changes);
        int known = -1;
        for (JobEvent<String> event : events) {
            int change = lastUpTo(event.sequence(), changes);
            require(change >= 0 && changes.get(change).state() == event.state(), changes);
            if (complete) {
                JobState before =
                        known < 0 ? subscription.state() : changes.get(known).state();
                require(changes.get(change).sequence().equals(event.sequence()), changes);
                require(change > 0 && changes.get(change - 1).state() == before, changes);
                require((known < 0 || change == known + 1) && !isEnd(before), changes);
            }
            require(change >= known, changes);
            known = change;
        }
    }

    private static int lastUpTo(Versionstamp sequence, List<TypeRows.Change> changes) {
        int last = -1;
        while (last + 1 < changes.size() && changes.get(last + 1).sequence().compareTo(sequence) <= 0) {
            last++;
        }
        return last;
    }

    private static boolean isEnd(JobState state) {
        return state == JobState.FINISHED || state == JobState.NOT_FOUND;
    }

    private void require(boolean held, List<TypeRows.Change> changes) {
        if (!held) {
            throw new AssertionError("A subscription to " + jobId() + " that found " + subscription.state()
                    + " was told " + events + "\nof " + changes);
        }
    }
}
