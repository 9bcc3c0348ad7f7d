package dev.couchjobs.simulation;

import dev.couchjobs.Dependency;
import dev.couchjobs.DependencyPolicy;
import dev.couchjobs.contract.Fate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the documentation says of jobs that wait for each other, without any rows or transactions. */
final class DependencyModel {
    private enum State {
        PENDING,
        SUCCEEDED,
        FAILED
    }

    private final Map<String, State> states = new HashMap<>();
    private final Map<String, Map<String, DependencyPolicy>> waiting = new HashMap<>();

    /** Whether the job is added; it is not if it waits for one that has to be there and is not. */
    boolean add(String id, List<Dependency> dependencies) {
        Map<String, DependencyPolicy> last = new HashMap<>();
        dependencies.forEach(each -> last.put(each.jobId(), each.policy()));
        Map<String, DependencyPolicy> outstanding = new HashMap<>();
        boolean fails = false;
        for (Map.Entry<String, DependencyPolicy> each : last.entrySet()) {
            State state = states.get(each.getKey());
            DependencyPolicy policy = each.getValue();
            if (state == State.PENDING) {
                outstanding.put(each.getKey(), policy);
            } else if (state != State.SUCCEEDED && waitsForSuccess(state, policy)) {
                outstanding.put(each.getKey(), policy);
            } else if (state == null && policy != DependencyPolicy.IGNORE) {
                return false;
            } else {
                fails |= state == State.FAILED && policy == DependencyPolicy.FAIL;
            }
        }
        states.put(id, fails ? State.FAILED : State.PENDING);
        waiting.put(id, fails ? new HashMap<>() : outstanding);
        return true;
    }

    /** Whether a job begins to wait for one that has not succeeded and does not run either. */
    private static boolean waitsForSuccess(@Nullable State dependency, DependencyPolicy policy) {
        return policy == DependencyPolicy.EXPECT || (policy == DependencyPolicy.WAIT && dependency != null);
    }

    private static boolean goesOn(DependencyPolicy policy) {
        return policy == DependencyPolicy.WAIT || policy == DependencyPolicy.EXPECT;
    }

    boolean mayBeAddedAgain(String id) {
        return states.get(id) != State.PENDING;
    }

    /** Whether there was such a job. */
    boolean remove(String id) {
        State state = states.remove(id);
        waiting.remove(id);
        if (state == State.PENDING) {
            tell(id, false);
        }
        return state != null;
    }

    void end(String id, Fate fate) {
        if (fate == Fate.IS_REMOVED) {
            remove(id);
        } else {
            states.put(id, fate == Fate.SUCCEEDS ? State.SUCCEEDED : State.FAILED);
            tell(id, fate == Fate.SUCCEEDS);
        }
    }

    private void tell(String id, boolean succeeded) {
        List<String> failed = new ArrayList<>();
        waiting.forEach((dependent, outstanding) -> {
            DependencyPolicy policy = outstanding.get(id);
            if (policy == null || (!succeeded && goesOn(policy))) {
                return;
            }
            outstanding.remove(id);
            if (!succeeded && policy == DependencyPolicy.FAIL) {
                failed.add(dependent);
            }
        });
        for (String dependent : failed) {
            states.put(dependent, State.FAILED);
            waiting.put(dependent, new HashMap<>());
        }
        failed.forEach(dependent -> tell(dependent, false));
    }

    /** The jobs that may be accepted. */
    Set<String> ready() {
        Set<String> ready = new HashSet<>();
        states.forEach((id, state) -> {
            if (state == State.PENDING && waitsFor(id).isEmpty()) {
                ready.add(id);
            }
        });
        return ready;
    }

    /** What a job waits for. */
    Set<String> waitsFor(String id) {
        return waiting.getOrDefault(id, Map.of()).keySet();
    }
}
