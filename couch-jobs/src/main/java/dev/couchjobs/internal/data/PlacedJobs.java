package dev.couchjobs.internal.data;

import com.apple.foundationdb.Transaction;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;

/** The jobs with limit keys that a transaction has put into one of their two queues. */
public final class PlacedJobs {
    @GuardedBy("this") private List<LimitedJob> jobs = new ArrayList<>();

    private PlacedJobs() {}

    static PlacedJobs of(Transaction tx) {
        return JobTransaction.state(tx, PlacedJobs.class, PlacedJobs::new);
    }

    synchronized void add(LimitedJob job) {
        jobs.add(job);
    }

    /** {@return those that a transaction has placed since the last call} */
    public static List<LimitedJob> take(Transaction tx) {
        return JobTransaction.stateOf(tx, PlacedJobs.class)
                .map(PlacedJobs::take)
                .orElse(List.of());
    }

    private synchronized List<LimitedJob> take() {
        List<LimitedJob> taken = jobs;
        jobs = new ArrayList<>();
        return taken;
    }
}
