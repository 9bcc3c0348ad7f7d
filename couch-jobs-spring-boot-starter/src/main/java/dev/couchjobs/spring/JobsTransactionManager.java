package dev.couchjobs.spring;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Binds transactions of a database to threads. There are no nested ones. */
final class JobsTransactionManager extends AbstractPlatformTransactionManager implements ResourceTransactionManager {
    /** FoundationDB's error of a transaction that began too long ago. */
    private static final int TOO_OLD = 1007;

    private static final long serialVersionUID = 1;

    private final transient Database database;

    JobsTransactionManager(Database database) {
        this.database = database;
    }

    /** A transaction, once it has begun. */
    private static final class Handle {
        @Nullable Transaction transaction;

        Handle(@Nullable Transaction transaction) {
            this.transaction = transaction;
        }

        Transaction open() {
            if (transaction == null) {
                throw new IllegalStateException("The transaction has not begun.");
            }
            return transaction;
        }
    }

    @Override
    public Object getResourceFactory() {
        return database;
    }

    @Override
    protected Object doGetTransaction() {
        return new Handle(CurrentTransaction.open(database));
    }

    @Override
    protected boolean isExistingTransaction(Object handle) {
        return ((Handle) handle).transaction != null;
    }

    @Override
    protected void doBegin(Object handle, TransactionDefinition definition) {
        Transaction transaction = database.createTransaction();
        int timeout = determineTimeout(definition);
        if (timeout != TransactionDefinition.TIMEOUT_DEFAULT) {
            transaction.options().setTimeout(timeout * 1_000L);
        }
        ((Handle) handle).transaction = transaction;
        TransactionSynchronizationManager.bindResource(database, transaction);
    }

    @Override
    protected Object doSuspend(Object handle) {
        ((Handle) handle).transaction = null;
        return TransactionSynchronizationManager.unbindResource(database);
    }

    @Override
    protected void doResume(@Nullable Object handle, Object suspended) {
        TransactionSynchronizationManager.bindResource(database, suspended);
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        try {
            ((Handle) status.getTransaction()).open().commit().join();
        } catch (CompletionException e) {
            throw translated(e.getCause() == null ? e : e.getCause());
        }
    }

    private static RuntimeException translated(Throwable cause) {
        if (cause instanceof FDBException failure && failure.getCode() == TOO_OLD) {
            return new TransactionSystemException(
                    "The transaction has not committed: it took longer than the five seconds that FoundationDB allows."
                            + " Do less in the method, or split it.",
                    failure);
        }
        if (cause instanceof FDBException failure && failure.isRetryableNotCommitted()) {
            return new ConcurrencyFailureException(
                    "The transaction has not committed: " + failure.getMessage() + ". Call the method again.", failure);
        }
        if (cause instanceof FDBException failure && failure.isMaybeCommitted()) {
            return new TransactionSystemException(
                    "The transaction may have committed, or not: " + failure.getMessage(), failure);
        }
        return new TransactionSystemException("The transaction has not committed: " + cause.getMessage(), cause);
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
        ((Handle) status.getTransaction()).open().cancel();
    }

    @Override
    protected void doSetRollbackOnly(DefaultTransactionStatus status) {
        ((Handle) status.getTransaction()).open().cancel();
    }

    @Override
    protected void doCleanupAfterCompletion(Object handle) {
        Transaction transaction = ((Handle) handle).open();
        TransactionSynchronizationManager.unbindResource(database);
        transaction.close();
    }
}
