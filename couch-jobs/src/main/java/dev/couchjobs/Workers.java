package dev.couchjobs;

import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.internal.instance.Instance;
import dev.couchjobs.internal.verbs.WorkerVerbs;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The workers of all processes ({@link CouchJobs#workers}), which are steered by their names ({@link
 * WorkerBuilder#name}). Several workers may have one name. The contract of contexts, futures and errors is that of
 * {@link CouchJobs}. Safe for use by several threads.
 *
 * <p>A worker obeys within about a second after the commit; one that misses the notification, or gets none because its
 * client has too many watches, within about 66 seconds. A worker of a version before this class is neither listed nor
 * steered.
 */
public final class Workers {
    private final WorkerVerbs verbs;

    Workers(Instance instance) {
        verbs = new WorkerVerbs(instance);
    }

    /**
     * One page of the workers, by name. A worker that was killed stays on it for about a day, and {@link
     * WorkerInfo#isLive} says so. The page leaves out workers whose rows are damaged. It conflicts with no other
     * transaction.
     *
     * @param context a database, or a transaction to join
     * @param page which page, where oldest first means in the order of the names
     * @return the page
     * @throws IllegalArgumentException if the page is of another listing
     */
    public CompletableFuture<Page<WorkerInfo>> list(ReadTransactionContext context, PageRequest page) {
        return verbs.list(context, page);
    }

    /**
     * One worker.
     *
     * @param context a database, or a transaction to join, which conflicts with a change of the worker
     * @param name its name
     * @param id its id
     * @return the worker; empty if it is not listed, or its row is damaged
     * @throws IllegalArgumentException if no worker can have the name
     */
    public CompletableFuture<Optional<WorkerInfo>> find(ReadTransactionContext context, String name, UUID id) {
        return verbs.find(context, name, id);
    }

    /**
     * Pauses the workers with a name, also those that start later: they claim nothing until {@link #resume}. Jobs that
     * run may end. A worker gives back the jobs that it has claimed and not begun, so that others can claim them. There
     * need be no worker with the name. A name that is paused already stays as it is.
     *
     * @param context a database, or a transaction to join
     * @param name the name, of 1 to 200 characters
     * @return completes when it is done
     * @throws IllegalArgumentException if no worker can have the name
     */
    public CompletableFuture<Void> pause(TransactionContext context, String name) {
        return verbs.pause(context, name);
    }

    /**
     * Ends the pause of a name: its workers claim at once. A name that is not paused stays as it is.
     *
     * @param context a database, or a transaction to join
     * @param name the name, of 1 to 200 characters
     * @return completes when it is done
     * @throws IllegalArgumentException if no worker can have the name
     */
    public CompletableFuture<Void> resume(TransactionContext context, String name) {
        return verbs.resume(context, name);
    }

    /**
     * Drains the workers with a name that have started: they claim nothing more, give back the jobs that they have not
     * begun, and end when the jobs that run have ended, however long that takes. {@link Worker#ended} then completes.
     * Workers that start later are not concerned. An end cannot be taken back.
     *
     * @param context a database, or a transaction to join
     * @param name the name, of 1 to 200 characters
     * @return how many live workers have the name at present; of more than 1,000 rows only that many are counted
     * @throws IllegalArgumentException if no worker can have the name
     */
    public CompletableFuture<Integer> drain(TransactionContext context, String name) {
        return verbs.drain(context, name);
    }

    /**
     * Lists a worker that is not a {@link Worker} of this library, such as a program in another language, and says what
     * it is told to do. It is to be called when the worker starts, about once a minute, and when its state changes; a
     * worker that was not listed is listed from then on.
     *
     * <p>In a transaction of the caller's the read of the orders conflicts with their change: a transaction that
     * commits claims for the worker together with a report of {@link WorkerState#RUNNING} commits before a pause or
     * drain does.
     *
     * @param context a database, or a transaction to join
     * @param worker how the worker is at present
     * @return the state that is stored, in which the worker is to be from now on
     * @throws IllegalArgumentException if no worker can have the name
     */
    public CompletableFuture<WorkerState> report(TransactionContext context, RemoteWorker worker) {
        return verbs.report(context, worker);
    }

    /**
     * Watches for other orders for a name, for a program that acts for workers. Watches of FoundationDB are few: one
     * serves all workers of the name. It may fire although nothing has changed. FoundationDB may lose it; then the
     * returned future completes within two minutes after the change.
     *
     * @param tx the transaction whose commit sets the watch
     * @param name the name, of 1 to 200 characters
     * @return completes when a later transaction has paused, resumed or drained the name; fails if the transaction does
     *     not commit, or the database drops the watch; the caller cancels it to end the watch
     * @throws IllegalArgumentException if no worker can have the name
     */
    public CompletableFuture<Void> watchOrders(Transaction tx, String name) {
        return verbs.watchOrders(tx, name);
    }

    /**
     * Removes a worker that has ended from the list. It may not be listed.
     *
     * @param context a database, or a transaction to join
     * @param name its name
     * @param id its id
     * @return completes when it is done
     * @throws IllegalArgumentException if no worker can have the name
     */
    public CompletableFuture<Void> remove(TransactionContext context, String name, UUID id) {
        return verbs.remove(context, name, id);
    }

    /**
     * One page of the paused names, whether there are workers with these names or not. A page may be short, or empty,
     * and not the last. It conflicts with no other transaction.
     *
     * @param context a database, or a transaction to join
     * @param page which page, where oldest first means in the order of the names
     * @return the page
     * @throws IllegalArgumentException if the page is of another listing
     */
    public CompletableFuture<Page<WorkerPause>> pauses(ReadTransactionContext context, PageRequest page) {
        return verbs.pauses(context, page);
    }
}
