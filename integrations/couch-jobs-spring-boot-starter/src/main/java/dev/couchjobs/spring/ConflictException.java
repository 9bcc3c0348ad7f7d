package dev.couchjobs.spring;

import com.apple.foundationdb.FDBException;
import org.springframework.dao.ConcurrencyFailureException;

/** The commit of a transaction that {@link JobsTransactionManager} has opened conflicts with another. */
final class ConflictException extends ConcurrencyFailureException {
    private static final long serialVersionUID = 1;

    ConflictException(FDBException cause) {
        super(
                "The transaction has not committed: " + JobsTransactionManager.sentence(cause)
                        + " Call the method again.",
                cause);
    }
}
