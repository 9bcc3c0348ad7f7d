package dev.couchjobs.topics;

import com.apple.foundationdb.Transaction;
import java.util.List;

/**
 * Handles messages of one partition in the transaction that moves the group behind them. Called on a thread that it may
 * block; for several partitions at the same time.
 *
 * @param <T> the class of the messages' values
 */
@FunctionalInterface
public interface TransactionalHandler<T> {
    /**
     * Handles messages. What it writes in the transaction commits together with the group's offset, or not at all. The
     * database may run it several times until one commits. It has the five seconds of a transaction.
     * After an error that passes the database repeats it. The tenth of them, any other error of FoundationDB, and
     * writes that cannot be committed are a failure of the messages.
     *
     * @param tx the transaction; it commits after this returns
     * @param messages one or more, in order
     * @throws Exception if they cannot be handled now
     */
    void handle(Transaction tx, List<Message<T>> messages) throws Exception;
}
