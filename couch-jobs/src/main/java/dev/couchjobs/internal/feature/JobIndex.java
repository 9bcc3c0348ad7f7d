package dev.couchjobs.internal.feature;

import com.apple.foundationdb.KeyValue;
import com.apple.foundationdb.Range;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import dev.couchjobs.internal.rows.TypeKeys;
import java.util.List;
import java.util.function.Predicate;

/**
 * An index whose rows name a job, and whose keys only the job's own row knows. If that row was damaged, the rows stay,
 * although the job is gone or is another. {@code StaleRows} finds and removes such rows.
 */
public interface JobIndex {
    /**
     * What a row says.
     *
     * @param job the job that it names
     * @param isTrueOf whether the job is as the row says
     */
    record Statement(JobRef job, Predicate<JobRow> isTrueOf) {}

    /** {@return where the rows of a type are} */
    Range range(TypeKeys keys);

    /** {@return what a row says; fails with any exception if the row cannot be decoded} */
    Statement decode(TypeKeys keys, KeyValue row);

    /** Removes rows that are there and stale. */
    default void clear(Transaction tx, TypeKeys keys, List<byte[]> stale) {
        stale.forEach(tx::clear);
    }
}
