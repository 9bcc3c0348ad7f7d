package dev.couchjobs.fdb.internal.versions;

import dev.couchjobs.fdb.internal.base.BaseMutation;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * What the database looked like at each version of the last seconds. Few readers ask for a version by its number, so
 * only some states are kept as such: each keeps alive what the next ones have replaced, which costs far more than the
 * changes from which a state in between is made again.
 *
 * <p>One thread adds and forgets; any thread may ask.
 */
final class VersionHistory {
    /** No more changes than that are done again to get at a state; a batch is never split. */
    private static final int CHANGES_BETWEEN_STATES = 256;
    /** Nor more than that by their size: what is out of the window is only forgotten back to such a state. */
    private static final long BYTES_BETWEEN_STATES = 1 << 20;

    /** Changes that led from the step before to this one, and the state if it is one that is kept. */
    private record Step(
            List<BaseMutation> mutations, @Nullable Contents state) {}

    private final NavigableMap<Long, Step> steps = new ConcurrentSkipListMap<>();
    private int changesSinceState;
    private long bytesSinceState;

    VersionHistory(Snapshot first) {
        steps.put(first.version(), new Step(List.of(), first.data()));
    }

    /**
     * Versions increase from call to call. Whatever is older than {@code oldestWanted} may be forgotten. A version at
     * which nothing changed looks like the one before it and is not kept: forgetting goes by changes, and would never
     * come to it.
     */
    void add(long version, Contents state, List<BaseMutation> mutations, long oldestWanted) {
        if (mutations.isEmpty()) {
            return;
        }
        changesSinceState += mutations.size();
        for (BaseMutation mutation : mutations) {
            bytesSinceState += mutation instanceof BaseMutation.Put put ? put.value().length : 0;
        }
        boolean keep = changesSinceState >= CHANGES_BETWEEN_STATES || bytesSinceState >= BYTES_BETWEEN_STATES;
        steps.put(version, new Step(mutations, keep ? state : null));
        if (keep) {
            changesSinceState = 0;
            bytesSinceState = 0;
            forgetBefore(oldestWanted);
        }
    }

    /** The newest state not newer than {@code version}, or null if that is forgotten. */
    @Nullable Contents at(long version) {
        Deque<Map.Entry<Long, Step>> later = new ArrayDeque<>();
        Map.Entry<Long, Step> step = steps.floorEntry(version);
        while (step != null && step.getValue().state == null) {
            later.push(step);
            step = steps.lowerEntry(step.getKey());
        }
        Contents state = step == null ? null : step.getValue().state;
        if (state == null) {
            return null;
        }
        for (Map.Entry<Long, Step> each : later) {
            state = state.with(each.getValue().mutations, each.getKey());
        }
        return state;
    }

    /** How many steps are remembered. */
    int size() {
        return steps.size();
    }

    /** What the first wanted version sees stays, back to the state from which it is made. */
    private void forgetBefore(long oldestWanted) {
        Map.Entry<Long, Step> step = steps.floorEntry(oldestWanted);
        while (step != null && step.getValue().state == null) {
            step = steps.lowerEntry(step.getKey());
        }
        if (step != null) {
            steps.headMap(step.getKey(), false).clear();
        }
    }
}
