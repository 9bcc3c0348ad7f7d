package dev.couchjobs.spring;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.TransactionContext;
import dev.couchjobs.ThreadTransaction;
import org.springframework.transaction.NoTransactionException;

/**
 * What a verb takes to join the transaction that {@link JobsTransactional} has opened on this thread:
 *
 * <pre>{@code
 * @JobsTransactional
 * public void signUp(User user) {
 *     current.context().run(tx -> save(tx, user));
 *     mails.send(current.context(), "welcome-" + user.id(), new Mail(user)).join();
 * }
 * }</pre>
 *
 * <p>Safe for use by several threads, each of which has its own transaction.
 */
public final class CurrentTransaction {
    private final Database database;

    CurrentTransaction(Database database) {
        this.database = database;
    }

    /**
     * {@return the transaction of this thread}
     *
     * @throws NoTransactionException if there is none: outside of a method with {@link JobsTransactional}, on a thread
     *     that the method has started, in a method of the same bean that is called without its proxy, or after the
     *     commit
     */
    public TransactionContext context() {
        return ThreadTransaction.of(database)
                .orElseThrow(() -> new NoTransactionException(
                        "No transaction of the jobs' database is open on this thread. Call this in a method with"
                                + " @JobsTransactional that another bean calls, and on the thread of the method; or"
                                + " pass the Database bean to the verb, which then commits by itself."));
    }
}
