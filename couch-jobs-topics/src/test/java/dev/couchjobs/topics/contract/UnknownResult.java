package dev.couchjobs.topics.contract;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A context that tries each body a second time, as if the result of the first commit were unknown.
 *
 * @param commits whether the first try has committed
 * @param meanwhile what happens between the tries
 */
record UnknownResult(Database database, boolean commits, Runnable meanwhile) implements ForwardingContext {

    @Override
    public <T> CompletableFuture<T> runAsync(Function<? super Transaction, ? extends CompletableFuture<T>> body) {
        try (Transaction tx = database.createTransaction()) {
            TopicsContract.await(body.apply(tx));
            if (commits) {
                TopicsContract.await(tx.commit());
            }
        }
        meanwhile.run();
        return database.runAsync(body);
    }
}
