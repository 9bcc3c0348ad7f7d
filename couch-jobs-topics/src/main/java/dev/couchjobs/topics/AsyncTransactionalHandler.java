package dev.couchjobs.topics;

import com.apple.foundationdb.Transaction;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Handles messages of one partition in the transaction that moves the group behind them, and returns at once. Called
 * for several partitions at the same time.
 *
 * @param <T> the class of the messages' values
 */
@FunctionalInterface
public interface AsyncTransactionalHandler<T> {
    /**
     * Begins to handle messages. What it writes in the transaction commits together with the group's offset, or not at
     * all. The database may run it several times until one commits. It has the five seconds of a transaction.
     * After an error that passes the database repeats it. The tenth of them, any other error of FoundationDB, and
     * writes that cannot be committed are a failure of the messages.
     *
     * @param tx the transaction; it commits after the stage has completed
     * @param messages one or more, in order
     * @return completes with any value when they are handled; fails if they cannot be handled now
     * @throws Exception as if the stage had failed
     */
    CompletionStage<?> handle(Transaction tx, List<Message<T>> messages) throws Exception;
}
