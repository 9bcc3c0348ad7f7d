package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.verbs.BatchVerbs;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Batches: jobs that are counted together, and a closing job that runs when all have ended
 * ({@link CouchJobs#batches}). Safe for use by several threads.
 *
 * <pre>{@code
 * jobs.batches().open(database, Batch.of("import-17").closing(NewJob.of(REPORT, 17L)));
 * jobs.addAll(database, files.map(file -> NewJob.of(IMPORT, file).batch("import-17")));  // as often as needed
 * jobs.batches().seal(database, "import-17");                                            // no more from here
 * }</pre>
 *
 * <p>The counts are exact, and members end without conflicts with each other. The first batch keeps processes with a
 * version before batches from reading and writing (rfc/027).
 */
public final class Batches {
    private final BatchVerbs verbs;

    Batches(Instance instance) {
        verbs = new BatchVerbs(instance);
    }

    /**
     * Opens a batch, and adds its closing job. A batch that exists stays as it is, and so does its closing job.
     *
     * @param context a database, or a transaction to join
     * @param batch the batch
     * @return the batch
     */
    public CompletableFuture<BatchInfo> open(TransactionContext context, Batch batch) {
        return verbs.open(context, batch);
    }

    /**
     * Lets a batch close when all its members have ended: at once if they have. Until then jobs may still be added to
     * it, for example by its members. A batch that is sealed or closed stays as it is.
     *
     * <p>A transaction that also adds members calls this after these additions have completed: otherwise the batch may
     * close before them, and they fail.
     *
     * @param context a database, or a transaction to join
     * @param name the name
     * @return the batch; fails with {@link BatchNotFoundException} if there is none, and with
     *     {@link BatchStateException} if it was cancelled
     */
    public CompletableFuture<BatchInfo> seal(TransactionContext context, String name) {
        return verbs.seal(context, name);
    }

    /**
     * A batch and its progress. In a transaction of the caller's that also writes, this conflicts with the end of every
     * member, unless given {@code tx.snapshot()}.
     *
     * @param context a database, or a transaction to join
     * @param name the name
     * @return the batch, if there is one
     */
    public CompletableFuture<Optional<BatchInfo>> get(ReadTransactionContext context, String name) {
        return verbs.get(context, name);
    }

    /**
     * Cancels a batch: it takes no more members, its closing job is cancelled, and so are the members that have not
     * ended, some in each transaction. If it was interrupted, call it again. The members are kept for as long as
     * {@link Retention#standard} says.
     *
     * @param name the name
     * @param reason why
     * @return how many members this call has cancelled; fails with {@link BatchNotFoundException} if there is no batch,
     *     and with {@link BatchStateException} if it has closed
     */
    public CompletableFuture<Long> cancel(String name, String reason) {
        return verbs.cancel(name, reason);
    }

    /**
     * Removes what is stored of a batch that has closed or was cancelled, and whose members have all ended; not the
     * jobs. A batch with a closing job is removed with that job.
     *
     * @param context a database, or a transaction to join
     * @param name the name
     * @return whether there was such a batch; fails with {@link BatchStateException} if it goes on
     */
    public CompletableFuture<Boolean> remove(TransactionContext context, String name) {
        return verbs.remove(context, name);
    }
}
