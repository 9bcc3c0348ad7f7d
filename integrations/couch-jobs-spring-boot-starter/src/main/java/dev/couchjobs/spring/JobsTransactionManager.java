package dev.couchjobs.spring;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.FDBException;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.JobsException;
import dev.couchjobs.ThreadTransaction;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;

/** Binds transactions of a database to threads. There are no nested ones. */
final class JobsTransactionManager extends AbstractPlatformTransactionManager implements ResourceTransactionManager {
    /** FoundationDB's error of a transaction that began too long ago. */
    private static final int TOO_OLD = 1007;

    /** FoundationDB's error of a transaction whose time was over, perhaps while it committed. */
    private static final int TIMED_OUT = 1031;

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
        return new Handle(ThreadTransaction.of(database).orElse(null));
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
        ThreadTransaction.bind(database, transaction);
    }

    @Override
    protected Object doSuspend(Object handle) {
        Transaction suspended = ((Handle) handle).open();
        ((Handle) handle).transaction = null;
        ThreadTransaction.unbind(database);
        return suspended;
    }

    @Override
    protected void doResume(@Nullable Object handle, Object suspended) {
        ThreadTransaction.bind(database, (Transaction) suspended);
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        ThreadTransaction.unbind(database); // what follows the commit is no part of it
        Transaction open = ((Handle) status.getTransaction()).open();
        try {
            // The method may have forgotten to wait for a verb, which may be refused.
            ThreadTransaction.settled(open).thenCompose(done -> open.commit()).join();
        } catch (CompletionException e) {
            throw translated(e.getCause() == null ? e : e.getCause());
        }
    }

    /** {@return what the caller of a method gets if the commit has failed} */
    static RuntimeException translated(Throwable cause) {
        if (cause instanceof JobsException refusal) {
            return refusal;
        }
        if (!(cause instanceof FDBException failure)) {
            return new TransactionSystemException("The transaction has not committed: " + sentence(cause), cause);
        }
        if (failure.getCode() == TOO_OLD) {
            return new TransactionSystemException(
                    "The transaction has not committed: it took longer than the five seconds that FoundationDB allows."
                            + " Do less in the method, or split it.",
                    failure);
        }
        if (failure.isRetryableNotCommitted()) {
            return new ConflictException(failure);
        }
        return new TransactionSystemException(
                failure.isMaybeCommitted() || failure.getCode() == TIMED_OUT
                        ? "The transaction may have committed, or not: " + sentence(failure)
                                + " Find out whether it has before you call the method again."
                        : "The transaction has not committed: " + sentence(failure),
                failure);
    }

    /** {@return a message as a sentence; those of FoundationDB end without a full stop} */
    static String sentence(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        return message.endsWith(".") ? message : message + ".";
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
        ThreadTransaction.unbind(database);
        ((Handle) status.getTransaction()).open().cancel();
    }

    @Override
    protected void doSetRollbackOnly(DefaultTransactionStatus status) {
        ((Handle) status.getTransaction()).open().cancel();
    }

    @Override
    protected void doCleanupAfterCompletion(Object handle) {
        ThreadTransaction.unbind(database);
        ((Handle) handle).open().close();
    }
}
