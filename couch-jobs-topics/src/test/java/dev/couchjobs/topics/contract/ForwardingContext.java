package dev.couchjobs.topics.contract;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.ReadTransaction;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.TransactionContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** The context of a database, but for {@link #runAsync}. */
interface ForwardingContext extends TransactionContext {

    Database database();

    @Override
    default <T> T run(Function<? super Transaction, T> body) {
        return database().run(body);
    }

    @Override
    default <T> T read(Function<? super ReadTransaction, T> body) {
        return database().read(body);
    }

    @Override
    default <T> CompletableFuture<T> readAsync(Function<? super ReadTransaction, ? extends CompletableFuture<T>> body) {
        return database().readAsync(body);
    }

    @Override
    default Executor getExecutor() {
        return database().getExecutor();
    }
}
