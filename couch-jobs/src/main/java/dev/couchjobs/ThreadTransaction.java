package dev.couchjobs;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransactionContext;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.internal.rows.TransactionScope;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The transactions that a framework has opened for the code that runs on a thread, such as a method with an annotation.
 * For frameworks: Spring's {@code @JobsTransactional} uses it.
 *
 * <p>While a transaction is bound to a thread, a verb that writes and is given the {@link Database} on this thread
 * throws {@link TransactionBypassedException}: it would commit although the framework may roll back. Verbs that only
 * read may be given either. Verbs on other threads, of other databases, and those that take no context, such as {@link
 * Batches#cancel}, are not affected.
 *
 * <p>Each thread has its own transactions. They do not pass to threads that it starts.
 */
public final class ThreadTransaction {
    private static final ThreadLocal<IdentityHashMap<Database, Transaction>> OPEN =
            ThreadLocal.withInitial(IdentityHashMap::new);

    private ThreadTransaction() {}

    /**
     * {@return the transaction that is bound to this thread, if one is}
     *
     * @param database the database of the transaction
     */
    public static Optional<Transaction> of(Database database) {
        return Optional.ofNullable(OPEN.get().get(database));
    }

    /**
     * Binds a transaction to this thread.
     *
     * @param database the database of the transaction
     * @param transaction an open transaction
     * @throws IllegalStateException if a transaction of the database is bound to this thread
     */
    public static void bind(Database database, Transaction transaction) {
        if (of(database).isPresent()) {
            throw new IllegalStateException(
                    "A transaction of this database is bound to this thread: unbind it before you bind another.");
        }
        IdentityHashMap<Database, Transaction> all = new IdentityHashMap<>(OPEN.get());
        all.put(database, transaction);
        OPEN.set(all);
    }

    /**
     * Ends the binding of a transaction to this thread, if one is bound. The transaction stays open.
     *
     * @param database the database of the transaction
     */
    public static void unbind(Database database) {
        IdentityHashMap<Database, Transaction> others = new IdentityHashMap<>(OPEN.get());
        others.remove(database);
        restore(others);
    }

    private static void restore(IdentityHashMap<Database, Transaction> all) {
        if (all.isEmpty()) {
            OPEN.remove();
        } else {
            OPEN.set(all);
        }
    }

    /**
     * Runs code as a thread without bound transactions would run it. For test kits whose workers run on the thread of
     * the test.
     *
     * @param code what to run
     * @param <T> the type of its result
     * @return the result
     */
    public static <T> T without(Supplier<T> code) {
        IdentityHashMap<Database, Transaction> all = OPEN.get();
        OPEN.remove();
        try {
            return code.get();
        } finally {
            restore(all);
        }
    }

    /**
     * Refuses the database for a verb that writes. For modules with verbs of their own.
     *
     * @param context what the caller gave to the verb
     * @throws TransactionBypassedException if it is a database, and a transaction of the database is bound to this
     *     thread
     */
    public static void requireJoined(ReadTransactionContext context) {
        if (context instanceof Database given && OPEN.get().keySet().stream().anyMatch(open -> isSame(open, given))) {
            throw new TransactionBypassedException();
        }
    }

    /**
     * Waits for the verbs that have begun in a transaction, for which the code that began them may have forgotten to
     * wait. For frameworks, before they commit: without it, what such a verb writes may come too late, and if one is
     * refused, the commit fails with FoundationDB's error 1025, which does not say why.
     *
     * @param transaction a transaction that has not been closed
     * @return completes when all of them have ended; fails with what a verb was refused by, if that has cancelled the
     *     transaction, as a missing dependency does and a lost claim
     */
    public static CompletableFuture<?> settled(Transaction transaction) {
        return TransactionScope.settled(transaction);
    }

    /** A wrapper passes on the options of the database that it wraps. */
    private static boolean isSame(Database open, Database given) {
        return open == given || open.options() == given.options();
    }
}
