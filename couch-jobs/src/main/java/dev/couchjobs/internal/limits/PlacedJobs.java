package dev.couchjobs.internal.limits;

import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.feature.JobStore;
import dev.couchjobs.internal.rows.Notes;
import java.util.List;

/** The jobs with limit keys that a transaction has put into one of their two queues. */
public final class PlacedJobs extends Notes<LimitedJob> {
    private PlacedJobs() {}

    static PlacedJobs of(Transaction tx) {
        return JobStore.state(tx, PlacedJobs.class, PlacedJobs::new);
    }

    /** {@return those that a transaction has placed since the last call} */
    public static List<LimitedJob> take(Transaction tx) {
        return JobStore.stateOf(tx, PlacedJobs.class).map(Notes::take).orElse(List.of());
    }
}
