package dev.couchjobs.spring;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

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

    /** {@return the transaction of this thread; the database if there is none: then a verb has one of its own} */
    public TransactionContext context() {
        Transaction open = open(database);
        return open == null ? database : open;
    }

    static @Nullable Transaction open(Database database) {
        return (Transaction) TransactionSynchronizationManager.getResource(database);
    }
}
