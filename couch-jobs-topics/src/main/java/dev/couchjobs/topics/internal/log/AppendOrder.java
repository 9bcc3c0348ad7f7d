package dev.couchjobs.topics.internal.log;

import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.couchjobs.topics.TooManyMessagesException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Numbers the messages that a transaction appends: the commit's versionstamp is the same for all. The number belongs to
 * the transaction, so all instances of a process share it.
 */
public final class AppendOrder {
    private static final int NUMBER_MAX = 0xFFFF;
    private static final Cache<Object, AtomicInteger> NEXT =
            Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

    private AppendOrder() {}

    /** {@return the number of the next message} */
    static int next(Transaction tx) {
        int number = NEXT.get(identity(tx), unused -> new AtomicInteger()).getAndIncrement();
        if (number > NUMBER_MAX) {
            throw new TooManyMessagesException(
                    "A transaction appends at most " + (NUMBER_MAX + 1) + " messages: append them in several.");
        }
        return number;
    }

    /** {@return whether a transaction has appended messages, which its reads of a tail count} */
    public static boolean hasAppended(ReadTransaction tx) {
        return NEXT.getIfPresent(identity(tx)) != null;
    }

    /** Wrappers pass on the options object of the transaction that they wrap. */
    private static Object identity(ReadTransaction tx) {
        Object options = tx.options();
        return options == tx.options() ? options : tx;
    }
}
