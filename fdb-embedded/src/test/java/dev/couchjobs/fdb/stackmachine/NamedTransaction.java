package dev.couchjobs.fdb.stackmachine;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.MutationType;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.contract.EngineFutures;

/** What the machine knows under a name: one transaction after the other, and what cannot be compared about it. */
final class NamedTransaction {

    private Transaction transaction;
    private boolean reading;
    private boolean selectorsAreComparable = true;

    NamedTransaction(Database database) {
        this.transaction = database.createTransaction();
    }

    Transaction transaction() {
        return transaction;
    }

    void replace(Transaction next) {
        if (next != transaction) {
            transaction.close();
        }
        transaction = next;
        reading = false;
        selectorsAreComparable = true;
    }

    /**
     * The transaction, with its read version taken: whether a read that the transaction's own writes answer takes one
     * is an engine's own business, but what later reads see and conflict with depends on it.
     */
    ReadTransaction reading() {
        if (!reading) {
            reading = true;
            EngineFutures.codeOf(transaction.getReadVersion());
        }
        return transaction;
    }

    /**
     * Notes an operation after which it cannot be compared with a cluster where selectors lead: whether one meets a key
     * that waits for its stamp, which is an error, depends on what FoundationDB's client has fetched before (seen on
     * 7.3.69). The binding tester does not generate that either.
     */
    void mutate(MutationType type) {
        switch (type) {
            case SET_VERSIONSTAMPED_KEY, SET_VERSIONSTAMPED_VALUE -> selectorsAreComparable = false;
            default -> {}
        }
    }

    boolean areSelectorsComparable() {
        return selectorsAreComparable;
    }

    void close() {
        transaction.close();
    }
}
