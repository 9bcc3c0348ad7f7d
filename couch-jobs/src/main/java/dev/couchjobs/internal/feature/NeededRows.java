package dev.couchjobs.internal.feature;

import com.apple.foundationdb.ReadTransaction;
import dev.couchjobs.internal.job.JobRow;
import dev.couchjobs.internal.rows.JobRef;
import java.util.concurrent.CompletableFuture;

/** Rows of an index that a job needs. If one was moved into quarantine, {@code LostRows} writes it again. */
@FunctionalInterface
public interface NeededRows {
    /** {@return whether the rows of a job are there; read without conflicts if the transaction is a snapshot} */
    CompletableFuture<Boolean> areThere(ReadTransaction tx, JobRef ref, JobRow job);
}
