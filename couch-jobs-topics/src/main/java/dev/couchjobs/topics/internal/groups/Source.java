package dev.couchjobs.topics.internal.groups;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.topics.internal.log.Place;
import dev.couchjobs.topics.internal.log.StoredMessage;
import dev.couchjobs.topics.internal.transactions.TopicTransactions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Where a handler's messages come from. Each write commits only while the member holds the partition. */
public interface Source {

    /**
     * Messages for a handler.
     *
     * @param failures how often the first of them has failed
     * @param suspect the first of them if a holder has died, perhaps of it: an attempt has to be counted before it is
     *     handed out, and there are no messages here. Otherwise null
     * @param parked how many messages the partition has parked
     */
    record Next(
            Place before,
            Place behind,
            int failures,
            @Nullable Versionstamp suspect,
            int parked,
            List<StoredMessage> messages) {

        public boolean isSuspect() {
            return suspect != null;
        }

        /** {@return whether the group is at the end of the log, and its number was too low} */
        public boolean correctsNumber() {
            return messages.isEmpty() && !isSuspect() && !behind.equals(before);
        }

        /** {@return the first of the messages, of which there is one} */
        Versionstamp first() {
            return suspect == null ? messages.get(0).stamp() : suspect;
        }
    }

    /** Takes messages: they are consumed if the transaction commits. */
    CompletableFuture<Next> take(Transaction tx);

    /** Reads what {@link #take} takes. */
    CompletableFuture<Next> peek(ReadTransaction tx);

    /** The same in a transaction of its own, or without one if the messages are known. */
    default CompletableFuture<Next> read(Database database) {
        return TopicTransactions.read(database, "consume", this::peek);
    }

    /** Reads what follows the messages that were read last, while they are handled. */
    default void readAhead(Database database) {}

    /** Consumes messages that were read before. {@return false if they are consumed} */
    CompletableFuture<Boolean> commit(Transaction tx, Next consumed);

    /** The same in a transaction of its own. */
    default CompletableFuture<Boolean> commit(Database database, Next consumed) {
        return TopicTransactions.run(database, "consume", tx -> commit(tx, consumed));
    }
}
