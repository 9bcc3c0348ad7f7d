package dev.couchjobs.internal.worker;

import dev.couchjobs.internal.activity.SharedActivity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The activity rows that the runs of a worker share, as several runs see them at one moment. */
final class ActivityRows {
    private final Object lock;

    /** @param lock the worker's lock, which its runs take */
    ActivityRows(Object lock) {
        this.lock = lock;
    }

    /** {@return for each run the activity row that it is known to share} */
    Map<JobRun<?>, Optional<SharedActivity>> activitiesOf(List<JobRun<?>> runs) {
        synchronized (lock) {
            Map<JobRun<?>, Optional<SharedActivity>> activities = new HashMap<>();
            runs.forEach(run -> activities.put(run, Optional.ofNullable(run.activity())));
            return activities;
        }
    }

    /** {@return the keys of the activity rows that count no jobs but these} */
    List<byte[]> emptiedBy(List<? extends JobRun<?>> runs) {
        synchronized (lock) {
            Map<SharedActivity, Integer> leaving = new HashMap<>();
            for (JobRun<?> run : runs) {
                SharedActivity activity = run.activity();
                if (activity != null) {
                    leaving.merge(activity, 1, Integer::sum);
                }
            }
            List<byte[]> keys = new ArrayList<>();
            leaving.forEach((activity, count) -> {
                if (activity.isEmptyWithout(count)) {
                    activity.key().ifPresent(keys::add);
                }
            });
            return keys;
        }
    }

    /** The ends of these runs are written, or their claims are lost. */
    void leave(List<? extends JobRun<?>> runs) {
        synchronized (lock) {
            runs.forEach(JobRun::leaveActivityRow);
        }
    }
}
