package dev.couchjobs.internal.status;

import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TypeKeys;

/** The keys of the status index of a type. */
final class StatusKeys {
    private final Subspace statuses;
    private final byte[] statusesPrefix;
    private final Subspace statusCounts;

    private StatusKeys(TypeKeys type) {
        statuses = type.table("statuses");
        statusesPrefix = statuses.pack();
        statusCounts = type.table("status_counts");
    }

    static StatusKeys of(TypeKeys type) {
        return type.derived(StatusKeys.class, StatusKeys::new);
    }

    /** The jobs by status, time and id; at the subspace's own key whether they are indexed. */
    Subspace statuses() {
        return statuses;
    }

    byte[] statusesPrefix() {
        return statusesPrefix;
    }

    /** Reads the path of a row in the status index: status, time, id, and a mark behind the id if it is progress. */
    TupleReader readStatus(byte[] key) {
        return TupleReader.below(statusesPrefix, key);
    }

    /** The number of jobs with each status. */
    Subspace statusCounts() {
        return statusCounts;
    }
}
